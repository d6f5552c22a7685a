"""Functions that MkDocs calls while it builds the site (docs/site/mkdocs.yml)."""

from __future__ import annotations

import posixpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from common.installation import PROJECT
from testbed.site.beside import DOCS, PICTURES, files_beside, link_on_site, page_of_source, repository_path, site_path
from testbed.site.generated import GENERATED
from testbed.site.glossary import terms, with_terms
from testbed.site.markdown import adapted

SITE = PROJECT / "docs" / "site"
PACKAGES = SITE / "node_modules"
MERMAID = "assets/mermaid.js"
WORKER = "assets/iframe-worker.js"
ASSETS = {
    "assets/site.css": SITE / "site.css",
    MERMAID: PACKAGES / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js",
    WORKER: PACKAGES / "iframe-worker" / "shim" / "index.js",
}
WORKER_OF_THE_WEB = "https://unpkg.com/iframe-worker/shim"
"""The plugin `offline` puts it into every page, so that the search works in a site that is opened as files."""
GLOSSARY = "glossary.md"
WITHOUT_LINKED_TERMS = (GLOSSARY, "repository/CHANGELOG.md")
NAVIGATION_BESIDE = "repository/"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages beside docs/, those that are made of declarations, and the assets."""
    begin = [f"{DOCS}/{page.src_uri}" for page in files.documentation_pages()]
    begin += [repository_path(page) for page in _leaves(config.nav) if page.startswith(NAVIGATION_BESIDE)]
    for path in files_beside(begin):
        source = PROJECT / path
        if source.suffix == ".md" or source.suffix in PICTURES:
            files.append(File.generated(config, site_path(path), abs_src_path=str(source)))
        else:
            files.append(File.generated(config, site_path(path), content=page_of_source(path)))
    for name, written in GENERATED.items():
        files.append(File.generated(config, name, content=written()))
    for name, source in ASSETS.items():
        files.append(File.generated(config, name, abs_src_path=str(source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - as MkDocs calls it
    """Put a page into the dialect of the site, with links that stay in it."""
    path = repository_path(page.file.src_uri)
    if page.file.src_uri in GENERATED or not (PROJECT / path).exists():
        return markdown
    text = adapted(markdown, lambda link: link_on_site(path, link))
    if page.file.src_uri in WITHOUT_LINKED_TERMS:
        return text
    glossary = posixpath.relpath(GLOSSARY, posixpath.dirname(page.file.src_uri))
    return with_terms(text, terms((PROJECT / DOCS / GLOSSARY).read_text(encoding="utf-8")), lambda anchor: f"{glossary}#{anchor}")


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the libraries of the site, which the theme and its plugin would get from the web."""
    folder = posixpath.dirname(page.file.dest_uri)
    output = on_post_template(output, page.file.dest_uri, config)
    if 'class="mermaid"' not in output:
        return output
    return output.replace("</head>", f'<script src="{posixpath.relpath(MERMAID, folder)}"></script></head>', 1)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:  # noqa: ARG001 - as MkDocs calls it
    """The same for a page that the theme makes: the one for addresses that there are not."""
    return output_content.replace(WORKER_OF_THE_WEB, posixpath.relpath(WORKER, posixpath.dirname(template_name)))


def _leaves(part: Any) -> list[str]:
    """All pages of a navigation."""
    if isinstance(part, str):
        return [part]
    parts = part.values() if isinstance(part, dict) else part or ()
    return [leaf for one in parts for leaf in _leaves(one)]
