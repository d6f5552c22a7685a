"""docs/toolchain/editors.md: the extension for VS Code, run by Node with a stand-in for VS Code, and the settings that the page shows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.harness.pages import Page
from tests.harness.switches import REPOSITORY, binaries

PAGE = Page("toolchain/editors.md")
EXTENSION = REPOSITORY / "switch" / "editors" / "vscode"
PROGRAM = "#include <core.p4>\n// Seven bits.\nconst bit<7> SEVEN = 7;\nconst bit<8> wrong = SEVEN;\nheader h_t { bit<8> f; }\n"
LIMIT_S = 60
VSCODE = """
const stored = {}, providers = {};
class Range { constructor(...ends) { this.ends = ends; } }
const nothing = () => ({});
module.exports = {
  stored, providers, Range,
  Hover: class { constructor(contents) { this.contents = contents.value; } },
  MarkdownString: class { constructor(value) { this.value = value; } },
  Location: class { constructor(uri, range) { Object.assign(this, { uri, range }); } },
  CompletionItem: class { constructor(label, kind) { Object.assign(this, { label, kind }); } },
  DocumentSymbol: class { constructor(name, detail, kind) { Object.assign(this, { name, detail, kind }); } },
  Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } },
  Uri: { parse: (text) => text },
  window: { showErrorMessage: (text) => { throw new Error(text); } },
  workspace: {
    getConfiguration: () => ({ get: (name) => ({ server: process.env.SERVER, includePaths: [], defines: {} })[name] }),
    textDocuments: [], workspaceFolders: undefined,
    onDidOpenTextDocument: nothing, onDidSaveTextDocument: nothing, onDidCloseTextDocument: nothing,
    onDidChangeTextDocument: (listener) => { providers.change = listener; return {}; },
  },
  languages: {
    createDiagnosticCollection: () => ({ set: (uri, list) => { stored[uri] = list; } }),
    registerHoverProvider: (_, provider) => { providers.hover = provider.provideHover; },
    registerDefinitionProvider: (_, provider) => { providers.definition = provider.provideDefinition; },
    registerCompletionItemProvider: (_, provider) => { providers.completion = provider.provideCompletionItems; },
    registerDocumentSymbolProvider: (_, provider) => { providers.symbols = provider.provideDocumentSymbols; },
  },
};
"""
SESSION = """
const vscode = require("vscode"), extension = require(process.env.EXTENSION);
const uri = `file://${process.cwd()}/wrong.p4`;
let text = require("fs").readFileSync("wrong.p4", "utf8");
const document = { languageId: "p4", uri, version: 1, getText: () => text };
const place = { line: 3, character: 22 };
(async () => {
  vscode.workspace.textDocuments.push(document);
  const { providers } = vscode;
  await extension.activate({ subscriptions: [] });
  const found = {
    hover: await providers.hover(document, place),
    definition: await providers.definition(document, place),
    labels: (await providers.completion(document, place)).map((item) => item.label),
    symbols: (await providers.symbols(document)).map((symbol) => symbol.name),
    before: vscode.stored[uri],
  };
  text = text.replace("bit<8> wrong", "bit<7> wrong");
  providers.change({ document });
  await providers.symbols(document);
  found.after = vscode.stored[uri];
  await extension.deactivate();
  console.log(JSON.stringify(found));
})();
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The extension's answers about a program with an error."""
    node = shutil.which("node", path=f"{os.environ['PATH']}:{Path(sys.executable).parent}")  # the live page's, where there is no other
    if node is None:
        pytest.skip("Node is not installed")
    folder = tmp_path_factory.mktemp("editor")
    (folder / "node_modules" / "vscode").mkdir(parents=True)
    (folder / "node_modules" / "vscode" / "index.js").write_text(VSCODE)
    (folder / "wrong.p4").write_text(PROGRAM)
    (folder / "session.js").write_text(SESSION)
    environment = {
        "NODE_PATH": str(folder / "node_modules"),
        "SERVER": str(binaries() / "p4-language-server"),
        "EXTENSION": str(EXTENSION),
        "HOME": str(folder),
    }
    done = subprocess.run([node, "session.js"], cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_vscode_shows_messages(found: dict[str, Any]) -> None:
    (message,) = found["before"]
    assert (message["severity"], message["code"]) == (0, "type-error")
    assert message["range"]["ends"][0] == 3
    assert found["after"] == []


def test_vscode_shows_what_is_declared(found: dict[str, Any]) -> None:
    assert found["hover"]["contents"] == "```p4\nconst bit<7> SEVEN = 7\n```\n\nSeven bits."
    assert found["definition"]["range"]["ends"] == [2, 13, 2, 18]
    assert {"SEVEN", "const", "packet_in"} <= set(found["labels"])
    assert found["symbols"] == ["SEVEN", "wrong", "h_t"]


def test_the_settings_of_the_page_are_those_of_the_extension() -> None:
    (settings,) = (block for block in PAGE.blocks("json"))
    properties = json.loads((EXTENSION / "package.json").read_text())["contributes"]["configuration"]["properties"]
    assert set(json.loads(settings.text)) == set(properties)


def test_the_extension_needs_nothing_else() -> None:
    package = json.loads((EXTENSION / "package.json").read_text())
    assert not {"dependencies", "devDependencies", "scripts"} & set(package)
    named = [Path(package["main"]), *(Path(one["configuration"]) for one in package["contributes"]["languages"])]
    assert all((EXTENSION / path).is_file() for path in named)
