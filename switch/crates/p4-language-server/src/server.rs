//! The conversation with the editor.

use crate::command_line::Options;
use crate::context::Place;
use crate::programs::{Programs, Publications, defines};
use crate::transport::{self, Received};
use crate::{completion, files, hover, outline};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CompletionOptions, CompletionParams, CompletionResponse, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, DocumentSymbolParams, DocumentSymbolResponse,
    GotoDefinitionParams, GotoDefinitionResponse, HoverParams, HoverProviderCapability, InitializeParams,
    InitializeResult, OneOf, PublishDiagnosticsParams, ServerCapabilities, ServerInfo, TextDocumentPositionParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufReader, BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, TryRecvError};

/// The environment's folder for included files, as the compiler has it.
const INCLUDE_PATH: &str = "P4C_16_INCLUDE_PATH";

/// The settings that an editor may make by `initializationOptions`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Settings {
    /// Directories to look for included files in; relative ones are in the workspace's folder.
    include_paths: Vec<PathBuf>,
    /// Macros and their values.
    defines: BTreeMap<String, String>,
}

/// How far the conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Running,
    ShutDown,
}

struct Server<W> {
    output: W,
    options: Options,
    programs: Programs,
    state: State,
    /// Versions of open files, which go with their messages.
    versions: HashMap<PathBuf, i32>,
    /// As the editor calls open files.
    uris: HashMap<PathBuf, Uri>,
}

