// VS Code and p4-language-server, with VS Code's and Node's own modules alone: no packages, nothing to build.
"use strict";
const vscode = require("vscode");
const { spawn } = require("child_process");

let child, buffer = Buffer.alloc(0), number = 0;
const waiting = new Map();

function send(message) {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
const tell = (method, params) => send({ method, params });
const ask = (method, params) => new Promise((resolve) => {
  waiting.set(++number, resolve);
  send({ id: number, method, params });
});

function receive(bytes, told) {
  buffer = Buffer.concat([buffer, bytes]);
  for (;;) {
    const head = buffer.indexOf("\r\n\r\n");
    const length = head < 0 ? NaN : Number(/Content-Length: (\d+)/i.exec(buffer.toString("latin1", 0, head))[1]);
    if (!(buffer.length >= head + 4 + length)) return;
    const message = JSON.parse(buffer.toString("utf8", head + 4, head + 4 + length));
    buffer = buffer.subarray(head + 4 + length);
    if (message.method) told(message);
    else if (waiting.has(message.id)) {
      waiting.get(message.id)(message.result ?? null);
      waiting.delete(message.id);
    }
  }
}

const range = (r) => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const at = (document, position) => ({ textDocument: { uri: document.uri.toString() }, position });
// The protocol counts kinds and severities from 1, VS Code from 0.
const symbol = (s) => {
  const made = new vscode.DocumentSymbol(s.name, s.detail ?? "", s.kind - 1, range(s.range), range(s.selectionRange));
  made.children = (s.children ?? []).map(symbol);
  return made;
};
const diagnostic = (d) => {
  const made = new vscode.Diagnostic(range(d.range), d.message, d.severity - 1);
  Object.assign(made, { source: d.source, code: d.code });
  return made;
};

exports.activate = async (context) => {
  const settings = vscode.workspace.getConfiguration("p4"), messages = vscode.languages.createDiagnosticCollection("p4");
  const folder = vscode.workspace.workspaceFolders?.[0];
  child = spawn(settings.get("server"), ["--stdio"]);
  child.on("error", (error) => vscode.window.showErrorMessage(`p4-language-server: ${error.message}; see the setting p4.server`));
  child.stdin.on("error", () => {});
  child.stdout.on("data", (bytes) => receive(bytes, ({ method, params }) => {
    if (method === "textDocument/publishDiagnostics") messages.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnostic));
  }));
  await ask("initialize", {
    processId: process.pid, rootUri: folder?.uri.toString() ?? null, capabilities: {},
    initializationOptions: { includePaths: settings.get("includePaths"), defines: settings.get("defines") },
  });
  tell("initialized", {});
  const open = (d) => d.languageId === "p4" && tell("textDocument/didOpen", { textDocument: { uri: d.uri.toString(), languageId: "p4", version: d.version, text: d.getText() } });
  vscode.workspace.textDocuments.forEach(open);
  const on = (method, more) => (d) => d.languageId === "p4" && tell(method, { textDocument: { uri: d.uri.toString(), version: d.version }, ...more?.(d) });
  const change = on("textDocument/didChange", (d) => ({ contentChanges: [{ text: d.getText() }] }));
  context.subscriptions.push(
    messages,
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeTextDocument((event) => change(event.document)),
    vscode.workspace.onDidSaveTextDocument(on("textDocument/didSave")),
    vscode.workspace.onDidCloseTextDocument(on("textDocument/didClose")),
    vscode.languages.registerHoverProvider("p4", { provideHover: async (d, p) => {
      const found = await ask("textDocument/hover", at(d, p));
      return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), found.range && range(found.range));
    } }),
    vscode.languages.registerDefinitionProvider("p4", { provideDefinition: async (d, p) => {
      const found = await ask("textDocument/definition", at(d, p));
      return found && new vscode.Location(vscode.Uri.parse(found.uri), range(found.range));
    } }),
    vscode.languages.registerCompletionItemProvider("p4", { provideCompletionItems: async (d, p) => {
      const found = await ask("textDocument/completion", at(d, p));
      return found?.map((item) => Object.assign(new vscode.CompletionItem(item.label, item.kind - 1), { detail: item.detail }));
    } }, "."),
    vscode.languages.registerDocumentSymbolProvider("p4", { provideDocumentSymbols: async (d) =>
      (await ask("textDocument/documentSymbol", { textDocument: { uri: d.uri.toString() } }))?.map(symbol) }),
  );
};

exports.deactivate = async () => {
  if (child?.exitCode !== null) return;
  await ask("shutdown", null);
  tell("exit", null);
};
