//! Tables and the actions they run.

use crate::blocks::instance::qualified;
use crate::calls::effects::later_effects;
use crate::code::structured::{AfterTable, Code, action_body, fits_action};
use crate::expressions::key_set::{KnownSet, ones};
use crate::lowerer::Lowerer;
use crate::storage::place::{Binding, Place, Value};
use crate::tables::limits;
use crate::tables::state::TableState;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use p4_ir::control::{
    Action, ActionId as IrAction, DefaultAction, Entry, EntryKey, Key, KeyTarget, MatchKind, Table, TableId as IrTable,
};
use p4_ir::expr::{BinaryOp, Expr, ExprKind, Ty};
use p4_ir::ops::Op;
use p4_ir::storage::{FieldRef, FieldWidth};
use p4_syntax::Kind;
use p4_types::typed::{self, ActionCall, ActionId, Argument, Callee, Direction, TableId};
use std::rc::Rc;

/// Tables have room for this many entries if they do not say.
const DEFAULT_SIZE: u64 = 1024;

/// One key that has been evaluated.
struct LoweredKey {
    target: KeyTarget,
    width: u32,
    mask: Option<BigInt>,
    variable: Option<(FieldRef, Ty)>,
    value: Expr,
}

impl Lowerer<'_> {
    /// Applies a table of the current context.
    pub fn apply_table(&mut self, id: TableId, then: AfterTable) {
        let table = match self.tables.get(self.enclosing.context, id) {
            Some(state) => {
                let variables = state.keys.clone();
                let table = state.id;
                let declared = &self.typed[id];
                for (key, variable) in declared.keys.iter().zip(variables) {
                    if let Some((field, _)) = variable {
                        let value = self.scalar(&key.value);
                        self.emit(Op::Assign(field, value));
                    }
                }
                table
            }
            None => self.make_table(id),
        };
        self.push_application(table, then);
    }

    /// Whether applying a table hit (or missed), as a value.
    pub fn table_result(&mut self, id: TableId, hit: bool) -> Expr {
        let result = self.storage.temporary(Ty::Bool);
        let set = |value: bool| vec![Code::Op(Op::Assign(result, Expr::bool(value)).at(None))];
        self.apply_table(id, AfterTable::HitMiss(set(hit), set(!hit)));
        Expr::field(result, Ty::Bool)
    }

    fn make_table(&mut self, id: TableId) -> IrTable {
        let declared = &self.typed[id];
        let prefix = self.contexts[self.enclosing.context].prefix.clone();
        let name = qualified(&prefix, &declared.annotations, &declared.name);
        let mut keys = vec![];
        let mut selector = vec![];
        let mut variables = vec![];
        let later = later_effects(declared.keys.iter().map(|key| key.value.has_effects()));
        for (key, may_change) in declared.keys.iter().zip(later) {
            let kind = self.typed[key.match_kind].name.clone();
            let lowered = self.key(&key.value, &declared.name, &*kind != "selector", may_change);
            variables.push(lowered.variable);
            let kind = match &*kind {
                "exact" => MatchKind::Exact,
                "lpm" => MatchKind::Lpm,
                "ternary" => MatchKind::Ternary,
                "range" => MatchKind::Range,
                "optional" => MatchKind::Optional,
                "selector" => {
                    selector.push(lowered.value);
                    continue;
                }
                other => {
                    let message = format!("BMv2 has no match kind '{other}'");
                    self.error_of(Kind::Unsupported, key.span, message);
                    continue;
                }
            };
            let name = self.key_name(key);
            keys.push(Key { target: lowered.target, kind, name, width: lowered.width, mask: lowered.mask });
        }
        if keys.iter().filter(|k| k.kind == MatchKind::Lpm).count() > 1 {
            self.error_of(Kind::Unsupported, declared.span, "a table on BMv2 can have one key of kind lpm only");
        }
        limits::check_key_length(&self.messages, &keys, declared.span);
        let (actions, visible_actions) = self.table_actions(id);
        let default = declared.default_action.as_ref();
        let default = default.and_then(|call| {
            let action = *actions.get(call.action)?;
            Some(DefaultAction { action, args: self.action_args(declared, call), constant: declared.default_is_const })
        });
        let lowered = self.entries(id, &keys, &actions);
        limits::check_duplicates(&self.messages, declared, &keys, &lowered);
        let visible_entries = self.visible_entries(id, &keys, &visible_actions, &lowered);
        let entries = in_order(declared, lowered);
        let size = declared.size.as_ref().map(|size| {
            let number = self.known_bits(size, 32);
            number.to_u64().unwrap_or(0)
        });
        let size = size.filter(|size| *size > 0).unwrap_or(DEFAULT_SIZE);
        let room = match &entries {
            Some(entries) if declared.entries_are_const => entries.len() as u64,
            Some(entries) => size.max(entries.len() as u64),
            None => size,
        };
        let source = self.source(declared.span);
        self.ir.tables.push(Table {
            name: name.clone(),
            keys,
            actions,
            default,
            entries,
            const_entries: declared.entries_are_const,
            size: room,
            support_timeout: false,
            profile: None,
            with_counters: false,
            direct_meter: None,
            synthesized: false,
            source,
        });
        self.claim_name("table", &name, declared.span);
        self.node_names.take(&name);
        let table = IrTable::from_index(self.ir.tables.len() - 1);
        let mut visible = self.visible_table(id, name, size, &visible_actions);
        visible.entries = visible_entries;
        self.check_selector_keys(id);
        self.table_properties(id, table, selector, &mut visible);
        let state = TableState { id: table, visible, actions: visible_actions, keys: variables };
        self.tables.insert(self.enclosing.context, id, state);
        table
    }

    /// A key: a field or a validity as it is, everything else in a variable of its own. For `field & constant` the
    /// switch takes the mask, if it `may_mask`: it masks the keys of entries as well.
    fn key(&mut self, expr: &typed::Expr, table: &str, may_mask: bool, may_change: bool) -> LoweredKey {
        if !may_change
            && let typed::ExprKind::Call(call) = &expr.kind
            && let Callee::IsValid(header) = &call.callee
            && let Some(Place::Header(id)) = self.place(header)
        {
            return LoweredKey {
                target: KeyTarget::Valid(id),
                width: 1,
                mask: None,
                variable: None,
                value: Expr { kind: ExprKind::Valid(id), ty: Ty::Bool },
            };
        }
        let (value, mask) = match (self.scalar(expr), may_mask) {
            (value, true) => without_mask(value),
            (value, false) => (value, None),
        };
        let (field, variable) = match value.as_field() {
            Some(field) if !may_change && !self.is_temporary(field) => (field, None),
            _ => {
                let field = self.storage.new_scalar(&format!("key.{table}"), value.ty);
                self.emit(Op::Assign(field, value.clone()));
                (field, Some((field, value.ty)))
            }
        };
        LoweredKey {
            target: KeyTarget::Field(field),
            width: value.ty.width(),
            mask,
            variable,
            value: Expr::field(field, value.ty),
        }
    }

    // Actions ------------------------------------------------------------------------------

    /// The actions of a table, and those of them that the control plane sees.
    fn table_actions(&mut self, id: TableId) -> (Vec<IrAction>, Vec<(ActionId, String)>) {
        let declared = &self.typed[id];
        let mut actions = vec![];
        let mut visible = vec![];
        for reference in &declared.actions {
            let bound = &reference.bound_args;
            let name = self.action_name(reference.action);
            let has_direction = |p: &&typed::Parameter| !matches!(p.direction, Direction::None);
            let directed = self.typed[reference.action].params.iter().filter(has_direction);
            let action = if directed.count() == 0 {
                self.shared_action(reference.action, &name)
            } else {
                self.make_action(reference.action, &name, bound)
            };
            actions.push(action);
            visible.push((reference.action, name));
        }
        (actions, visible)
    }

    /// The control-plane name of an action in the current context.
    pub fn action_name(&self, id: ActionId) -> String {
        let action = &self.typed[id];
        let global = self.typed.top_level.contains(&typed::TopLevel::Action(id));
        let prefix = if global { "" } else { &self.contexts[self.enclosing.context].prefix };
        qualified(prefix, &action.annotations, &action.name)
    }

    /// An action without bound arguments exists once for each context.
    fn shared_action(&mut self, id: ActionId, name: &str) -> IrAction {
        if let Some(known) = self.tables.action(self.enclosing.context, id) {
            return known;
        }
        let action = self.make_action(id, name, &[]);
        self.tables.insert_action(self.enclosing.context, id, action);
        action
    }

    fn make_action(&mut self, id: ActionId, name: &str, bound: &[Argument]) -> IrAction {
        let typed = self.typed;
        let declared = &typed[id];
        let written = self.effects.written(typed, crate::calls::effects::Body::Action(id));
        let mut params = vec![];
        let mut data = vec![];
        for param in &declared.params {
            if param.direction != Direction::None {
                continue;
            }
            let Some(ty) = self.storage.scalar_type(&param.ty) else {
                let message =
                    format!("the action parameter '{}' must be a bit<W>, int<W>, bool or enumeration", param.name);
                self.error_of(Kind::TypeError, typed[param.var].span, message);
                continue;
            };
            let value = Expr { kind: ExprKind::ActionParam(data.len() as u32), ty };
            let param_name = crate::control_plane::names::control_plane_name(&param.annotations, &param.name);
            data.push((param_name, ty.width()));
            params.push((param.var, value, written.contains(&param.var)));
        }
        self.enclosing.action_depth += 1;
        self.tables.swap_temporaries(&mut self.storage.temporaries);
        let (code, ()) = self.capture(|this| {
            for (var, value, is_written) in params {
                let binding = if is_written {
                    let place = this.storage.local_place(var);
                    let ty = typed[var].ty.clone();
                    this.assign(&place, &Value::Scalar(value), &ty, typed[var].span);
                    Binding::Place(place)
                } else {
                    Binding::Value(Value::Scalar(value))
                };
                this.bindings.variables.insert(var, binding);
            }
            this.within_table_action(|this| this.inline_bound_action(id, bound));
        });
        self.storage.temporaries.release(0);
        self.tables.swap_temporaries(&mut self.storage.temporaries);
        self.enclosing.action_depth -= 1;
        if !fits_action(&code) {
            self.error(declared.span, "an action cannot apply tables");
        }
        let source = self.source(declared.span);
        self.ir.actions.push(Action { name: name.to_owned(), params: data, body: action_body(&code), source });
        IrAction::from_index(self.ir.actions.len() - 1)
    }

    /// The body of an action whose parameters with direction have the arguments of the table's
    /// action list; those without are bound already.
    fn inline_bound_action(&mut self, id: ActionId, bound: &[Argument]) {
        let typed = self.typed;
        let declared = &typed[id];
        let directed: Vec<typed::Parameter> =
            declared.params.iter().filter(|p| p.direction != Direction::None).cloned().collect();
        self.inline_block(&directed, bound, crate::calls::effects::Body::Action(id), &declared.body);
    }

    /// Known values for the data of an action.
    fn action_args(&mut self, table: &typed::Table, call: &ActionCall) -> Vec<BigInt> {
        let action = &self.typed[table.actions[call.action].action];
        let data = action.params.iter().filter(|p| p.direction == Direction::None);
        let widths: Vec<u32> = data.map(|p| self.storage.scalar_type(&p.ty).map_or(1, Ty::width)).collect();
        let args = call.args.iter().zip(widths);
        args.map(|(arg, width)| self.known_bits(arg, width)).collect()
    }

    // Entries ------------------------------------------------------------------------------

    /// Priorities as given, and entries, in the program's order.
    fn entries(&mut self, id: TableId, keys: &[Key], actions: &[IrAction]) -> Vec<(Option<i64>, Entry)> {
        let declared = &self.typed[id];
        let kinds: Vec<Rc<str>> = declared.keys.iter().map(|k| self.typed[k.match_kind].name.clone()).collect();
        let mut entries = vec![];
        for entry in &declared.entries {
            let sets = entry.keys.iter().zip(&declared.keys).zip(&kinds);
            let sets = sets.filter(|(_, kind)| &***kind != "selector");
            let mut lowered = vec![];
            for (((set, of), _), key) in sets.zip(keys) {
                let known = self.known_set(set, key.width);
                let signed = matches!(self.typed.strip_new_types(&of.value.ty), typed::Type::Int(_));
                limits::check_range(&self.messages, &known, signed.then_some(key.width), entry.span);
                lowered.push(self.entry_key(known, key, entry.span));
            }
            let Some(action) = actions.get(entry.action.action) else {
                continue;
            };
            let given = entry.priority.as_ref().and_then(ToPrimitive::to_i64);
            let source = self.source(entry.span);
            entries.push((
                given,
                Entry {
                    keys: lowered,
                    action: *action,
                    args: self.action_args(declared, &entry.action),
                    priority: limits::own_priority(&self.messages, entry),
                    source,
                },
            ));
        }
        entries
    }

    fn entry_key(&mut self, set: KnownSet, key: &Key, span: p4_syntax::Span) -> EntryKey {
        let all = ones(key.width);
        let result = match (key.kind, set) {
            (MatchKind::Exact, KnownSet::Value(value)) => Some(EntryKey::Exact(value)),
            (MatchKind::Exact, KnownSet::Mask(value, mask)) if mask == all => Some(EntryKey::Exact(value)),
            (MatchKind::Ternary | MatchKind::Optional, KnownSet::Value(value)) => Some(EntryKey::Ternary(value, all)),
            (MatchKind::Ternary | MatchKind::Optional, KnownSet::Any) => {
                Some(EntryKey::Ternary(BigInt::zero(), BigInt::zero()))
            }
            (MatchKind::Ternary, KnownSet::Mask(value, mask)) => Some(EntryKey::Ternary(value & &mask, mask)),
            (MatchKind::Lpm, KnownSet::Value(value)) => Some(EntryKey::Lpm(value, key.width)),
            (MatchKind::Lpm, KnownSet::Any) => Some(EntryKey::Lpm(BigInt::zero(), 0)),
            (MatchKind::Lpm, KnownSet::Mask(value, mask)) => {
                prefix_length(&mask, key.width).map(|length| EntryKey::Lpm(value & mask, length))
            }
            (MatchKind::Range, KnownSet::Value(value)) => Some(EntryKey::Range(value.clone(), value)),
            (MatchKind::Range, KnownSet::Any) => Some(EntryKey::Range(BigInt::zero(), all)),
            (MatchKind::Range, KnownSet::Range(low, high)) => Some(EntryKey::Range(low, high)),
            _ => None,
        };
        result.unwrap_or_else(|| {
            let message = format!("a key of kind {} cannot be matched this way", key.kind.name());
            self.error_of(Kind::Unsupported, span, message);
            EntryKey::Exact(BigInt::zero())
        })
    }

    /// Is the field a temporary of a statement?
    fn is_temporary(&self, field: FieldRef) -> bool {
        Some(field.header) == self.storage.program.scalars
            && self.storage.program.field(field).name.starts_with("tmp")
            && matches!(self.storage.program.field(field).width, FieldWidth::Bits(_))
    }
}

