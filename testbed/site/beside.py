"""Pages and sources beside docs/ to which its pages link. The site has them below ``repository/``, so that no link leads out of it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from common.installation import PROJECT
from testbed.site.markdown import local_links

DOCS = "docs"
BESIDE = "repository"
LANGUAGES = {".py": "python", ".rs": "rust", ".c": "c", ".p4": "p4", ".toml": "toml", ".js": "javascript", ".yml": "yaml", ".json": "json"}
PICTURES = (".svg", ".png", ".gif")


def site_path(path: str) -> str:
    """Where the site has a file of the repository.

    Args:
        path: in the repository. A folder stands for its README.
    """
    if path.startswith(f"{DOCS}/"):
        return path.removeprefix(f"{DOCS}/")
    file = PROJECT / path
    if file.is_dir():
        return f"{BESIDE}/{path}/README.md"
    return f"{BESIDE}/{path}" if file.suffix in (".md", *PICTURES) else f"{BESIDE}/{path}.md"


def repository_path(page: str) -> str:
    """The file of the repository that a page of the site is made of; only for pages that were written as such."""
    return page.removeprefix(f"{BESIDE}/") if page.startswith(f"{BESIDE}/") else f"{DOCS}/{page}"


def target(page: str, link: str) -> str:
    """The file of the repository to which a link of a page leads.

    Args:
        page: a file of the repository.
        link: relative to it.
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def link_on_site(page: str, link: str) -> str:
    """A link of a page, as the site has it.

    Args:
        page: the file of the repository that has the link.
        link: relative to that, without a heading.
    """
    wanted = target(page, link)
    if wanted.startswith(f"{DOCS}/") and not (PROJECT / wanted).is_dir() and page.startswith(f"{DOCS}/"):
        return link
    return posixpath.relpath(site_path(wanted), posixpath.dirname(site_path(page)))


def files_beside(begin: Iterable[str]) -> list[str]:
    """The files and folders beside docs/ that pages link to, also those that such pages link to themselves.

    Args:
        begin: pages, as paths in the repository.
    """
    waiting, seen, found = list(begin), set[str](), set[str]()
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        if not page.startswith(f"{DOCS}/"):
            found.add(page)
        file = PROJECT / page
        if file.is_dir() and (file / "README.md").exists():
            found.discard(page)
            waiting.append(f"{page}/README.md")
        elif file.suffix == ".md" and file.exists():
            wanted = (target(page, link.partition("#")[0]) for link in local_links(file.read_text(encoding="utf-8")))
            waiting += [one for one in wanted if (PROJECT / one).exists() and not one.startswith("..")]
    return sorted(found)


def page_of_source(path: str) -> str:
    """A page that shows a file, or names those of a folder.

    Args:
        path: in the repository.
    """
    file = PROJECT / path
    if file.is_dir():
        names = sorted(one.name for one in file.iterdir() if not one.name.startswith((".", "__")))
        return f"# {path}/\n\nThe files of this folder:\n\n" + "".join(f"- `{name}`\n" for name in names)
    language = LANGUAGES.get(file.suffix, "text")
    return f"# {path}\n\n~~~~~~{language}\n{file.read_text(encoding='utf-8').rstrip()}\n~~~~~~\n"
