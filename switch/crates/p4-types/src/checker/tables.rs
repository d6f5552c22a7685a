//! Tables: properties, keys, actions.

use super::Checker;
use super::scope::Symbol;
use crate::eval;
use crate::typed::{
    ActionCall, ActionId, Argument, Callee, Direction, Expr, ExprKind, MatchKindId, Span, Table, TableAction, TableId,
    TableKey, TableProperty, Type, Value, find_annotation,
};
use num_traits::Signed;
use p4_syntax::diagnostic::Stage;
use p4_syntax::{Kind, ast};

impl<'a> Checker<'a> {
    pub(super) fn table(&mut self, decl: &'a ast::TableDecl) -> Option<TableId> {
        let annotations = self.annotations(&decl.annotations);
        let mut table = Table {
            name: decl.name.name.clone(),
            keys: Vec::new(),
            actions: Vec::new(),
            default_action: None,
            default_is_const: false,
            entries: Vec::new(),
            entries_are_const: false,
            size: None,
            largest_priority_wins: None,
            priority_delta: None,
            properties: Vec::new(),
            annotations,
            span: decl.name.span,
        };
        self.check_duplicate_properties(decl);
        self.check_property_order(decl);
        // Inside its own declaration the table's name stands for nothing.
        let own = Symbol::Table(TableId::from_index(self.program.tables.len()));
        self.scopes.push();
        self.scopes.insert(decl.name.name.clone(), own, decl.name.span);
        // Keys and actions first: entries and the default action refer to them, wherever they stand.
        for property in &decl.properties {
            match &property.value {
                ast::PropertyValue::Keys(keys) => table.keys = self.keys(keys),
                ast::PropertyValue::Actions(actions) => table.actions = self.table_actions(actions),
                _ => {}
            }
        }
        let has_actions =
            decl.properties.iter().any(|property| matches!(property.value, ast::PropertyValue::Actions(_)));
        if !has_actions {
            let message = format!("table '{}' has no 'actions'", decl.name.name);
            self.error_of(Kind::Expected, decl.name.span, message).at_stage(Stage::Names);
        }
        for property in &decl.properties {
            self.property(property, &mut table);
        }
        if table.default_action.is_none() {
            table.default_action = self.implicit_default(&mut table.actions, decl.name.span);
        }
        self.finish_entries(&mut table, decl);
        self.scopes.pop();
        let id = TableId::from_index(self.program.tables.len());
        self.program.tables.push(table);
        self.declare(&decl.name, Symbol::Table(id));
        Some(id)
    }

    fn check_property_order(&mut self, decl: &'a ast::TableDecl) {
        let position = |wanted: fn(&ast::PropertyValue) -> bool| {
            decl.properties.iter().position(|property| wanted(&property.value))
        };
        let entries = position(|value| matches!(value, ast::PropertyValue::Entries(_)));
        let keys = position(|value| matches!(value, ast::PropertyValue::Keys(_)));
        let actions = position(|value| matches!(value, ast::PropertyValue::Actions(_)));
        if let Some(entries) = entries
            && (keys.is_some_and(|keys| keys > entries) || actions.is_some_and(|actions| actions > entries))
        {
            let span = decl.properties[entries].name.span;
            self.error(span, "'entries' must stand behind 'key' and 'actions'");
        }
    }

    fn check_duplicate_properties(&mut self, decl: &'a ast::TableDecl) {
        for (position, property) in decl.properties.iter().enumerate() {
            let name = &property.name.name;
            let before = decl.properties[..position].iter().find(|other| other.name.name == *name);
            if let Some(before) = before {
                let before = before.name.span;
                let message = format!("property '{name}' is given twice");
                self.error_of(Kind::Duplicate, property.name.span, message).note_at(before, "given here before");
            }
        }
    }

