//! Lists, structures, `{#}` and default values.

use super::Checker;
use crate::typed::{Expr, ExprKind, Field, Span, StructId, StructKind, StructType, Type, Value};
use num_bigint::BigInt;
use p4_syntax::{Kind, ast};
use std::rc::Rc;

/// Default values nested deeper than this are not made.
const MAX_DEPTH: usize = 50;

impl<'a> Checker<'a> {
    /// `{ a, b }`
    pub(super) fn list(&mut self, items: &'a [ast::Expr], want: Option<&Type>, span: Span) -> Expr {
        let (parts, is_struct): (Vec<Type>, bool) = match want {
            Some(Type::Struct(id) | Type::Header(id)) => (self.field_types(*id), true),
            Some(Type::Tuple(types)) => (types.to_vec(), false),
            Some(Type::Stack(element, size)) => (vec![(**element).clone(); *size as usize], false),
            Some(Type::List(element)) => (vec![(**element).clone(); items.len()], false),
            _ => return self.free_list(items, span),
        };
        let dots = matches!(items.last().map(|item| &item.kind), Some(ast::ExprKind::Dots));
        let given = if dots { &items[..items.len() - 1] } else { items };
        let fits = given.len() == parts.len() || dots && given.len() <= parts.len();
        if !fits {
            let shown = want.map_or_else(String::new, |ty| self.show(ty));
            for item in given {
                self.expr(item, None);
            }
            let message = format!("'{shown}' has {} parts, {} given", parts.len(), given.len());
            self.error(span, message);
            return self.wrong(span);
        }
        let mut values: Vec<Expr> = given.iter().zip(&parts).map(|(item, ty)| self.expr_as(item, ty)).collect();
        for ty in parts.iter().skip(given.len()) {
            values.push(self.default_value(ty, span));
        }
        let kind = if is_struct { ExprKind::Struct(values) } else { ExprKind::List(values) };
        Expr { kind, ty: want.cloned().unwrap_or(Type::Unknown), span }
    }

    fn free_list(&mut self, items: &'a [ast::Expr], span: Span) -> Expr {
        let values: Vec<Expr> = items.iter().map(|item| self.expr(item, None)).collect();
        let ty = Type::Tuple(values.iter().map(|value| value.ty.clone()).collect());
        Expr { kind: ExprKind::List(values), ty, span }
    }

    /// `{ a = x, … }`
    pub(super) fn structure_literal(
        &mut self,
        fields: &'a [(ast::Ident, ast::Expr)],
        dots: bool,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        for (position, (name, _)) in fields.iter().enumerate() {
            if let Some((before, _)) = fields[..position].iter().find(|(other, _)| other.name == name.name) {
                let before = before.span;
                let message = format!("field '{}' is given twice", name.name);
                self.error_of(Kind::Duplicate, name.span, message).note_at(before, "given here before");
                return self.wrong(span);
            }
        }
        match want {
            Some(Type::Struct(id) | Type::Header(id)) => {
                self.named_fields(*id, fields, dots, want.cloned().unwrap_or(Type::Unknown), span)
            }
            _ => self.free_structure(fields, dots, span),
        }
    }

    fn named_fields(
        &mut self,
        id: StructId,
        given: &'a [(ast::Ident, ast::Expr)],
        dots: bool,
        ty: Type,
        span: Span,
    ) -> Expr {
        let wanted = self.program[id].fields.clone();
        for (name, value) in given {
            if !wanted.iter().any(|field| field.name == name.name) {
                self.expr(value, None);
                let message = format!("'{}' has no field '{}'", self.show(&ty), name.name);
                self.error(name.span, message);
                return self.wrong(span);
            }
        }
        let mut values = Vec::new();
        for field in &wanted {
            let found = given.iter().find(|(name, _)| name.name == field.name);
            match found {
                Some((_, value)) => values.push(self.expr_as(value, &field.ty)),
                None if dots => values.push(self.default_value(&field.ty, span)),
                None => {
                    let message = format!("no value for field '{}' of '{}'", field.name, self.show(&ty));
                    self.error(span, message)
                        .help("end the list with '...' to give all other fields their default values");
                    return self.wrong(span);
                }
            }
        }
        Expr { kind: ExprKind::Struct(values), ty, span }
    }

