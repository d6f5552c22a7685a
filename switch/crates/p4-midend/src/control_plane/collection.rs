//! The objects that the control plane sees: collected while lowering, put in order at the end.

use crate::blocks::context::Declared;
use crate::control_plane::names::control_plane_name;
use crate::control_plane::types::{id_of, notes, part_ids};
use crate::lowerer::Lowerer;
use crate::storage::place::ExternObject;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use p4_ir::SourceInfo;
use p4_ir::control::{Entry, Key, MatchKind};
use p4_ir::control_plane::{
    Action, ActionRef, DefaultAction, Digest, MatchField, MatchType, PackageInfo, Param, Preamble, Scope, Table,
    TableEntry,
};
use p4_syntax::{Kind, SourceMap, Span};
use p4_types::typed::{
    self, ActionId, Annotation, AnnotationBody, Direction, InstanceId, TableId, Type, Value, find_annotation,
};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Annotations of action profiles that have places of their own.
pub const PROFILE_ANNOTATIONS: [&str; 3] = ["max_group_size", "selector_size_semantics", "max_member_weight"];

/// Keys of `@pkginfo`.
const PACKAGE_FIELDS: [&str; 6] = ["name", "version", "arch", "organization", "contact", "url"];

/// Keys of `@platform_property`.
const PLATFORM_FIELDS: [&str; 3] = [
    "multicast_group_table_size",
    "multicast_group_table_total_replicas",
    "multicast_group_table_max_replicas_per_entry",
];

/// The preamble, with which every object begins.
pub fn preamble(sources: &SourceMap, name: String, annotations: &[Annotation], skip: &[&str]) -> Preamble {
    let id = id_of(annotations);
    let at = find_annotation(annotations, "id").filter(|_| id.is_some());
    let id_source = at.map(|annotation| {
        let position = sources.position(annotation.span);
        let fragment = sources.text(annotation.span).into();
        Rc::new(SourceInfo { file: position.file, line: position.line, column: position.column, fragment })
    });
    Preamble { name, id, id_source, notes: notes(sources, annotations, skip) }
}

/// P4Info knows these kinds of matches; those of kind `selector` it does not show.
pub fn match_type(kind: &str) -> Option<MatchType> {
    Some(match kind {
        "exact" => MatchType::Standard("EXACT"),
        "lpm" => MatchType::Standard("LPM"),
        "ternary" => MatchType::Standard("TERNARY"),
        "range" => MatchType::Standard("RANGE"),
        "optional" => MatchType::Standard("OPTIONAL"),
        "selector" => return None,
        other => MatchType::Other(other.to_owned()),
    })
}

/// Is it hidden from the control plane?
pub fn is_hidden(annotations: &[Annotation]) -> bool {
    find_annotation(annotations, "hidden").is_some()
}