/// Talks on standard input and output until the editor ends it.
pub fn run(options: &Options) -> ExitCode {
    let (sender, receiver) = mpsc::channel();
    // Messages that come in during a look at a program wait there, so that only the last of several changes counts.
    let reader = std::thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        while let Ok(Some(received)) = transport::read(&mut input) {
            if sender.send(received).is_err() {
                break;
            }
        }
    });
    let mut server = Server {
        output: BufWriter::new(io::stdout()),
        options: options.clone(),
        programs: Programs::new(syntax_options(options, &Settings::default(), None)),
        state: State::New,
        versions: HashMap::new(),
        uris: HashMap::new(),
    };
    let is_orderly = server.converse(&receiver).unwrap_or(false);
    // The reader may wait for ever; the process ends without it.
    drop(reader);
    if is_orderly { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The options of the preprocessor.
fn syntax_options(options: &Options, settings: &Settings, folder: Option<&Path>) -> p4_syntax::Options {
    let absolute = |path: &PathBuf| folder.map_or_else(|| path.clone(), |folder| folder.join(path));
    let later = std::env::var_os(INCLUDE_PATH).filter(|path| !path.is_empty());
    let given = settings.defines.iter().map(|(name, value)| format!("{name}={value}"));
    let given: Vec<String> = options.define.iter().cloned().chain(given).collect();
    p4_syntax::Options {
        include_dirs: options.include.iter().cloned().chain(settings.include_paths.iter().map(absolute)).collect(),
        later_include_dirs: later.map(PathBuf::from).into_iter().collect(),
        defines: defines(given.iter().map(String::as_str)),
        ..p4_syntax::Options::default()
    }
}

impl<W: Write> Server<W> {
    /// Answers until the end; says whether the editor shut the server down before.
    fn converse(&mut self, input: &Receiver<Received>) -> io::Result<bool> {
        loop {
            let received = match input.try_recv() {
                Ok(received) => received,
                Err(TryRecvError::Disconnected) => return Ok(self.state == State::ShutDown),
                Err(TryRecvError::Empty) => {
                    self.publish()?;
                    match input.recv() {
                        Ok(received) => received,
                        Err(_) => return Ok(self.state == State::ShutDown),
                    }
                }
            };
            match received {
                Received::Malformed(reason) => self.refuse(ErrorCode::ParseError, &reason)?,
                Received::Value(value) => match serde_json::from_value::<Message>(value) {
                    Ok(Message::Request(request)) => self.request(request)?,
                    Ok(Message::Notification(told)) if told.method == notification::Exit::METHOD => {
                        return Ok(self.state == State::ShutDown);
                    }
                    Ok(Message::Notification(told)) => self.notification(told),
                    Ok(Message::Response(_)) => {}
                    Err(_) => self.refuse(ErrorCode::InvalidRequest, "this is no request, response or notification")?,
                },
            }
        }
    }

    /// Answers what has no number that could be understood.
    fn refuse(&mut self, code: ErrorCode, reason: &str) -> io::Result<()> {
        let error = json!({"code": code as i32, "message": reason});
        transport::write(&mut self.output, &json!({"jsonrpc": "2.0", "id": null, "error": error}))
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        let mut value = serde_json::to_value(message)?;
        value["jsonrpc"] = "2.0".into();
        transport::write(&mut self.output, &value)
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let id = request.id.clone();
        let is_about_text = request.method.starts_with("textDocument/");
        if is_about_text && self.state == State::Running {
            // The answer is about the text as it is now.
            self.publish()?;
        }
        let response = catch_unwind(AssertUnwindSafe(|| self.answer(request))).unwrap_or_else(|_| {
            Response::new_err(id, ErrorCode::InternalError as i32, "the server failed at this; please report it".into())
        });
        self.send(response.into())
    }

    fn answer(&mut self, request: Request) -> Response {
        let id = request.id.clone();
        let fail = |code: ErrorCode, message: &str| Response::new_err(id.clone(), code as i32, message.to_owned());
        match (self.state, request.method.as_str()) {
            (State::New, request::Initialize::METHOD) => self.initialize(request),
            (State::New, _) => fail(ErrorCode::ServerNotInitialized, "the first request is 'initialize'"),
            (State::ShutDown, _) => fail(ErrorCode::InvalidRequest, "the server is shut down; only 'exit' may follow"),
            (State::Running, request::Initialize::METHOD) => {
                fail(ErrorCode::InvalidRequest, "'initialize' was there before")
            }
            (State::Running, request::Shutdown::METHOD) => {
                self.state = State::ShutDown;
                Response::new_ok(id, Value::Null)
            }
            (State::Running, request::GotoDefinition::METHOD) => with(request, |params: GotoDefinitionParams| {
                let place = self.place(&params.text_document_position_params)?;
                place.definition(&self.programs).map(GotoDefinitionResponse::Scalar)
            }),
            (State::Running, request::HoverRequest::METHOD) => {
                with(request, |params: HoverParams| hover::hover(&self.place(&params.text_document_position_params)?))
            }
            (State::Running, request::Completion::METHOD) => with(request, |params: CompletionParams| {
                let place = self.place(&params.text_document_position)?;
                Some(CompletionResponse::Array(completion::completion(&place)))
            }),
            (State::Running, request::DocumentSymbolRequest::METHOD) => {
                with(request, |params: DocumentSymbolParams| {
                    let path = files::path(&params.text_document.uri)?;
                    outline::symbols(&self.programs, &path).map(DocumentSymbolResponse::Nested)
                })
            }
            (State::Running, method) => {
                fail(ErrorCode::MethodNotFound, &format!("this server does not know the method '{method}'"))
            }
        }
    }

    fn place(&self, at: &TextDocumentPositionParams) -> Option<Place> {
        Place::new(&self.programs, &files::path(&at.text_document.uri)?, at.position)
    }

    fn initialize(&mut self, request: Request) -> Response {
        let id = request.id.clone();
        let params: InitializeParams = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(error) => return wrong_parameters(id, &error),
        };
        let given = params.initialization_options.filter(|options| !options.is_null());
        let settings: Settings = match given.map_or(Ok(Settings::default()), serde_json::from_value) {
            Ok(settings) => settings,
            Err(error) => return wrong_parameters(id, &error),
        };
        #[allow(deprecated)] // Editors send it still, and it is the only folder of many.
        let root = params.workspace_folders.and_then(|list| Some(list.into_iter().next()?.uri)).or(params.root_uri);
        let folder = root.and_then(|uri| files::path(&uri));
        self.programs = Programs::new(syntax_options(&self.options, &settings, folder.as_deref()));
        self.state = State::Running;
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::FULL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        };
        let capabilities = ServerCapabilities {
            text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
            definition_provider: Some(OneOf::Left(true)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            document_symbol_provider: Some(OneOf::Left(true)),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(vec![".".to_owned()]),
                ..CompletionOptions::default()
            }),
            ..ServerCapabilities::default()
        };
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        let server_info = Some(ServerInfo { name: "p4-language-server".to_owned(), version });
        Response::new_ok(id, InitializeResult { capabilities, server_info })
    }

    /// A notification that cannot be understood is passed over, as the protocol has it.
    fn notification(&mut self, told: Notification) {
        if self.state != State::Running {
            return;
        }
        match told.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                if let Some(params) = read::<DidOpenTextDocumentParams>(told) {
                    let document = params.text_document;
                    self.set(&document.uri, document.version, &document.text);
                }
            }
            notification::DidChangeTextDocument::METHOD => {
                if let Some(params) = read::<DidChangeTextDocumentParams>(told)
                    // Each is the whole text.
                    && let Some(change) = params.content_changes.into_iter().rev().find(|change| change.range.is_none())
                {
                    self.set(&params.text_document.uri, params.text_document.version, &change.text);
                }
            }
            notification::DidSaveTextDocument::METHOD => {
                let path =
                    read::<DidSaveTextDocumentParams>(told).and_then(|params| files::path(&params.text_document.uri));
                if let Some(path) = path.filter(|path| self.uris.contains_key(path)) {
                    self.programs.saved(&path);
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                let path =
                    read::<DidCloseTextDocumentParams>(told).and_then(|params| files::path(&params.text_document.uri));
                if let Some(path) = path {
                    self.versions.remove(&path);
                    self.programs.close(&path);
                }
            }
            _ => {}
        }
    }

    fn set(&mut self, uri: &Uri, version: i32, text: &str) {
        let Some(path) = files::path(uri) else { return };
        self.versions.insert(path.clone(), version);
        self.uris.insert(path.clone(), uri.clone());
        self.programs.set(&path, text);
    }

    /// Looks at what has changed, and tells the messages.
    fn publish(&mut self) -> io::Result<()> {
        let publications: Publications = self.programs.update();
        for (path, diagnostics) in publications {
            let Some(uri) = self.uris.get(&path).cloned().or_else(|| files::uri(&path)) else { continue };
            let version = self.versions.get(&path).copied();
            let params = PublishDiagnosticsParams { uri, diagnostics, version };
            let method = notification::PublishDiagnostics::METHOD.to_owned();
            self.send(Notification::new(method, params).into())?;
        }
        Ok(())
    }
}

fn read<P: DeserializeOwned>(told: Notification) -> Option<P> {
    serde_json::from_value(told.params).ok()
}

fn wrong_parameters(id: RequestId, error: &serde_json::Error) -> Response {
    Response::new_err(id, ErrorCode::InvalidParams as i32, format!("these parameters are wrong: {error}"))
}

/// Answers a request with the result for its parameters, or `null`.
fn with<P: DeserializeOwned, R: serde::Serialize>(request: Request, answer: impl FnOnce(P) -> Option<R>) -> Response {
    match serde_json::from_value(request.params) {
        Ok(params) => Response::new_ok(request.id, answer(params)),
        Err(error) => wrong_parameters(request.id, &error),
    }
}