    fn property(&mut self, property: &'a ast::PropertyDecl, table: &mut Table) {
        match &property.value {
            ast::PropertyValue::Keys(_) | ast::PropertyValue::Actions(_) => {}
            ast::PropertyValue::Entries(entries) => {
                table.entries_are_const = property.is_const;
                self.entries(entries, property.is_const, table);
            }
            ast::PropertyValue::Expression(value) => match &*property.name.name {
                "default_action" => {
                    table.default_is_const = property.is_const;
                    table.default_action = self.default_action(value, table);
                }
                "size" => {
                    let size = self.expr(value, Some(&Type::Integer));
                    let fine = matches!(size.ty, Type::Integer | Type::Bit(_) | Type::Int(_) | Type::Unknown);
                    if !fine || !eval::is_known(&self.program, &size) {
                        self.error(value.span, "the size of a table must be a number known at compile time");
                    }
                    table.size = Some(size);
                }
                "largest_priority_wins" => {
                    let value = self.expr_as(value, &Type::Bool);
                    if let ExprKind::Literal(Value::Bool(value)) = value.kind {
                        table.largest_priority_wins = Some(value);
                    }
                }
                "priority_delta" => {
                    let delta = self.known_integer(value, "the distance between priorities");
                    if delta.as_ref().is_some_and(|delta| !delta.is_positive()) {
                        self.error_of(Kind::Invalid, value.span, "the distance between priorities must be positive");
                    }
                    table.priority_delta = delta;
                }
                _ => {
                    let annotations = self.annotations(&property.annotations);
                    let value = self.expr(value, None);
                    table.properties.push(TableProperty {
                        name: property.name.name.clone(),
                        value,
                        is_const: property.is_const,
                        annotations,
                        span: property.span,
                    });
                }
            },
        }
    }

    fn keys(&mut self, keys: &'a [ast::KeyDecl]) -> Vec<TableKey> {
        keys.iter().filter_map(|key| self.key(key)).collect()
    }

    fn key(&mut self, key: &'a ast::KeyDecl) -> Option<TableKey> {
        let annotations = self.annotations(&key.annotations);
        let value = self.expr(&key.value, None);
        match self.program.representation(&value.ty) {
            Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Enum(_) | Type::Error | Type::Varbit(_) => {}
            Type::Unknown => {}
            Type::Integer => {
                self.error(key.value.span, "a number without width cannot be a key; write it as 8w5");
            }
            _ => {
                let message = format!("a value of type '{}' cannot be a key", self.show(&value.ty));
                self.error(key.value.span, message);
            }
        }
        let match_kind = self.match_kind(&key.match_kind)?;
        let source_name = source_name(&key.value);
        if source_name.is_none() && find_annotation(&annotations, "name").is_none() {
            self.error_of(
                Kind::Expected,
                key.value.span,
                "this key needs an annotation @name: the control plane has no name for it",
            )
            .help("names are made of fields, elements, slices, masks and isValid() only");
        }
        Some(TableKey {
            value,
            match_kind,
            annotations,
            source_name: source_name.unwrap_or_default().into(),
            span: key.value.span,
        })
    }

    fn match_kind(&mut self, name: &ast::Ident) -> Option<MatchKindId> {
        let found =
            self.program.match_kinds.iter().position(|kind| kind.name == name.name).map(MatchKindId::from_index);
        if found.is_none() {
            let known: Vec<String> = self.program.match_kinds.iter().map(|kind| kind.name.to_string()).collect();
            let message = format!("'{}' is not a match kind", name.name);
            self.error_of(Kind::NotFound, name.span, message).help(format!("there is: {}", known.join(", ")));
        }
        found
    }

    fn table_actions(&mut self, list: &'a [ast::ActionRef]) -> Vec<TableAction> {
        let mut actions: Vec<TableAction> = Vec::new();
        for item in list {
            let annotations = self.annotations(&item.annotations);
            let Some(action) = self.action_named(&item.action) else {
                continue;
            };
            if actions.iter().any(|other| other.action == action) {
                let message = format!("action '{}' stands in the list twice", item.action.name.name);
                self.error_of(Kind::Duplicate, item.span, message);
                continue;
            }
            let bound_args = self.bound_arguments(action, item);
            actions.push(TableAction { action, bound_args, annotations, is_listed: true, span: item.span });
        }
        actions
    }

    fn action_named(&mut self, path: &ast::Path) -> Option<ActionId> {
        match self.find(path) {
            Some(Symbol::Action(id)) => Some(id),
            Some(Symbol::Wrong) => None,
            Some(other) => {
                let message = format!("'{}' is {}, not an action", path.name.name, other.describe());
                self.error(path.name.span, message);
                None
            }
            None => {
                self.report_unknown(&path.name, "action");
                None
            }
        }
    }

    /// The arguments given in the list of actions: for the parameters with direction.
    fn bound_arguments(&mut self, action: ActionId, item: &'a ast::ActionRef) -> Vec<Argument> {
        let params = self.program[action].params.clone();
        let bound: Vec<_> = params.iter().filter(|param| param.direction != Direction::None).cloned().collect();
        let none: &'a [ast::Argument] = &[];
        let args = item.args.as_deref().unwrap_or(none);
        if args.len() > bound.len() {
            let message = format!(
                "action '{}' takes {} arguments here: the parameters without direction come from the control plane",
                item.action.name.name,
                bound.len()
            );
            self.error(item.span, message);
            return Vec::new();
        }
        let signature = super::arguments::Signature {
            name: item.action.name.name.clone(),
            type_params: Vec::new(),
            params: bound,
            result: Type::Void,
            style: super::arguments::CallStyle::Action,
        };
        match self.resolve_call(&signature, &[], args, None, item.span) {
            Some(resolved) => resolved.args,
            None => Vec::new(),
        }
    }