impl Lowerer<'_> {
    /// Remembers an extern object.
    pub fn note_extern(&mut self, object: &Rc<ExternObject>) {
        self.visible.externs.push(object.clone());
    }

    /// Reports a name that another object of the same kind has already.
    pub fn claim_name(&mut self, kind: &str, name: &str, span: Span) {
        let key = (kind.to_owned(), name.to_owned());
        if let Some(first) = self.visible.claimed_names.insert(key, span) {
            let message = format!("the control-plane name '{name}' is used for more than one {kind}");
            self.messages.error_with_place(Kind::Duplicate, span, message, first, "the first one is here");
        }
    }

    /// A table as the control plane sees it, without its properties.
    pub fn visible_table(&mut self, id: TableId, name: String, size: u64, actions: &[(ActionId, String)]) -> Table {
        let declared = &self.typed[id];
        let key_annotations: Vec<&[Annotation]> = declared.keys.iter().map(|k| &k.annotations[..]).collect();
        let ids = part_ids(&key_annotations);
        let mut match_fields = vec![];
        for (key, id) in declared.keys.iter().zip(ids) {
            let kind = self.typed[key.match_kind].name.clone();
            if let Some(match_type) = match_type(&kind) {
                let (bits, type_name) = self.type_specs.visible_type(&key.value.ty);
                match_fields.push(MatchField {
                    id,
                    name: self.key_name(key),
                    bits,
                    match_type,
                    type_name,
                    notes: notes(self.sources, &key.annotations, &[]),
                });
            }
        }
        let mut action_refs = vec![];
        for (reference, (_, name)) in declared.actions.iter().zip(actions) {
            let has = |name: &str| find_annotation(&reference.annotations, name).is_some();
            let mut notes = notes(self.sources, &reference.annotations, &[]);
            let scope = if has("tableonly") {
                Scope::TableOnly
            } else if has("defaultonly") || !reference.is_listed {
                Scope::DefaultOnly
            } else {
                Scope::TableAndDefault
            };
            if !reference.is_listed && !has("defaultonly") {
                let text = "@defaultonly".to_owned();
                notes.annotations.push(p4_ir::control_plane::Annotation::Text(text));
            }
            action_refs.push(ActionRef { name: name.clone(), scope, notes });
        }
        let default_action = declared.default_action.as_ref().and_then(|call| {
            let (action, name) = actions.get(call.action)?;
            Some(DefaultAction {
                name: name.clone(),
                constant: declared.default_is_const,
                args: self.visible_args(*action, &call.args),
            })
        });
        Table {
            preamble: preamble(self.sources, name, &declared.annotations, &[]),
            match_fields,
            action_refs,
            default_action,
            implementation: None,
            direct_counter: None,
            direct_meter: None,
            size,
            idle_timeout: false,
            is_const: declared.entries_are_const,
            entries: vec![],
        }
    }

    /// The entries of a table, lowered in the program's order, as the control plane sees them.
    pub fn visible_entries(
        &mut self,
        id: TableId,
        keys: &[Key],
        actions: &[(ActionId, String)],
        lowered: &[(Option<i64>, Entry)],
    ) -> Vec<TableEntry> {
        let declared = &self.typed[id];
        let by_priority = |key: &Key| matches!(key.kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional);
        let prioritized = keys.iter().any(by_priority);
        let mut visible = vec![];
        for (position, (entry, (given, lowered))) in declared.entries.iter().zip(lowered).enumerate() {
            let Some((action, name)) = actions.get(entry.action.action) else {
                continue;
            };
            // The first of constant entries wins, and in P4Runtime the greatest number does.
            let counted = || i64::try_from(declared.entries.len() - position).ok();
            let priority = if declared.entries_are_const { counted() } else { *given };
            let entry = TableEntry {
                keys: lowered.keys.iter().cloned().zip(keys.iter().map(|key| key.width)).collect(),
                action: name.clone(),
                args: self.visible_args(*action, &entry.action.args),
                priority: priority.filter(|_| prioritized),
                is_const: entry.is_const,
            };
            visible.push((given.unwrap_or(0), entry));
        }
        // As p4c has them: those that win come first.
        if !declared.entries_are_const {
            let largest_wins = declared.largest_priority_wins.unwrap_or(true);
            visible.sort_by_key(|(given, _)| if largest_wins { -given } else { *given });
        }
        visible.into_iter().map(|(_, entry)| entry).collect()
    }

    fn visible_args(&mut self, action: ActionId, args: &[typed::Expr]) -> Vec<(u32, BigInt, u32)> {
        let declared = &self.typed[action];
        let data: Vec<&typed::Parameter> = declared.params.iter().filter(|p| p.direction == Direction::None).collect();
        let mut visible = vec![];
        for (position, (param, arg)) in data.iter().zip(args).enumerate() {
            let bits = self.storage.scalar_type(&param.ty).map_or(0, |ty| ty.width());
            let id = id_of(&param.annotations).unwrap_or(position as u32 + 1);
            visible.push((id, self.known_bits(arg, bits), bits));
        }
        visible
    }

    /// Puts everything in the order of the declarations.
    pub fn collect_control_plane(&mut self, main: InstanceId) {
        self.package_info(main);
        let blocks: Vec<usize> = self.contexts[0]
            .declared
            .iter()
            .filter_map(|declared| match declared {
                Declared::Context(context) => Some(*context),
                _ => None,
            })
            .collect();
        for block in &blocks {
            let mut tables = vec![];
            self.tables_within(*block, &mut tables);
            for place in tables {
                let hidden = is_hidden(&self.typed[place.1].annotations);
                if let (false, Some(state)) = (hidden, self.tables.get(place.0, place.1)) {
                    self.ir.control_plane.tables.push(state.visible.clone());
                }
            }
        }
        self.check_action_names();
        let mut known = HashSet::new();
        for block in &blocks {
            self.actions_within(*block, &mut known);
        }
        self.visible_externs();
        self.visible_value_sets();
        self.controller_headers();
        let plane = &self.ir.control_plane;
        let typed_parts = !plane.tables.is_empty()
            || !self.visible.externs.is_empty()
            || self.visible.calls_extern_functions
            || plane.actions.iter().any(|action| !action.params.is_empty())
            || plane.controller_headers.iter().any(|header| !header.fields.is_empty());
        self.type_specs.types.is_present = typed_parts;
        for (name, ty) in self.visible.digests.clone() {
            let type_spec = self.type_specs.type_spec(&ty);
            self.ir.control_plane.digests.push(Digest { preamble: preamble(self.sources, name, &[], &[]), type_spec });
        }
    }

    /// Different actions need different control-plane names.
    fn check_action_names(&mut self) {
        let in_tables = self.tables.in_order().into_iter().flat_map(|state| state.actions.iter().cloned());
        let direct = self.visible.direct_actions.iter().map(|(_, id, name)| (*id, name.clone()));
        let all: Vec<(ActionId, String)> = in_tables.chain(direct).collect();
        let mut owners: HashMap<String, ActionId> = HashMap::new();
        let mut reported = HashSet::new();
        for (id, name) in all {
            let owner = *owners.entry(name.clone()).or_insert(id);
            if owner != id && reported.insert((id, name.clone())) {
                let message = format!("the control-plane name '{name}' is used for more than one action");
                let first = self.typed[owner].span;
                let span = self.typed[id].span;
                self.messages.error_with_place(Kind::Duplicate, span, message, first, "the first one is here");
            }
        }
    }

    fn package_info(&mut self, main: InstanceId) {
        let annotations = &self.typed[main].annotations;
        let package = self.ir.control_plane.package.insert(PackageInfo::default());
        package.notes = notes(self.sources, annotations, &["pkginfo", "platform_property"]);
        for annotation in annotations {
            let AnnotationBody::Pairs(pairs) = &annotation.body else {
                continue;
            };
            for (key, value) in pairs {
                self.package_field(annotation, key, value);
            }
        }
    }

    /// Adds a pair of `@pkginfo` or `@platform_property` to P4Info. A key without a field in P4Info gets a message, as
    /// in p4c.
    fn package_field(&mut self, annotation: &Annotation, key: &str, value: &Value) {
        let name = &*annotation.name;
        let (known, expected): (&[&str], _) = match name {
            "pkginfo" => (&PACKAGE_FIELDS, "a string"),
            "platform_property" => (&PLATFORM_FIELDS, "an integer"),
            _ => return,
        };
        if !known.contains(&key) {
            let message = format!("unknown key '{key}' in @{name}: P4Info has no field for it");
            let help = format!("known are {}", known.join(", "));
            self.messages.warning_with_help(Kind::Unknown, annotation.span, message, &help);
            return;
        }
        let Some(package) = &mut self.ir.control_plane.package else { return };
        match value {
            Value::String(text) if name == "pkginfo" => package.fields.push((key.to_owned(), text.to_string())),
            Value::Int(number) if name == "platform_property" => {
                package.platform.push((key.to_owned(), number.to_i64().unwrap_or(0)));
            }
            _ => {
                let message = format!("the value of '{key}' in @{name} is not {expected}");
                self.messages.error_of_declaration(Kind::Unsupported, annotation.span, message);
                return;
            }
        }
        if key == "arch" {
            let message = "the compiler sets 'arch' of @pkginfo; the program's value takes its place";
            self.messages.warning_of(Kind::Invalid, annotation.span, message);
        }
    }

    /// Tables that are applied, in the order of declaration.
    fn tables_within(&self, context: usize, out: &mut Vec<(usize, TableId)>) {
        for declared in &self.contexts[context].declared {
            match declared {
                Declared::Table(id) => {
                    if self.tables.get(context, *id).is_some() {
                        out.push((context, *id));
                    }
                }
                Declared::Context(inner) => self.tables_within(*inner, out),
                Declared::Action(_) => {}
            }
        }
    }

    /// Actions that tables use or bodies call: those of the top level first, then in the order of declaration.
    fn actions_within(&mut self, block: usize, known: &mut HashSet<String>) {
        let mut tables = vec![];
        self.tables_within(block, &mut tables);
        let mut used: Vec<(ActionId, String, bool)> = vec![];
        for place in tables {
            if let Some(state) = self.tables.get(place.0, place.1) {
                used.extend(state.actions.iter().map(|(id, name)| (*id, name.clone(), true)));
            }
        }
        let mut contexts = vec![];
        self.contexts_within(block, &mut contexts);
        for (context, id, name) in &self.visible.direct_actions {
            if contexts.contains(context) {
                used.push((*id, name.clone(), false));
            }
        }
        let mut order = vec![];
        for item in &self.typed.top_level {
            if let typed::TopLevel::Action(id) = item {
                order.push(*id);
            }
        }
        self.declared_actions(block, &mut order);
        for id in order {
            for (_, name, with_data) in used.clone().into_iter().filter(|used| used.0 == id) {
                if known.insert(name.clone()) && !is_hidden(&self.typed[id].annotations) {
                    let action = self.visible_action(id, name, with_data);
                    self.ir.control_plane.actions.push(action);
                }
            }
        }
    }

    fn contexts_within(&self, context: usize, out: &mut Vec<usize>) {
        out.push(context);
        for declared in &self.contexts[context].declared {
            if let Declared::Context(inner) = declared {
                self.contexts_within(*inner, out);
            }
        }
    }

    fn declared_actions(&self, context: usize, out: &mut Vec<ActionId>) {
        for declared in &self.contexts[context].declared {
            match declared {
                Declared::Action(id) => {
                    if !out.contains(id) {
                        out.push(*id);
                    }
                }
                Declared::Context(inner) => self.declared_actions(*inner, out),
                Declared::Table(_) => {}
            }
        }
    }

    /// An action; one that bodies call directly has no data.
    fn visible_action(&mut self, id: ActionId, name: String, with_data: bool) -> Action {
        let declared = &self.typed[id];
        let is_data = |p: &&typed::Parameter| with_data && p.direction == Direction::None;
        let data: Vec<&typed::Parameter> = declared.params.iter().filter(is_data).collect();
        let annotations: Vec<&[Annotation]> = data.iter().map(|p| &p.annotations[..]).collect();
        let ids = part_ids(&annotations);
        let mut params = vec![];
        for (param, id) in data.into_iter().zip(ids) {
            let (bits, type_name) = self.type_specs.visible_type(&param.ty);
            let type_name = type_name.or_else(|| match &param.ty {
                Type::Enum(id) if self.typed[*id].underlying.is_none() => Some(self.typed[*id].name.to_string()),
                _ => None,
            });
            params.push(Param {
                id,
                name: control_plane_name(&param.annotations, &param.name),
                bits,
                type_name,
                notes: notes(self.sources, &param.annotations, &[]),
            });
        }
        Action { preamble: preamble(self.sources, name, &declared.annotations, &[]), params }
    }
}
