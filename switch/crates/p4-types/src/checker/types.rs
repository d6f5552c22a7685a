//! Types as written to resolved types.

use super::Checker;
use super::scope::Symbol;
use crate::typed::{ExprKind, Span, Type, Value};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use p4_syntax::diagnostic::Stage;
use p4_syntax::lexer::MAX_WIDTH;
use p4_syntax::{Kind, ast};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// The type as P4 writes it, for messages.
    pub(super) fn show(&self, ty: &Type) -> String {
        crate::format::type_name_with(&self.program, &self.type_var_names, ty)
    }

    /// Resolves a type as written; wrong ones give a message and [`Type::Unknown`].
    pub(super) fn resolve_type(&mut self, ty: &'a ast::Type) -> Type {
        match &ty.kind {
            ast::TypeKind::Void => Type::Void,
            ast::TypeKind::Bool => Type::Bool,
            ast::TypeKind::Error => {
                if self.program.errors.is_empty() {
                    let diagnostic = self.error_of(Kind::NotFound, ty.span, "type 'error' is not declared");
                    diagnostic.at_stage(Stage::Names).help("include core.p4");
                    return Type::Unknown;
                }
                Type::Error
            }
            ast::TypeKind::MatchKind => Type::MatchKind,
            ast::TypeKind::String => Type::String,
            ast::TypeKind::Integer => Type::Integer,
            ast::TypeKind::Bit(None) => Type::Bit(1),
            ast::TypeKind::Bit(Some(width)) => self.width(width, 0).map_or(Type::Unknown, Type::Bit),
            ast::TypeKind::Int(width) => self.width(width, 1).map_or(Type::Unknown, Type::Int),
            ast::TypeKind::Varbit(width) => self.width(width, 0).map_or(Type::Unknown, Type::Varbit),
            ast::TypeKind::Name(path) => self.resolve_name(path, None, ty.span),
            ast::TypeKind::Specialized(path, args) => {
                let any = args.iter().find(|arg| matches!(arg.kind, ast::TypeKind::Any));
                if let (Some(any), Some(Symbol::StructTemplate(_))) = (any, self.find(path)) {
                    self.error(any.span, "'_' cannot be a type argument of a structure: its fields need types");
                    return Type::Unknown;
                }
                let args: Vec<Type> = args.iter().map(|arg| self.type_argument(arg)).collect();
                self.resolve_name(path, Some(args), ty.span)
            }
            ast::TypeKind::Stack(element, size) => self.stack_type(element, size),
            ast::TypeKind::Tuple(items) => {
                let items: Vec<Type> = items.iter().map(|item| self.element_type(item)).collect();
                self.limited_tuple(items, ty.span)
            }
            ast::TypeKind::List(element) => Type::List(Rc::new(self.element_type(element))),
            ast::TypeKind::Any => Type::Unknown,
        }
    }

    /// The type of elements of a tuple or list: `_` does not say enough.
    fn element_type(&mut self, ty: &'a ast::Type) -> Type {
        if matches!(ty.kind, ast::TypeKind::Any) {
            self.error(ty.span, "'_' cannot be the type of an element");
        }
        self.value_type(ty)
    }

    fn type_argument(&mut self, ty: &'a ast::Type) -> Type {
        self.resolve_type(ty)
    }

    /// Resolves the type of something that has a value: no packages and no `void`.
    pub(super) fn value_type(&mut self, ty: &'a ast::Type) -> Type {
        let resolved = self.resolve_type(ty);
        let what = match &resolved {
            Type::Void => "'void'",
            Type::Package(..) => "a package",
            Type::Parser(_) => "a parser",
            Type::Control(_) => "a control",
            _ => return resolved,
        };
        self.error(ty.span, format!("{what} cannot be the type of this"));
        Type::Unknown
    }

    fn stack_type(&mut self, element: &'a ast::Type, size: &'a ast::Expr) -> Type {
        let element_type = self.resolve_type(element);
        let count = self.known_integer_or(size, "the size of a header stack", Kind::TypeError);
        if !self.is_storable(&element_type) || matches!(element_type, Type::String) {
            let message = format!("'{}' cannot be the element of an array", self.show(&element_type));
            self.error(element.span, message);
            return Type::Unknown;
        }
        match count.as_ref().map(ToPrimitive::to_u32) {
            Some(Some(count)) if count > 0 && count <= 1 << 16 => Type::Stack(Rc::new(element_type), count),
            Some(_) => {
                self.error(size.span, "the size of a header stack must be between 1 and 65536");
                Type::Unknown
            }
            None => Type::Unknown,
        }
    }

    /// A width in `<…>`, at least `least`.
    fn width(&mut self, expr: &'a ast::Expr, least: u32) -> Option<u32> {
        // p4c computes widths before it looks at types.
        let before = self.diagnostics.count();
        let number = self.known_integer(expr, "a width");
        self.diagnostics.change_kind(before, Kind::TypeError, Kind::Expected);
        let number = number?;
        let width = number.to_u32().filter(|width| *width <= MAX_WIDTH && *width >= least);
        if width.is_none() {
            let message = format!("{number} is not a width: it must be between {least} and {MAX_WIDTH}");
            let kind = if number > BigInt::from(MAX_WIDTH) { Kind::Overlimit } else { Kind::Invalid };
            self.error_of(kind, expr.span, message);
        }
        width
    }

    /// A number known at compile time; otherwise a message.
    pub(super) fn known_integer(&mut self, expr: &'a ast::Expr, what: &str) -> Option<BigInt> {
        self.known_integer_or(expr, what, Kind::Expected)
    }

    /// A number known at compile time; otherwise a message of that kind.
    pub(super) fn known_integer_or(&mut self, expr: &'a ast::Expr, what: &str, kind: Kind) -> Option<BigInt> {
        let value = self.expr(expr, None);
        match &value.kind {
            ExprKind::Literal(Value::Int(number)) => Some(number.clone()),
            ExprKind::Invalidated => None,
            _ => {
                let message = format!("{what} must be a number known at compile time");
                self.error_of(kind, expr.span, message);
                None
            }
        }
    }

    /// A non-negative number known at compile time that fits into 32 bits.
    pub(super) fn known_index(&mut self, expr: &'a ast::Expr, what: &str) -> Option<u32> {
        self.known_index_or(expr, what, Kind::Expected)
    }

    /// As [`Checker::known_index`], with a message of that kind.
    pub(super) fn known_index_or(&mut self, expr: &'a ast::Expr, what: &str, kind: Kind) -> Option<u32> {
        let number = self.known_integer_or(expr, what, kind)?;
        match number.to_u32() {
            Some(index) if index < u32::MAX => Some(index),
            _ => {
                let why = if number.is_negative() || number.is_zero() { "negative" } else { "too large" };
                self.error_of(kind, expr.span, format!("{what} is {why}: {number}"));
                None
            }
        }
    }

    /// The symbol that a path names.
    pub(super) fn find(&mut self, path: &ast::Path) -> Option<Symbol> {
        let entry =
            if path.absolute { self.scopes.find_global(&path.name.name) } else { self.scopes.find(&path.name.name) };
        let symbol = entry?.symbol.clone();
        self.mention(&symbol);
        Some(symbol)
    }

    /// Remembers that the source names something.
    pub(super) fn mention(&mut self, symbol: &Symbol) {
        let mentions = &mut self.program.mentions;
        match symbol {
            Symbol::Action(id) => mentions.actions.insert(*id),
            Symbol::Table(id) => mentions.tables.insert(*id),
            Symbol::Instance(id) => mentions.instances.insert(*id),
            Symbol::ValueSet(id) => mentions.value_sets.insert(*id),
            Symbol::Variable(id) => {
                *mentions.variables.entry(*id).or_default() += 1;
                true
            }
            _ => false,
        };
    }

    /// Reports that a name is not declared, with the nearest one that is.
    pub(super) fn report_unknown(&mut self, name: &ast::Ident, what: &str) {
        if let Some((_, span)) = self.declaring.iter().find(|(declared, _)| *declared == name.name).cloned() {
            let message = format!("'{}' cannot be used within its own declaration", name.name);
            let diagnostic = self.error_of(Kind::Unsupported, name.span, message);
            diagnostic.at_stage(Stage::Names).note_at(span, "it is declared here");
            return;
        }
        let near = self.scopes.visible_names().filter(|known| near_miss(known, &name.name)).min().cloned();
        let message = format!("{what} '{}' is not declared", name.name);
        let diagnostic = self.diagnostics.error_of(Kind::NotFound, name.span, message).at_stage(Stage::Names);
        if let Some(near) = near {
            diagnostic.help(format!("did you mean '{near}'?"));
        }
    }

    /// Reports that an instance of something generic uses that itself. Its declaration says so already where the name
    /// stood for nothing else then.
    pub(super) fn report_own_use(&mut self, span: Span) {
        if !self.diagnostics.has_errors() {
            self.error_of(Kind::Unsupported, span, "something generic cannot be used within its own declaration");
        }
    }

    /// A named type, with type arguments if given. Generic externs without arguments come with none: they are to
    /// be inferred.
    fn resolve_name(&mut self, path: &ast::Path, args: Option<Vec<Type>>, span: Span) -> Type {
        let Some(symbol) = self.find(path) else {
            self.report_unknown(&path.name, "type");
            return Type::Unknown;
        };
        let name = path.name.name.clone();
        let (expected, can_infer) = match &symbol {
            Symbol::Type(_) => (0, false),
            Symbol::StructTemplate(template) => (self.struct_templates[*template].params.len(), false),
            Symbol::Extern(id) => (self.program[*id].type_params.len(), true),
            Symbol::ApplyType(id) => (self.program[*id].type_params.len(), false),
            Symbol::Package(id) => (self.program[*id].type_params.len(), true),
            Symbol::Parser(id) => return self.object_type(Type::Parser(*id), &name, args, span),
            Symbol::Control(id) => return self.object_type(Type::Control(*id), &name, args, span),
            Symbol::Wrong => return Type::Unknown,
            other => {
                let message = format!("'{name}' is {}, not a type", other.describe());
                self.error(span, message);
                return Type::Unknown;
            }
        };
        let fits = match &args {
            Some(args) => args.len() == expected,
            None => expected == 0 || can_infer,
        };
        let args = args.unwrap_or_default();
        if !fits {
            let message = format!("'{name}' takes {expected} type arguments, {} given", args.len());
            self.error(span, message);
            return Type::Unknown;
        }
        match symbol {
            Symbol::Type(ty) => ty,
            Symbol::StructTemplate(template) => self.instantiate_struct(template, args, span),
            Symbol::Extern(id) => {
                let itself = |part: &Type| matches!(part, Type::Extern(other, _) if *other == id);
                if args.iter().any(|arg| self.mentions(arg, &itself, 0)) {
                    self.error(span, format!("'{name}' cannot be its own type argument"));
                    return Type::Unknown;
                }
                Type::Extern(id, args.into())
            }
            Symbol::ApplyType(id) => Type::Apply(id, args.into()),
            Symbol::Package(id) => Type::Package(id, args.into()),
            _ => Type::Unknown,
        }
    }

    /// A parser or control; without type arguments a generic one stays open.
    fn object_type(&mut self, ty: Type, name: &str, args: Option<Vec<Type>>, span: Span) -> Type {
        let expected = self.generic_objects.get(&ty).map_or(0, |entry| entry.type_params.len());
        match args {
            None => ty,
            Some(args) if args.len() == expected => self.instantiate_object(&ty, args, span),
            Some(args) => {
                let message = format!("'{name}' takes {expected} type arguments, {} given", args.len());
                self.error(span, message);
                Type::Unknown
            }
        }
    }

    /// Can a variable or field have it?
    pub(super) fn is_storable(&self, ty: &Type) -> bool {
        !matches!(
            ty,
            Type::Void
                | Type::Integer
                | Type::MatchKind
                | Type::Extern(..)
                | Type::Apply(..)
                | Type::Parser(_)
                | Type::Control(_)
                | Type::Package(..)
        )
    }

    /// Is it an object (extern, parser, control, package) and not a value?
    pub(super) fn is_object(ty: &Type) -> bool {
        matches!(ty, Type::Extern(..) | Type::Apply(..) | Type::Parser(_) | Type::Control(_) | Type::Package(..))
    }
}

/// Do two names differ by a slip: letter case, or one character?
fn near_miss(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    if a.len() < 3 || b.len() < 3 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same_front = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let same_back = a.bytes().rev().zip(b.bytes().rev()).take_while(|(x, y)| x == y).count();
    same_front + same_back + 1 >= a.len().max(b.len())
}