    /// `NoAction`, where no default action is given.
    fn implicit_default(&mut self, actions: &mut Vec<TableAction>, span: Span) -> Option<ActionCall> {
        let id = match self.scopes.find_global("NoAction").map(|entry| &entry.symbol) {
            Some(Symbol::Action(id)) => *id,
            _ => {
                self.error_of(
                    Kind::Model,
                    span,
                    "this table has no 'default_action', and there is no action 'NoAction' to take for it",
                )
                .at_stage(Stage::Names)
                .help("include core.p4");
                return None;
            }
        };
        self.mention(&Symbol::Action(id));
        if !self.program[id].params.is_empty() {
            let place = self.program[id].span;
            self.error_of(Kind::Model, place, "'NoAction' must not have parameters; did you include core.p4?");
        }
        let listed = actions.iter().position(|item| item.action == id);
        let position = listed.unwrap_or_else(|| {
            actions.push(TableAction {
                action: id,
                bound_args: Vec::new(),
                annotations: Vec::new(),
                is_listed: false,
                span,
            });
            actions.len() - 1
        });
        Some(ActionCall { action: position, args: Vec::new(), span })
    }

    fn default_action(&mut self, value: &'a ast::Expr, table: &mut Table) -> Option<ActionCall> {
        let none: &'a [ast::Argument] = &[];
        let (path, args) = match &value.kind {
            ast::ExprKind::Path(path) => (path, none),
            ast::ExprKind::Call { callee, args, .. } => match &callee.kind {
                ast::ExprKind::Path(path) => (path, args.as_slice()),
                _ => {
                    self.error(value.span, "expected an action");
                    return None;
                }
            },
            _ => {
                self.error(value.span, "expected an action");
                return None;
            }
        };
        self.action_call(path, args, table, value.span)
    }

    /// An action of the table with its data. Arguments for parameters with direction may be repeated.
    pub(super) fn action_call(
        &mut self,
        path: &'a ast::Path,
        args: &'a [ast::Argument],
        table: &Table,
        span: Span,
    ) -> Option<ActionCall> {
        let action = self.action_named(path)?;
        let Some(position) = table.actions.iter().position(|item| item.action == action) else {
            let message = format!("action '{}' is not in the table's list of actions", path.name.name);
            self.error(span, message);
            return None;
        };
        let params = self.program[action].params.clone();
        let directed = params.iter().filter(|param| param.direction != Direction::None).count();
        let data: Vec<_> = params.iter().skip(directed).cloned().collect();
        let named = args.iter().any(|arg| arg.name.is_some());
        // Repeating the bound arguments is allowed: they must be the same.
        let repeated = if named { args.len() > data.len() } else { directed > 0 && args.len() == params.len() };
        if repeated && directed > 0 {
            let signature = self.action_signature(path, params, span);
            let resolved = self.resolve_call(&signature, &[], args, None, span)?;
            self.check_repeated(&table.actions[position].bound_args, &resolved.args[..directed], span);
            let values = self.action_data(resolved.args.into_iter().skip(directed));
            return Some(ActionCall { action: position, args: values, span });
        }
        let signature = self.action_signature(path, data, span);
        let resolved = self.resolve_call(&signature, &[], args, None, span)?;
        let values = self.action_data(resolved.args.into_iter());
        Some(ActionCall { action: position, args: values, span })
    }

    fn action_signature(
        &self,
        path: &ast::Path,
        params: Vec<crate::typed::Parameter>,
        _span: Span,
    ) -> super::arguments::Signature {
        super::arguments::Signature {
            name: path.name.name.clone(),
            type_params: Vec::new(),
            params,
            result: Type::Void,
            style: super::arguments::CallStyle::Action,
        }
    }

    /// Action data in a program is known at compile time.
    fn action_data(&mut self, args: impl Iterator<Item = Argument>) -> Vec<Expr> {
        let mut values = Vec::new();
        for arg in args {
            let Some(value) = arg.value else { continue };
            if !eval::is_known(&self.program, &value) {
                let message = format!("the value of action parameter '{}' must be known at compile time", arg.name);
                self.error(value.span, message);
            }
            values.push(value);
        }
        values
    }

