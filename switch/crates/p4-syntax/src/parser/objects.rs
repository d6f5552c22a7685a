//! Parsers and controls.

use super::{Parsed, Parser};
use crate::ast::{
    Annotation, ControlBody, ControlDecl, Declaration, ParserBody, ParserDecl, SelectCaseDecl, StateDecl,
    StatementKind, TransitionDecl, ValueSetDecl,
};

impl Parser<'_> {
    pub(super) fn parser_declaration(&mut self, annotations: Vec<Annotation>) -> Parsed<ParserDecl> {
        self.advance();
        let name = self.name("the name of the parser")?;
        self.declare(&name, true);
        self.scoped(|parser| {
            let type_params = parser.type_params()?;
            let params = parser.parameters()?;
            let body = if parser.eat(";") { None } else { Some(parser.parser_body()?) };
            Ok(ParserDecl { annotations, name, type_params, params, body })
        })
    }

    fn parser_body(&mut self) -> Parsed<ParserBody> {
        let constructor_params = if self.at("(") { self.parameters()? } else { Vec::new() };
        self.expect("{", "before the parser's states (or ';' for a parser type)")?;
        let mut locals = Vec::new();
        let mut states = Vec::new();
        while !self.eat("}") {
            let annotations = self.annotations()?;
            if self.at("state") && self.peek_name(1).is_some() {
                states.push(self.state(annotations)?);
            } else if self.at("value_set") {
                locals.push(Declaration::ValueSet(self.value_set(annotations)?));
            } else if self.at("const") {
                locals.push(Declaration::Constant(self.constant(annotations)?));
            } else if states.is_empty() {
                locals.push(self.local(annotations, "a state or a local declaration")?);
            } else {
                return self.fail("'state' or '}'");
            }
        }
        if states.is_empty() {
            let span = self.previous_span();
            self.error(span, "a parser needs at least the state 'start'");
        }
        Ok(ParserBody { constructor_params, locals, states })
    }

    /// A variable or an instance.
    fn local(&mut self, annotations: Vec<Annotation>, expected: &str) -> Parsed<Declaration> {
        if !self.at_type() && self.peek_name(0).is_none() && !self.at(".") {
            return self.fail(expected);
        }
        let ty = self.type_ref()?;
        if self.at("(") {
            return self.instance(annotations, ty).map(Declaration::Instance);
        }
        let variable = self.variable(annotations, ty)?;
        self.expect(";", "at the end of the declaration")?;
        Ok(Declaration::Variable(variable))
    }

    fn value_set(&mut self, annotations: Vec<Annotation>) -> Parsed<ValueSetDecl> {
        self.advance();
        self.expect("<", "after 'value_set'")?;
        let element = self.type_ref()?;
        self.expect(">", "after the type of the elements")?;
        self.expect("(", "before the size")?;
        let size = self.expression()?;
        self.expect(")", "after the size")?;
        let name = self.name("the name of the value set")?;
        self.expect(";", "at the end of the declaration")?;
        self.declare(&name, false);
        Ok(ValueSetDecl { annotations, element, size, name })
    }

    fn state(&mut self, annotations: Vec<Annotation>) -> Parsed<StateDecl> {
        let start = self.advance().span;
        let name = self.name("the name of the state")?;
        self.expect("{", "before the state's statements")?;
        let (statements, transition) = self.scoped(|parser| {
            let mut statements = Vec::new();
            let mut transition = None;
            while !parser.eat("}") {
                if parser.at_end() {
                    return parser.fail("'}' at the end of the state");
                }
                if parser.at("transition") {
                    transition = Some(parser.transition()?);
                    parser.expect("}", "after the transition, which is the last of a state")?;
                    break;
                }
                parser.push_statement(&mut statements)?;
            }
            Ok((statements, transition))
        })?;
        for statement in &statements {
            self.refuse_in_state(&statement.kind, statement.span);
        }
        Ok(StateDecl { annotations, name, statements, transition, span: start.to(self.previous_span()) })
    }

    /// Statements that the grammar does not have in parser states.
    fn refuse_in_state(&mut self, kind: &StatementKind, span: crate::source::Span) {
        let what = match kind {
            StatementKind::Return(_) => "return",
            StatementKind::Exit => "exit",
            StatementKind::Switch { .. } => "switch",
            StatementKind::Block(block) => {
                for inner in &block.statements {
                    self.refuse_in_state(&inner.kind, inner.span);
                }
                return;
            }
            StatementKind::If { yes, no, .. } => {
                self.refuse_in_state(&yes.kind, yes.span);
                if let Some(no) = no {
                    self.refuse_in_state(&no.kind, no.span);
                }
                return;
            }
            _ => return,
        };
        self.error(span, format!("'{what}' is not allowed in a parser state"));
    }

    fn transition(&mut self) -> Parsed<TransitionDecl> {
        let start = self.advance().span;
        if !self.eat("select") {
            let next = self.name("the name of a state, or 'select'")?;
            self.expect(";", "after the transition")?;
            return Ok(TransitionDecl::Direct(next));
        }
        self.expect("(", "after 'select'")?;
        let keys = self.list_until(")", "after a key", Self::expression)?;
        self.expect("{", "before the cases")?;
        let mut cases = Vec::new();
        while !self.eat("}") {
            let set = self.key_set()?;
            self.expect(":", "after the set of a case")?;
            let next = self.name("the name of a state")?;
            self.expect(";", "at the end of the case")?;
            cases.push(SelectCaseDecl { set, next });
        }
        Ok(TransitionDecl::Select { keys, cases, span: start.to(self.previous_span()) })
    }

    pub(super) fn control_declaration(&mut self, annotations: Vec<Annotation>) -> Parsed<ControlDecl> {
        self.advance();
        let name = self.name("the name of the control")?;
        self.declare(&name, true);
        self.scoped(|parser| {
            let type_params = parser.type_params()?;
            let params = parser.parameters()?;
            let body = if parser.eat(";") { None } else { Some(parser.control_body()?) };
            Ok(ControlDecl { annotations, name, type_params, params, body })
        })
    }

    fn control_body(&mut self) -> Parsed<ControlBody> {
        let constructor_params = if self.at("(") { self.parameters()? } else { Vec::new() };
        self.expect("{", "before the control's declarations (or ';' for a control type)")?;
        let mut locals = Vec::new();
        loop {
            if self.at("apply") && (self.next_is(1, "{") || self.next_is(1, "@")) {
                self.advance();
                let annotations = self.annotations()?;
                let apply = self.block(annotations)?;
                self.expect("}", "after the 'apply' block, which is the last of a control")?;
                return Ok(ControlBody { constructor_params, locals, apply });
            }
            let annotations = self.annotations()?;
            let local = if self.at("action") {
                Declaration::Action(self.action(annotations)?)
            } else if self.at("table") {
                Declaration::Table(self.table(annotations)?)
            } else if self.at("const") {
                Declaration::Constant(self.constant(annotations)?)
            } else {
                self.local(annotations, "'apply', an action, a table or another local declaration")?
            };
            locals.push(local);
        }
    }
}
