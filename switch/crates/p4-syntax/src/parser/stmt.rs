//! Statements.

use super::{Abort, Parsed, Parser};
use crate::ast::{
    Annotation, BinaryOp, Block, ConstantDecl, Expr, ExprKind, InstanceDecl, Statement, StatementKind, SwitchCase,
    Type, VariableDecl,
};
use crate::token::TokenKind;

/// Longer chains of `else if` are refused, because later passes recurse.
const MAX_BRANCHES: usize = 10_000;

impl Parser<'_> {
    /// `{ … }` with annotations that were read already.
    pub(super) fn block(&mut self, annotations: Vec<Annotation>) -> Parsed<Block> {
        let start = self.expect("{", "at the beginning of a block")?;
        let statements = self.scoped(Self::statements_until_brace)?;
        Ok(Block { annotations, statements, span: start.to(self.previous_span()) })
    }

    fn statements_until_brace(&mut self) -> Parsed<Vec<Statement>> {
        let mut list = Vec::new();
        while !self.eat("}") {
            if self.at_end() {
                return self.fail("'}' at the end of the block");
            }
            self.push_statement(&mut list)?;
        }
        Ok(list)
    }

    /// Reads a statement; after an error in it, goes on behind its end.
    pub(super) fn push_statement(&mut self, list: &mut Vec<Statement>) -> Parsed<()> {
        let (start, scopes, nesting, no_greater) = (self.position, self.scopes.len(), self.nesting, self.no_greater);
        match self.statement() {
            Ok(statement) => list.push(statement),
            Err(Abort) => {
                if self.attempts > 0 || self.diagnostics.is_full() {
                    return Err(Abort);
                }
                self.scopes.truncate(scopes);
                self.nesting = nesting;
                self.no_greater = no_greater;
                self.skip_statement(start);
            }
        }
        Ok(())
    }

    /// Skips to behind the next `;`, or to the `}` that closes the block.
    fn skip_statement(&mut self, start: usize) {
        let mut depth = 0usize;
        for token in &self.tokens[start..self.position.max(start)] {
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth = depth.saturating_sub(1);
            }
        }
        while !self.at_end() {
            if self.at("}") && depth == 0 {
                return;
            }
            let token = self.advance();
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            } else if token.is(";") && depth == 0 {
                return;
            }
        }
    }

    /// A statement or a declaration among statements.
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        self.nested(|parser| {
            let start = parser.span();
            let annotations = parser.annotations()?;
            let kind = parser.statement_kind(annotations)?;
            Ok(Statement { kind, span: start.to(parser.previous_span()) })
        })
    }

    fn statement_kind(&mut self, annotations: Vec<Annotation>) -> Parsed<StatementKind> {
        let keyword = match &self.token().kind {
            TokenKind::Keyword(word) | TokenKind::Symbol(word) => *word,
            _ => "",
        };
        match keyword {
            "{" => return Ok(StatementKind::Block(self.block(annotations)?)),
            "for" => return self.for_loop(annotations),
            "const" => return Ok(StatementKind::Constant(self.constant(annotations)?)),
            ";" => {
                self.advance();
                return Ok(StatementKind::Empty);
            }
            "if" => return self.if_statement(),
            "switch" => return self.switch(),
            "return" => {
                self.advance();
                let value = if self.at(";") { None } else { Some(self.expression()?) };
                self.expect(";", "after 'return'")?;
                return Ok(StatementKind::Return(value));
            }
            "exit" | "break" | "continue" => {
                self.advance();
                self.expect(";", &format!("after '{keyword}'"))?;
                return Ok(match keyword {
                    "exit" => StatementKind::Exit,
                    "break" => StatementKind::Break,
                    _ => StatementKind::Continue,
                });
            }
            _ => {}
        }
        if self.at_declaration() {
            return self.declaration_statement(annotations);
        }
        let kind = self.assignment_or_call()?;
        self.expect(";", "at the end of the statement")?;
        Ok(kind)
    }

    /// Does a declaration `T x` begin here? An unknown name followed by a name is taken for a type, too.
    fn at_declaration(&self) -> bool {
        if self.at_type() {
            return true;
        }
        matches!(self.token().kind, TokenKind::Identifier(_))
            && matches!(self.token_at(1).kind, TokenKind::Identifier(_))
    }

    fn declaration_statement(&mut self, annotations: Vec<Annotation>) -> Parsed<StatementKind> {
        let ty = self.type_ref()?;
        if self.eat(".") {
            let method = self.name("'apply' after '.'")?;
            let args = self.arguments()?;
            self.expect(";", "at the end of the statement")?;
            return Ok(StatementKind::DirectApply { ty, method, args });
        }
        if self.at("(") {
            return Ok(StatementKind::Instance(self.instance(annotations, ty)?));
        }
        let variable = self.variable(annotations, ty)?;
        self.expect(";", "at the end of the declaration")?;
        Ok(StatementKind::Variable(variable))
    }

    /// `x = v` after its type; without semicolon.
    pub(super) fn variable(&mut self, annotations: Vec<Annotation>, ty: Type) -> Parsed<VariableDecl> {
        let name = self.name("the name of the variable")?;
        let ty = self.stack_suffix(ty)?;
        let value = if self.eat("=") { Some(self.expression()?) } else { None };
        self.declare(&name, false);
        Ok(VariableDecl { annotations, ty, name, value })
    }

    pub(super) fn constant(&mut self, annotations: Vec<Annotation>) -> Parsed<ConstantDecl> {
        self.expect("const", "before a constant")?;
        let ty = self.type_ref()?;
        let name = self.name("the name of the constant")?;
        let ty = self.stack_suffix(ty)?;
        self.expect("=", "and a value after the name of a constant")?;
        let value = self.expression()?;
        self.expect(";", "at the end of the declaration")?;
        self.declare(&name, false);
        Ok(ConstantDecl { annotations, ty, name, value })
    }

    /// `(args) x = { … };` after its type.
    pub(super) fn instance(&mut self, annotations: Vec<Annotation>, ty: Type) -> Parsed<InstanceDecl> {
        let args = self.arguments()?;
        let name = self.name("the name of the instance")?;
        let initializer = if self.eat("=") {
            self.expect("{", "before the instance's declarations")?;
            Some(self.scoped(Self::initializer_until_brace)?)
        } else {
            None
        };
        self.expect(";", "at the end of the declaration")?;
        self.declare(&name, false);
        Ok(InstanceDecl { annotations, ty, args, name, initializer })
    }

    /// `target = value`, `target op= value` or a call; without semicolon.
    fn assignment_or_call(&mut self) -> Parsed<StatementKind> {
        let target = self.postfix()?;
        let operator = match self.assignment_operator() {
            Some((operator, tokens)) => {
                self.position += tokens;
                operator
            }
            None => return self.call_statement(target),
        };
        let value = self.expression()?;
        Ok(StatementKind::Assign { target, operator, value })
    }

    fn call_statement(&mut self, expr: Expr) -> Parsed<StatementKind> {
        match expr.kind {
            ExprKind::Call { .. } => Ok(StatementKind::Call(expr)),
            ExprKind::Construct { .. } => {
                self.error(expr.span, "an object is made here but not used; give it a name");
                Err(Abort)
            }
            _ => self.fail("'=', or '(' and arguments"),
        }
    }

    fn assignment_operator(&self) -> Option<(Option<BinaryOp>, usize)> {
        let TokenKind::Symbol(text) = self.token().kind else {
            return None;
        };
        let operator = match text {
            "=" => return Some((None, 1)),
            ">" if self.next_is(1, ">=") && !self.token_at(1).space_before => {
                return Some((Some(BinaryOp::ShiftRight), 2));
            }
            "+=" => BinaryOp::Add,
            "-=" => BinaryOp::Sub,
            "|+|=" => BinaryOp::SaturatingAdd,
            "|-|=" => BinaryOp::SaturatingSub,
            "*=" => BinaryOp::Mul,
            "/=" => BinaryOp::Div,
            "%=" => BinaryOp::Mod,
            "<<=" => BinaryOp::ShiftLeft,
            "&=" => BinaryOp::BitAnd,
            "|=" => BinaryOp::BitOr,
            "^=" => BinaryOp::BitXor,
            _ => return None,
        };
        Some((Some(operator), 1))
    }

    /// `if … else if … else …`: a level for the tree at each `if`, none for a reader, so it is read in a loop.
    fn if_statement(&mut self) -> Parsed<StatementKind> {
        let mut branches = Vec::new();
        let mut no: Option<Box<Statement>> = None;
        loop {
            let start = self.span();
            self.advance();
            self.expect("(", "after 'if'")?;
            let condition = self.expression()?;
            self.expect(")", "after the condition")?;
            let yes = Box::new(self.scoped(Self::statement)?);
            branches.push((start, condition, yes));
            if branches.len() > MAX_BRANCHES {
                self.error(
                    start,
                    format!("more than {MAX_BRANCHES} branches of 'else if'; a table can choose among them"),
                );
                return Err(Abort);
            }
            if !self.eat("else") {
                break;
            }
            if !self.at("if") {
                no = Some(Box::new(self.scoped(Self::statement)?));
                break;
            }
        }
        let end = self.previous_span();
        loop {
            let Some((start, condition, yes)) = branches.pop() else { return Err(Abort) };
            let kind = StatementKind::If { condition, yes, no };
            if branches.is_empty() {
                return Ok(kind);
            }
            no = Some(Box::new(Statement { kind, span: start.to(end) }));
        }
    }

    fn switch(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.expect("(", "after 'switch'")?;
        let value = self.expression()?;
        self.expect(")", "after the value")?;
        self.expect("{", "before the cases")?;
        let mut cases = Vec::new();
        while !self.eat("}") {
            let start = self.span();
            let label = if self.eat("default") {
                Expr { kind: ExprKind::Any, span: start, depth: 1 }
            } else {
                self.expression()?
            };
            self.expect(":", "after the label of a case")?;
            let body = if self.at("{") || self.at("@") {
                let annotations = self.annotations()?;
                Some(self.block(annotations)?)
            } else {
                None
            };
            cases.push(SwitchCase { label, body, span: start.to(self.previous_span()) });
        }
        Ok(StatementKind::Switch { value, cases })
    }

    fn for_loop(&mut self, annotations: Vec<Annotation>) -> Parsed<StatementKind> {
        self.advance();
        self.expect("(", "after 'for'")?;
        self.scoped(|parser| {
            let start = parser.position;
            let variable_annotations = parser.annotations()?;
            let ty = if parser.at_declaration() { Some(parser.type_ref()?) } else { None };
            if parser.peek_name(0).is_some() && parser.next_is(1, "in") {
                if ty.is_none() {
                    return parser.fail("the type of the loop's variable");
                }
                let variable = parser.name("the loop's variable")?;
                parser.advance();
                parser.declare(&variable, false);
                let domain = parser.simple_set()?;
                parser.expect(")", "after the range of the loop")?;
                let body = Box::new(parser.scoped(Self::statement)?);
                return Ok(StatementKind::ForIn { annotations, ty, variable_annotations, variable, domain, body });
            }
            parser.position = start;
            let init = parser.for_clause(";", true)?;
            let condition = parser.expression()?;
            parser.expect(";", "after the loop's condition")?;
            let update = parser.for_clause(")", false)?;
            let body = Box::new(parser.scoped(Self::statement)?);
            Ok(StatementKind::For { annotations, init, condition, update, body })
        })
    }

    /// Statements between commas, up to `end`.
    fn for_clause(&mut self, end: &str, declarations: bool) -> Parsed<Vec<Statement>> {
        let mut list = Vec::new();
        while !self.eat(end) {
            if !list.is_empty() {
                self.expect(",", &format!("or '{end}' in the head of the loop"))?;
            }
            let start = self.span();
            let annotations = self.annotations()?;
            let kind = if declarations && self.at_declaration() {
                let ty = self.type_ref()?;
                StatementKind::Variable(self.variable(annotations, ty)?)
            } else {
                self.assignment_or_call()?
            };
            list.push(Statement { kind, span: start.to(self.previous_span()) });
        }
        Ok(list)
    }
}