    /// Without a type that is wanted, it gets a structure of its own, without name.
    fn free_structure(&mut self, given: &'a [(ast::Ident, ast::Expr)], dots: bool, span: Span) -> Expr {
        if dots {
            self.error(span, "'...' is only allowed where the type of the value is known");
            return self.wrong(span);
        }
        let mut fields = Vec::new();
        let mut values = Vec::new();
        for (name, value) in given {
            let value = self.expr(value, None);
            fields.push(Field {
                name: name.name.clone(),
                ty: value.ty.clone(),
                annotations: Vec::new(),
                span: name.span,
            });
            values.push(value);
        }
        let id = self.anonymous_structure(fields, span);
        Expr { kind: ExprKind::Struct(values), ty: Type::Struct(id), span }
    }

    fn anonymous_structure(&mut self, fields: Vec<Field>, span: Span) -> StructId {
        let id = StructId::from_index(self.program.structs.len());
        self.program.structs.push(StructType {
            kind: StructKind::Struct,
            name: "".into(),
            type_args: Vec::new(),
            fields,
            annotations: Vec::new(),
            span,
        });
        id
    }

    /// Is it the type of a structure literal that nothing has given a type?
    pub(super) fn is_anonymous(&self, ty: &Type) -> bool {
        matches!(ty, Type::Struct(id) if self.program[*id].name.is_empty())
    }

    /// `{#}`
    pub(super) fn invalid_literal(&mut self, want: Option<&Type>, span: Span) -> Expr {
        match want {
            Some(ty @ (Type::Header(_) | Type::Union(_))) => Expr { kind: ExprKind::Invalid, ty: ty.clone(), span },
            Some(Type::Unknown) => self.wrong(span),
            Some(other) => {
                let message = format!("'{{#}}' is an invalid header, but '{}' is expected", self.show(other));
                self.error(span, message);
                self.wrong(span)
            }
            None => {
                self.error(span, "the type of '{#}' is not known here").help("write it with a cast: (T){#}");
                self.wrong(span)
            }
        }
    }

    /// The default value of a type, as `...` gives it.
    pub(super) fn default_value(&mut self, ty: &Type, span: Span) -> Expr {
        self.default_value_at(ty, span, 0)
    }

    fn default_value_at(&mut self, ty: &Type, span: Span, depth: usize) -> Expr {
        let zero = || Value::Int(BigInt::from(0));
        let kind = match ty {
            _ if depth > MAX_DEPTH => ExprKind::Invalidated,
            Type::Bit(_) | Type::Int(_) | Type::Integer => ExprKind::Literal(zero()),
            Type::Bool => ExprKind::Literal(Value::Bool(false)),
            Type::Error => ExprKind::Literal(self.no_error()),
            Type::String => ExprKind::Literal(Value::String("".into())),
            Type::Enum(id) => match self.program[*id].underlying {
                Some(_) => ExprKind::Literal(zero()),
                None => ExprKind::Literal(Value::Enum(0)),
            },
            Type::New(id) => {
                let underlying = self.program[*id].underlying.clone();
                self.default_value_at(&underlying, span, depth + 1).kind
            }
            Type::Header(_) | Type::Union(_) => ExprKind::Invalid,
            Type::Struct(id) => {
                let types = self.field_types(*id);
                ExprKind::Struct(self.default_values(&types, span, depth))
            }
            Type::Tuple(items) => ExprKind::List(self.default_values(items, span, depth)),
            Type::Stack(element, size) => {
                let item = self.default_value_at(&Rc::clone(element), span, depth + 1);
                ExprKind::List(vec![item; *size as usize])
            }
            Type::Unknown => ExprKind::Invalidated,
            other => {
                let message = format!("type '{}' has no default value", self.show(other));
                self.error(span, message);
                return self.wrong(span);
            }
        };
        Expr { kind, ty: ty.clone(), span }
    }

    fn default_values(&mut self, types: &[Type], span: Span, depth: usize) -> Vec<Expr> {
        types.iter().map(|ty| self.default_value_at(ty, span, depth + 1)).collect()
    }
}