/// `field & constant` taken apart.
fn without_mask(value: Expr) -> (Expr, Option<BigInt>) {
    if let ExprKind::Binary(BinaryOp::BitAnd, left, right) = &value.kind {
        for (field, mask) in [(left, right), (right, left)] {
            if let (Some(_), Some(mask)) = (field.as_field(), mask.as_const()) {
                return ((**field).clone(), Some(mask.clone()));
            }
        }
    }
    (value, None)
}

/// Entries in BMv2's order, with BMv2's priorities; `None` if the table has none.
fn in_order(declared: &typed::Table, mut entries: Vec<(Option<i64>, Entry)>) -> Option<Vec<Entry>> {
    if declared.entries.is_empty() {
        return None;
    }
    // In BMv2 the smallest number wins; without priorities it is the first entry.
    let largest_wins = declared.largest_priority_wins.unwrap_or(true);
    let prioritized = !declared.entries_are_const;
    if prioritized && entries.iter().any(|(given, _)| given.is_some()) {
        entries.sort_by_key(|(given, _)| {
            let given = given.unwrap_or(0);
            if largest_wins { -given } else { given }
        });
    }
    let entries = entries.into_iter().enumerate();
    Some(
        entries
            .map(|(position, (_, mut entry))| {
                // `@priority` on an entry is BMv2's own number.
                if entry.priority == 0 {
                    entry.priority = position as i64 + 1;
                }
                entry
            })
            .collect(),
    )
}

/// The length of the prefix that a mask is, if it is one.
fn prefix_length(mask: &BigInt, width: u32) -> Option<u32> {
    (0..=width).find(|length| *mask == ones(*length) << (width - length))
}
