//! `base.name`, where it is not called.

use super::Checker;
use super::scope::Symbol;
use crate::eval;
use crate::typed::{EnumId, Expr, ExprKind, Span, TableId, Type, Value};
use p4_syntax::ast;

impl<'a> Checker<'a> {
    pub(super) fn member(&mut self, base: &'a ast::Expr, name: &'a ast::Ident, span: Span) -> Expr {
        if let ast::ExprKind::Type(ty) = &base.kind {
            return self.member_of_type(ty, name, span);
        }
        if let Some(table) = self.applied_table(base) {
            return self.apply_result(table, name, span);
        }
        let base = self.expr(base, None);
        match base.ty.clone() {
            Type::Struct(id) | Type::Header(id) | Type::Union(id) => {
                let Some(field) = self.program[id].field_index(&name.name) else {
                    return self.no_member(&base, name, span);
                };
                let ty = self.program[id].fields[field].ty.clone();
                let base = Box::new(base);
                let kind = ExprKind::Field { base, field };
                eval::fold(&self.program, Expr { kind, ty, span })
            }
            Type::Stack(element, size) => self.member_of_stack(base, (*element).clone(), size, name, span),
            Type::Unknown => self.wrong(span),
            _ => self.no_member(&base, name, span),
        }
    }

    fn no_member(&mut self, base: &Expr, name: &ast::Ident, span: Span) -> Expr {
        let message = format!("'{}' has no field '{}'", self.show(&base.ty), name.name);
        let known: Vec<String> = match &base.ty {
            Type::Struct(id) | Type::Header(id) | Type::Union(id) => {
                self.program[*id].fields.iter().map(|field| field.name.to_string()).collect()
            }
            _ => Vec::new(),
        };
        let diagnostic = self.error(name.span, message);
        if !known.is_empty() && known.len() <= 20 {
            diagnostic.help(format!("it has: {}", known.join(", ")));
        }
        self.wrong(span)
    }

    fn member_of_stack(&mut self, base: Expr, element: Type, size: u32, name: &ast::Ident, span: Span) -> Expr {
        let in_parser = self.context.place == super::Place::Parser;
        let kind = match &*name.name {
            "size" => return self.literal(Value::Int(size.into()), Type::Bit(32), span),
            "lastIndex" => {
                if !in_parser {
                    self.error(span, "'lastIndex' can only be used in a parser");
                }
                return Expr { kind: ExprKind::StackLastIndex(Box::new(base)), ty: Type::Bit(32), span };
            }
            "next" => ExprKind::StackNext(Box::new(base)),
            "last" => ExprKind::StackLast(Box::new(base)),
            _ => {
                let message = format!("a header stack has no '{}'", name.name);
                self.error(name.span, message).help("it has: next, last, lastIndex, size, push_front(n), pop_front(n)");
                return self.wrong(span);
            }
        };
        if !in_parser {
            let message = format!("'{}' can only be used in a parser", name.name);
            self.error(span, message);
        }
        Expr { kind, ty: element, span }
    }

    fn member_of_type(&mut self, ty: &'a ast::Type, name: &ast::Ident, span: Span) -> Expr {
        match self.resolve_type(ty) {
            Type::Error => self.error_literal(name, span),
            Type::Enum(id) => self.enum_literal(id, name, span),
            Type::Unknown => self.wrong(span),
            other => {
                let message = format!("type '{}' has no member '{}'", self.show(&other), name.name);
                self.error(name.span, message);
                self.wrong(span)
            }
        }
    }

    fn enum_literal(&mut self, id: EnumId, name: &ast::Ident, span: Span) -> Expr {
        let entry = &self.program[id];
        let Some(position) = entry.members.iter().position(|item| item.name == name.name) else {
            let message = format!("enumeration '{}' has no member '{}'", entry.name, name.name);
            self.error(name.span, message);
            return self.wrong(span);
        };
        let value = if entry.underlying.is_some() {
            Value::Int(entry.members[position].value.clone())
        } else {
            Value::Enum(u32::try_from(position).unwrap_or(u32::MAX))
        };
        self.literal(value, Type::Enum(id), span)
    }

    /// The table in `t.apply()`.
    pub(super) fn applied_table(&mut self, expr: &ast::Expr) -> Option<TableId> {
        let ast::ExprKind::Call { callee, .. } = &expr.kind else {
            return None;
        };
        let ast::ExprKind::Member(base, name) = &callee.kind else {
            return None;
        };
        let ast::ExprKind::Path(path) = &base.kind else {
            return None;
        };
        match self.find(path) {
            Some(Symbol::Table(id)) if &*name.name == "apply" => Some(id),
            _ => None,
        }
    }

    /// `t.apply().hit` and `.miss`
    fn apply_result(&mut self, table: TableId, name: &ast::Ident, span: Span) -> Expr {
        self.check_table_place(span);
        let kind = match &*name.name {
            "hit" => ExprKind::TableHit(table),
            "miss" => ExprKind::TableMiss(table),
            "action_run" => {
                self.error(span, "'action_run' can only be the value of a 'switch'");
                return self.wrong(span);
            }
            _ => {
                let message = format!("the result of a table has no '{}'", name.name);
                self.error(name.span, message).help("it has: hit, miss, action_run");
                return self.wrong(span);
            }
        };
        Expr { kind, ty: Type::Bool, span }
    }

    /// Tables are applied in controls only.
    pub(super) fn check_table_place(&mut self, span: Span) {
        if self.context.place != super::Place::Control {
            self.error(span, "a table can only be applied in the 'apply' block of a control");
        }
    }
}