    fn check_repeated(&mut self, bound: &[Argument], repeated: &[Argument], span: Span) {
        for (first, second) in bound.iter().zip(repeated) {
            let same = match (&first.value, &second.value) {
                (Some(a), Some(b)) => same_expr(a, b),
                (None, None) => true,
                _ => false,
            };
            if !same {
                let message = format!("the argument for '{}' differs from the one in the list of actions", first.name);
                self.error(span, message);
            }
        }
    }
}

/// Are two checked expressions the same, place apart?
fn same_expr(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Literal(x), ExprKind::Literal(y)) => x == y,
        (ExprKind::Var(x), ExprKind::Var(y)) => x == y,
        (ExprKind::Field { base: x, field: i }, ExprKind::Field { base: y, field: j }) => i == j && same_expr(x, y),
        (ExprKind::Index { base: x, index: i }, ExprKind::Index { base: y, index: j }) => {
            same_expr(x, y) && same_expr(i, j)
        }
        (ExprKind::Cast(x), ExprKind::Cast(y)) => a.ty == b.ty && same_expr(x, y),
        (ExprKind::Slice { base: x, high: h, low: l }, ExprKind::Slice { base: y, high, low }) => {
            h == high && l == low && same_expr(x, y)
        }
        (ExprKind::PlusSlice { base: x, low: l, width: v }, ExprKind::PlusSlice { base: y, low, width }) => {
            v == width && same_expr(x, y) && same_expr(l, low)
        }
        (ExprKind::Unary(o, x), ExprKind::Unary(p, y)) => o == p && same_expr(x, y),
        (ExprKind::Binary(o, x, y), ExprKind::Binary(p, u, v)) => o == p && same_expr(x, u) && same_expr(y, v),
        (ExprKind::Struct(x), ExprKind::Struct(y)) | (ExprKind::List(x), ExprKind::List(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_expr(x, y))
        }
        (ExprKind::Ternary { condition: c, yes: x, no: y }, ExprKind::Ternary { condition, yes, no }) => {
            same_expr(c, condition) && same_expr(x, yes) && same_expr(y, no)
        }
        (ExprKind::Call(x), ExprKind::Call(y)) => {
            if let (Callee::IsValid(x), Callee::IsValid(y)) = (&x.callee, &y.callee) {
                return same_expr(x, y);
            }
            callee_key(&x.callee) == callee_key(&y.callee)
                && callee_key(&x.callee).is_some()
                && x.args.len() == y.args.len()
                && x.args.iter().zip(&y.args).all(|(x, y)| match (&x.value, &y.value) {
                    (Some(x), Some(y)) => same_expr(x, y),
                    (None, None) => true,
                    _ => false,
                })
        }
        (ExprKind::Invalid, ExprKind::Invalid) => true,
        _ => false,
    }
}

/// The numbers that distinguish callees, without places.
fn callee_key(callee: &Callee) -> Option<(u8, u32, usize)> {
    Some(match callee {
        Callee::Function(id) => (0, id.0, 0),
        Callee::ExternFunction(id) => (1, id.0, 0),
        Callee::Method { object, method } => match object {
            crate::typed::Object::Instance(id) => (2, id.0, *method),
            crate::typed::Object::Parameter(id) => (3, id.0, *method),
        },
        _ => return None,
    })
}

/// A key as the source writes it: the name that the control plane knows it by, if it is simple enough for one.
fn source_name(expr: &ast::Expr) -> Option<String> {
    Some(match &expr.kind {
        ast::ExprKind::Path(path) if path.absolute => format!(".{}", path.name.name),
        ast::ExprKind::Path(path) => path.name.name.to_string(),
        ast::ExprKind::Member(base, name) => format!("{}.{}", source_name(base)?, name.name),
        ast::ExprKind::Index(base, index) => format!("{}[{}]", source_name(base)?, source_name(index)?),
        ast::ExprKind::Slice(base, high, low) => {
            format!("{}[{}:{}]", source_name(base)?, source_name(high)?, source_name(low)?)
        }
        ast::ExprKind::Integer(number, _, 16) => format!("0x{number:x}"),
        ast::ExprKind::Integer(number, _, 8) => format!("0o{number:o}"),
        ast::ExprKind::Integer(number, _, 2) => format!("0b{number:b}"),
        ast::ExprKind::Integer(number, ..) => number.to_string(),
        ast::ExprKind::Call { callee, args, .. } if args.is_empty() => match &callee.kind {
            ast::ExprKind::Member(_, method) if &*method.name == "isValid" => format!("{}()", source_name(callee)?),
            _ => return None,
        },
        ast::ExprKind::Binary(ast::BinaryOp::BitAnd, left, right) => {
            format!("{} & {}", source_name(left)?, source_name(right)?)
        }
        _ => return None,
    })
}
