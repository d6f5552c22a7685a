"""The pages of docs/toolchain/, followed: their files saved, their commands run, their shown output compared with the printed one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.harness.console import CONSOLE, follow
from tests.harness.pages import BLOCK, Block, Page
from tests.harness.switches import REPOSITORY

INSTALL = Page("toolchain/install.md")
"""Followed by tests/packages/test_install_page.py."""
PACKAGE = Page("../switch/packages/README.md")
"""The page of the package that registries and pip show."""
COMPILE, RUN, CONTROL, DRAW = (Page(f"toolchain/{name}.md") for name in ("compile", "run", "control", "draw"))
PAGES = sorted((Page(f"toolchain/{file.name}") for file in (REPOSITORY / "docs" / "toolchain").glob("*.md")), key=str)
FOLLOWED = [page for page in PAGES if page != INSTALL and page.blocks(CONSOLE)]
BEFORE = {"toolchain/compile.md": [], "toolchain/debug.md": [(COMPILE, "Compiling it"), (RUN, "Two hosts")]}
"""The sections of other pages whose commands a page goes on from, as it says itself."""
COMPILED = [(COMPILE, "Compiling it")]
"""The same for all other pages."""
SHELL = "With p4runtime-shell"
SHELL_ENVIRONMENT = REPOSITORY / ".venv-clients" / "shell"


def files() -> list[Block]:
    """The files that the pages have had saved."""
    return [block for page in PAGES for block in page.blocks() if block.file]


def before(page: Page) -> list[Block]:
    return [block for other, section in BEFORE.get(page.name, COMPILED) for block in other.blocks(section=section)]


def test_pages_are_found() -> None:
    assert len(FOLLOWED) > 5


@pytest.mark.parametrize("page", FOLLOWED, ids=str)
def test_a_page_says_what_happens(page: Page, tmp_path: Path) -> None:
    apart = page.blocks(section=SHELL) if page == CONTROL else []
    blocks = [block for block in page.blocks() if block not in apart]
    follow([*files(), *before(page), *blocks], tmp_path, environment={"PYTEST_PLUGINS": "nodectl_p4.pytest_plugin"})
    if page == DRAW:
        drawn = [(tmp_path / "pictures" / f"{part}.mmd").read_text() for part in ("parser", "ingress")]
        assert [block.text for block in page.blocks("mermaid")] == drawn


def test_p4runtime_shell(tmp_path: Path) -> None:
    if not SHELL_ENVIRONMENT.exists():
        pytest.skip("the clients are not installed: run `make test-clients`")
    follow([*files(), *before(CONTROL), *CONTROL.blocks(section=SHELL)], tmp_path, programs=[SHELL_ENVIRONMENT / "bin"])


def test_the_page_of_the_package(tmp_path: Path) -> None:
    interfaces = "$ for i in 1 3; do ip link add veth$i type veth peer name host$i; done\n"
    python = "$ kill $!\n$ python example.py\n127.0.0.1:… ==========\n…\n"
    follow([*files(), Block(CONSOLE, "", interfaces), *PACKAGE.blocks(), Block(CONSOLE, "", python)], tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_nothing_is_left_out(page: Page) -> None:
    languages = {block.language for block in page.blocks() if not block.file}
    assert languages <= ({"sh"} if page == INSTALL else {CONSOLE, *(["mermaid"] if page == DRAW else [])})
    around = BLOCK.sub("", page.text)
    assert "```" not in around
    assert not re.search(r"^ {4}", around, re.MULTILINE), "blocks that are not between backquotes are not executed"


def test_the_front_page_has_all_of_them() -> None:
    linked = re.findall(r"\]\((toolchain/[\w-]+\.md)\)", Page("p4-toolchain.md").text)
    assert sorted(set(linked)) == [page.name for page in PAGES]
