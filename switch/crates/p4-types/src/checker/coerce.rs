//! Conversions: implicit ones, and casts that the program asks for.

use super::Checker;
use crate::eval;
use crate::typed::{EnumId, Expr, ExprKind, Span, StructId, Type, Value};
use num_traits::{One, Zero};
use p4_syntax::Kind;

impl Checker<'_> {
    /// Does a value of type `from` become one of type `to` without a cast? (Literals of structures are looked at
    /// in [`Checker::coerce`].)
    pub(super) fn converts(&self, from: &Type, to: &Type) -> bool {
        if from == to {
            return true;
        }
        match (from, to) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Integer, Type::Bit(_) | Type::Int(_)) => true,
            (Type::Enum(id), _) => match self.program[*id].underlying.clone() {
                Some(underlying) => underlying == *to || self.program.strip_new_types(&underlying) == *to,
                None => false,
            },
            (Type::Tuple(items), Type::List(element)) => items.iter().all(|item| self.converts(item, element)),
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.converts(a, b))
            }
            _ => false,
        }
    }

    /// Makes `expr` a value of type `to`, with an implicit cast if that is allowed; otherwise a message.
    pub(super) fn coerce(&mut self, expr: Expr, to: &Type) -> Expr {
        if expr.ty == *to || matches!(to, Type::Unknown) {
            return expr;
        }
        if matches!(expr.ty, Type::Unknown) || matches!(expr.kind, ExprKind::Invalidated) {
            return Expr { ty: to.clone(), ..expr };
        }
        if let Some(converted) = self.coerce_aggregate(&expr, to) {
            return converted;
        }
        // A number without width may be given where a `type` of numbers is wanted.
        let becomes_new = matches!((&expr.ty, to), (Type::Integer, Type::New(_)))
            && matches!(self.program.strip_new_types(to), Type::Bit(_) | Type::Int(_));
        if becomes_new || self.converts(&expr.ty, to) {
            if self.is_running_integer(&expr) {
                return self.narrow_integer(expr, to);
            }
            return self.cast_unchecked(expr, to.clone(), true);
        }
        if matches!(to, Type::Integer)
            && matches!(expr.ty, Type::Bit(_) | Type::Int(_))
            && matches!(expr.kind, ExprKind::Literal(_))
        {
            return self.cast_unchecked(expr, Type::Integer, false);
        }
        if self.apply_conforms(&expr, to) {
            return expr;
        }
        let (found, wanted) = (self.show(&expr.ty), self.show(to));
        let help = self.cast_allowed(&expr.ty, to).then(|| format!("a cast would do it: ({wanted})"));
        let diagnostic = self.error(expr.span, format!("expected a value of type '{wanted}', found '{found}'"));
        if let Some(help) = help {
            diagnostic.help(help);
        }
        self.wrong(expr.span)
    }

    /// A parser or control object where its type is wanted; or an object whose type has open parts.
    fn apply_conforms(&mut self, expr: &Expr, to: &Type) -> bool {
        Self::is_object(to) && self.unify(to, &expr.ty.clone(), &[], &mut super::generics::Bindings::new())
    }

    /// Takes literals of structures, lists and tuples apart.
    fn coerce_aggregate(&mut self, expr: &Expr, to: &Type) -> Option<Expr> {
        let span = expr.span;
        if matches!(expr.kind, ExprKind::List(_)) && !matches!(expr.ty, Type::Tuple(_)) {
            return None; // It has got its type already.
        }
        match (&expr.kind, to) {
            (ExprKind::List(items), Type::Tuple(types)) => {
                if items.len() != types.len() {
                    return Some(self.wrong_count(span, items.len(), types.len(), to));
                }
                let items = items.clone();
                let items = items.into_iter().zip(types.iter()).map(|(item, ty)| self.coerce(item, ty)).collect();
                Some(self.aggregate(ExprKind::List(items), to, span))
            }
            (ExprKind::List(items), Type::Struct(id) | Type::Header(id)) => {
                let types = self.field_types(*id);
                if items.len() != types.len() {
                    return Some(self.wrong_count(span, items.len(), types.len(), to));
                }
                let items = items.clone();
                let items = items.into_iter().zip(&types).map(|(item, ty)| self.coerce(item, ty)).collect();
                Some(self.aggregate(ExprKind::Struct(items), to, span))
            }
            (ExprKind::List(items), Type::List(element)) => {
                let items = items.clone();
                let items = items.into_iter().map(|item| self.coerce(item, element)).collect();
                Some(self.aggregate(ExprKind::List(items), to, span))
            }
            (ExprKind::List(items), Type::Stack(element, size)) => {
                if items.len() != *size as usize {
                    return Some(self.wrong_count(span, items.len(), *size as usize, to));
                }
                let items = items.clone();
                let items = items.into_iter().map(|item| self.coerce(item, element)).collect();
                Some(self.aggregate(ExprKind::List(items), to, span))
            }
            (ExprKind::Struct(items), Type::Struct(id) | Type::Header(id)) => {
                let Type::Struct(given) = &expr.ty else {
                    return None;
                };
                let anonymous = self.program[*given].name.is_empty();
                anonymous.then(|| self.coerce_named(*given, items.clone(), *id, to, span))
            }
            (ExprKind::Ternary { condition, yes, no }, _)
                if matches!(expr.ty, Type::Tuple(_))
                    && matches!(to, Type::Struct(_) | Type::Header(_) | Type::Tuple(_)) =>
            {
                let yes = Box::new(self.coerce((**yes).clone(), to));
                let no = Box::new(self.coerce((**no).clone(), to));
                let condition = condition.clone();
                Some(self.aggregate(ExprKind::Ternary { condition, yes, no }, to, span))
            }
            _ => None,
        }
    }

    fn aggregate(&self, kind: ExprKind, ty: &Type, span: Span) -> Expr {
        Expr { kind, ty: ty.clone(), span }
    }

    fn wrong_count(&mut self, span: Span, given: usize, wanted: usize, to: &Type) -> Expr {
        let message = format!("'{}' has {wanted} parts, {given} given", self.show(to));
        self.error(span, message);
        self.wrong(span)
    }

    /// Fields given by name, into the order of the structure.
    fn coerce_named(&mut self, given: StructId, items: Vec<Expr>, id: StructId, to: &Type, span: Span) -> Expr {
        let names: Vec<_> = self.program[given].fields.iter().map(|field| field.name.clone()).collect();
        let wanted = self.program[id].fields.clone();
        for (name, item) in names.iter().zip(&items) {
            if !wanted.iter().any(|field| field.name == *name) {
                let message = format!("'{}' has no field '{name}'", self.show(to));
                self.error(item.span, message);
                return self.wrong(span);
            }
        }
        let mut ordered = Vec::new();
        for field in &wanted {
            let position = names.iter().position(|name| *name == field.name);
            match position.and_then(|position| items.get(position)) {
                Some(item) => ordered.push(self.coerce(item.clone(), &field.ty)),
                None => {
                    let message = format!("no value for field '{}' of '{}'", field.name, self.show(to));
                    self.error(span, message)
                        .help("end the list with '...' to give all other fields their default values");
                    return self.wrong(span);
                }
            }
        }
        self.aggregate(ExprKind::Struct(ordered), to, span)
    }

    /// Types of the fields of a structure.
    pub(super) fn field_types(&self, id: StructId) -> Vec<Type> {
        self.program[id].fields.iter().map(|field| field.ty.clone()).collect()
    }

    /// A cast without looking whether it is allowed; `implicit` warns if a constant does not fit.
    pub(super) fn cast_unchecked(&mut self, expr: Expr, to: Type, implicit: bool) -> Expr {
        if expr.ty == to {
            return expr;
        }
        if implicit && let ExprKind::Literal(Value::Int(number)) = &expr.kind {
            let target = self.program.representation(&to);
            if matches!(expr.ty, Type::Integer) && !eval::fits(number, &target) {
                let kept = eval::wrap(number, &target);
                let message = format!("{number} does not fit into '{}'; {kept} is left of it", self.show(&to));
                self.diagnostics.warning_of(Kind::Overflow, expr.span, message);
            }
        }
        let span = expr.span;
        let cast = Expr { kind: ExprKind::Cast(Box::new(expr)), ty: to, span };
        eval::fold(&self.program, cast)
    }

    /// May a program write `(to) value`?
    pub(super) fn cast_allowed(&self, from: &Type, to: &Type) -> bool {
        if from == to {
            return true;
        }
        match (from, to) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::New(id), _) if matches!(to, Type::New(_)) => {
                self.program[*id].underlying == *to || {
                    let Type::New(target) = to else { return false };
                    self.program[*target].underlying == *from
                        || self.cast_allowed(
                            &self.program[*id].underlying.clone(),
                            &self.program[*target].underlying.clone(),
                        )
                }
            }
            (Type::New(id), _) => self.cast_allowed(&self.program[*id].underlying, to),
            (_, Type::New(id)) => {
                let underlying = &self.program[*id].underlying;
                from == underlying
                    || matches!(from, Type::Integer)
                    || self.converts(from, underlying)
                    || *from == self.program.strip_new_types(underlying)
            }
            // An enumeration casts to and from its own underlying type, not a wider or narrower one.
            (Type::Enum(_), Type::Enum(_)) => {
                let (from, to) = (self.program.representation(from), self.program.representation(to));
                from == to && matches!(from, Type::Bit(_) | Type::Int(_))
            }
            (Type::Enum(_), _) => self.converts(from, to),
            (_, Type::Enum(id)) => match &self.program[*id].underlying {
                Some(underlying) => matches!(from, Type::Integer) || self.converts(from, underlying),
                None => false,
            },
            (Type::Bit(_), Type::Bit(_)) | (Type::Int(_), Type::Int(_)) => true,
            (Type::Bit(a), Type::Int(b)) | (Type::Int(a), Type::Bit(b)) => a == b,
            (Type::Bit(1), Type::Bool) | (Type::Bool, Type::Bit(1)) => true,
            (Type::Integer, Type::Bit(_) | Type::Int(_) | Type::Bool) => true,
            (Type::Bit(_) | Type::Int(_), Type::Integer) => true,
            _ => self.converts(from, to),
        }
    }

    /// `(to) value`
    pub(super) fn explicit_cast(&mut self, expr: Expr, to: &Type, span: Span) -> Expr {
        if matches!(expr.kind, ExprKind::Invalidated) || matches!(to, Type::Unknown) {
            return self.wrong(span);
        }
        if let (ExprKind::Literal(Value::Int(number)), Type::Bool, Type::Integer) = (&expr.kind, to, &expr.ty)
            && !number.is_zero()
            && !number.is_one()
        {
            self.error_of(Kind::Invalid, span, format!("only 0 and 1 can be cast to 'bool', not {number}"));
            return self.wrong(span);
        }
        let aggregate =
            matches!(to, Type::Struct(_) | Type::Header(_) | Type::Tuple(_) | Type::List(_) | Type::Stack(..));
        if aggregate {
            let mut value = self.coerce(expr, to);
            value.span = span;
            return value;
        }
        if !self.cast_allowed(&expr.ty, to) {
            let message = format!("cannot cast '{}' to '{}'", self.show(&expr.ty), self.show(to));
            let different_sign = matches!((&expr.ty, to), (Type::Bit(_), Type::Int(_)) | (Type::Int(_), Type::Bit(_)));
            let diagnostic = self.error(span, message);
            if different_sign {
                diagnostic.help("change the width first, then the sign, in two casts");
            }
            return self.wrong(span);
        }
        let mut value = if self.is_running_integer(&expr) && !matches!(to, Type::Integer) {
            self.narrow_integer(expr, to)
        } else {
            self.cast_unchecked(expr, to.clone(), false)
        };
        value.span = span;
        value
    }

    /// A serializable enumeration becomes its underlying type, where numbers are calculated with.
    pub(super) fn plain_number(&mut self, expr: Expr) -> Expr {
        let Type::Enum(id) = &expr.ty else {
            return expr;
        };
        match self.underlying(*id) {
            Some(underlying) => self.cast_unchecked(expr, underlying, true),
            None => expr,
        }
    }

    pub(super) fn underlying(&self, id: EnumId) -> Option<Type> {
        self.program[id].underlying.clone()
    }
}
