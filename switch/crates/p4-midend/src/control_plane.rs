//! What the control plane sees: collected while lowering, put in order at the end.

use crate::instance::Declared;
use crate::lowerer::{Lowerer, control_plane_name};
use crate::place::ExternObject;
use crate::type_info::{id_of, notes, part_ids};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use p4_ir::control_plane::{
    Action, ActionProfile, ActionRef, ControllerHeader, Counted, DefaultAction, Digest, MatchField,
    MatchType, Notes, PackageInfo, Param, Preamble, Register, Scope, SelectorSize, Table, ValueSet,
};
use p4_syntax::{SourceMap, Span};
use p4_types::typed::{
    self, ActionId, Annotation, AnnotationBody, Direction, InstanceId, StructKind, TableId, Type,
    Value, find_annotation,
};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Annotations of action profiles that have places of their own.
const PROFILE_ANNOTATIONS: [&str; 3] = [
    "max_group_size",
    "selector_size_semantics",
    "max_member_weight",
];

fn preamble(
    sources: &SourceMap,
    name: String,
    annotations: &[Annotation],
    skip: &[&str],
) -> Preamble {
    Preamble {
        name,
        id: id_of(annotations),
        notes: notes(sources, annotations, skip),
    }
}

fn match_type(kind: &str) -> Option<MatchType> {
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

fn is_hidden(annotations: &[Annotation]) -> bool {
    find_annotation(annotations, "hidden").is_some()
}

impl Lowerer<'_> {
    /// Remembers an extern object.
    pub fn note_extern(&mut self, object: &Rc<ExternObject>) {
        self.externs.push(object.clone());
    }

    /// Reports a name that another object of the same kind has already.
    pub fn claim_name(&mut self, kind: &str, name: &str, span: Span) {
        let key = (kind.to_owned(), name.to_owned());
        if let Some(first) = self.claimed_names.insert(key, span) {
            let message =
                format!("the control-plane name '{name}' is used for more than one {kind}");
            self.diagnostics
                .error(span, message)
                .note_at(first, "the first one is here");
        }
    }

    /// A table as the control plane sees it, without its properties.
    pub fn visible_table(
        &mut self,
        id: TableId,
        name: String,
        size: u64,
        actions: &[(ActionId, String)],
    ) -> Table {
        let declared = &self.typed[id];
        let key_annotations: Vec<&[Annotation]> =
            declared.keys.iter().map(|k| &k.annotations[..]).collect();
        let ids = part_ids(&key_annotations);
        let mut match_fields = vec![];
        for (key, id) in declared.keys.iter().zip(ids) {
            let kind = self.typed[key.match_kind].name.clone();
            if let Some(match_type) = match_type(&kind) {
                let (bits, type_name) = self.visible_type(&key.value.ty);
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
                notes
                    .annotations
                    .push(p4_ir::control_plane::Annotation::Text(text));
            }
            action_refs.push(ActionRef {
                name: name.clone(),
                scope,
                notes,
            });
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
            has_initial_entries: !declared.entries.is_empty(),
        }
    }

    fn visible_args(&mut self, action: ActionId, args: &[typed::Expr]) -> Vec<(u32, BigInt, u32)> {
        let declared = &self.typed[action];
        let data: Vec<&typed::Parameter> = declared
            .params
            .iter()
            .filter(|p| p.direction == Direction::None)
            .collect();
        let mut visible = vec![];
        for (position, (param, arg)) in data.iter().zip(args).enumerate() {
            let bits = self.scalar_type(&param.ty).map_or(0, |ty| ty.width());
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
                if let (false, Some(state)) = (hidden, self.tables.get(&place)) {
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
            || !self.externs.is_empty()
            || self.calls_extern_functions
            || plane.actions.iter().any(|action| !action.params.is_empty())
            || plane
                .controller_headers
                .iter()
                .any(|header| !header.fields.is_empty());
        self.ir.control_plane.types.is_present = typed_parts;
        for (name, ty) in self.digests.clone() {
            let type_spec = self.type_spec(&ty);
            self.ir.control_plane.digests.push(Digest {
                preamble: preamble(self.sources, name, &[], &[]),
                type_spec,
            });
        }
    }

    /// Different actions need different control-plane names.
    fn check_action_names(&mut self) {
        let mut tables: Vec<&crate::table::TableState> = self.tables.values().collect();
        tables.sort_by_key(|state| state.id);
        let in_tables = tables
            .into_iter()
            .flat_map(|state| state.actions.iter().cloned());
        let direct = self
            .direct_actions
            .iter()
            .map(|(_, id, name)| (*id, name.clone()));
        let all: Vec<(ActionId, String)> = in_tables.chain(direct).collect();
        let mut owners: HashMap<String, ActionId> = HashMap::new();
        let mut reported = HashSet::new();
        for (id, name) in all {
            let owner = *owners.entry(name.clone()).or_insert(id);
            if owner != id && reported.insert((id, name.clone())) {
                let message =
                    format!("the control-plane name '{name}' is used for more than one action");
                let first = self.typed[owner].span;
                let error = self.diagnostics.error(self.typed[id].span, message);
                error.note_at(first, "the first one is here");
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
                match (&*annotation.name, value) {
                    ("pkginfo", Value::String(text)) => {
                        package.fields.push((key.to_string(), text.to_string()));
                    }
                    ("platform_property", Value::Int(number)) => {
                        let number = number.to_i64().unwrap_or(0);
                        package.platform.push((key.to_string(), number));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Tables that are applied, in the order of declaration.
    fn tables_within(&self, context: usize, out: &mut Vec<(usize, TableId)>) {
        for declared in &self.contexts[context].declared {
            match declared {
                Declared::Table(id) => {
                    if self.tables.contains_key(&(context, *id)) {
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
            if let Some(state) = self.tables.get(&place) {
                used.extend(
                    state
                        .actions
                        .iter()
                        .map(|(id, name)| (*id, name.clone(), true)),
                );
            }
        }
        let mut contexts = vec![];
        self.contexts_within(block, &mut contexts);
        for (context, id, name) in &self.direct_actions {
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
            let (bits, type_name) = self.visible_type(&param.ty);
            let type_name = type_name.or_else(|| match &param.ty {
                Type::Enum(id) if self.typed[*id].underlying.is_none() => {
                    Some(self.typed[*id].name.to_string())
                }
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
        Action {
            preamble: preamble(self.sources, name, &declared.annotations, &[]),
            params,
        }
    }

    // Externs ------------------------------------------------------------------------------

    fn visible_externs(&mut self) {
        for object in self.externs.clone() {
            let instance = &self.typed[object.instance];
            let table_with = |lowerer: &Self, pick: &dyn Fn(&Table) -> Option<&String>| {
                let tables = &lowerer.ir.control_plane.tables;
                let table = tables.iter().find(|t| pick(t) == Some(&object.name));
                table.map(|t| t.preamble.name.clone())
            };
            match &*object.kind {
                "register" => {
                    let ty = object.type_args.first().cloned().unwrap_or(Type::Unknown);
                    let type_spec = self.type_spec(&ty);
                    let size = self.number_arg(&object, "size");
                    self.ir.control_plane.registers.push(Register {
                        preamble: preamble(
                            self.sources,
                            object.name.clone(),
                            &instance.annotations,
                            &[],
                        ),
                        type_spec,
                        size,
                    });
                }
                "counter" | "direct_counter" => {
                    let direct = &*object.kind == "direct_counter";
                    let table = table_with(self, &|t| t.direct_counter.as_ref());
                    if direct && table.is_none() {
                        self.unused(&object);
                        continue;
                    }
                    let size = if direct {
                        0
                    } else {
                        self.number_arg(&object, "size")
                    };
                    let unit = match self.enum_arg(&object, "type").as_deref() {
                        Some("bytes") => "BYTES",
                        Some("packets_and_bytes") => "BOTH",
                        _ => "PACKETS",
                    };
                    self.ir.control_plane.counters.push(Counted {
                        preamble: preamble(
                            self.sources,
                            object.name.clone(),
                            &instance.annotations,
                            &[],
                        ),
                        unit,
                        size,
                        table: table.filter(|_| direct),
                    });
                }
                "meter" | "direct_meter" => {
                    let direct = &*object.kind == "direct_meter";
                    let table = table_with(self, &|t| t.direct_meter.as_ref());
                    if direct && table.is_none() {
                        self.unused(&object);
                        continue;
                    }
                    let size = if direct {
                        0
                    } else {
                        self.number_arg(&object, "size")
                    };
                    let unit = match self.enum_arg(&object, "type").as_deref() {
                        Some("bytes") => "BYTES",
                        _ => "PACKETS",
                    };
                    self.ir.control_plane.meters.push(Counted {
                        preamble: preamble(
                            self.sources,
                            object.name.clone(),
                            &instance.annotations,
                            &[],
                        ),
                        unit,
                        size,
                        table: table.filter(|_| direct),
                    });
                }
                "action_profile" | "action_selector" => self.visible_profile(&object),
                _ => {}
            }
        }
    }

    fn unused(&mut self, object: &ExternObject) {
        let span = self.typed[object.instance].span;
        let message = format!("'{}' belongs to no table and is left out", object.name);
        self.diagnostics.warning(span, message);
    }

    fn visible_profile(&mut self, object: &Rc<ExternObject>) {
        let instance = &self.typed[object.instance];
        let in_place = instance.origin != typed::InstanceOrigin::Declared;
        let tables = &self.ir.control_plane.tables;
        let name = if in_place {
            // Known by the name its table gave it.
            let known = &self.profiles;
            let all = tables.iter().filter_map(|t| t.implementation.clone());
            let mut all = all.filter(|name| known.contains_key(name));
            let listed = &self.ir.control_plane.action_profiles;
            match all.find(|name| !listed.iter().any(|p| p.preamble.name == *name)) {
                Some(name) => name,
                None => return,
            }
        } else {
            object.name.clone()
        };
        let mut users: Vec<String> = tables
            .iter()
            .filter(|t| t.implementation.as_ref() == Some(&name))
            .map(|t| t.preamble.name.clone())
            .collect();
        users.sort();
        let with_selector = &*object.kind == "action_selector";
        let number = |key: &str| {
            find_annotation(&instance.annotations, key)
                .and_then(|a| a.number()?.to_i64())
                .filter(|_| with_selector)
        };
        let semantics = find_annotation(&instance.annotations, "selector_size_semantics");
        let semantics = semantics
            .and_then(Annotation::string)
            .filter(|_| with_selector);
        let selector_size = semantics.map(|text| match text.to_lowercase().as_str() {
            "sum_of_members" => {
                SelectorSize::SumOfMembers(number("max_member_weight").unwrap_or(0))
            }
            _ => SelectorSize::SumOfWeights,
        });
        let max_group_size = number("max_group_size");
        let size = self.number_arg(object, "size");
        self.ir.control_plane.action_profiles.push(ActionProfile {
            preamble: preamble(
                self.sources,
                name,
                &instance.annotations,
                &PROFILE_ANNOTATIONS,
            ),
            tables: users,
            with_selector,
            size,
            max_group_size,
            selector_size,
        });
    }

    fn visible_value_sets(&mut self) {
        for (context, id, size) in self.value_set_order.clone() {
            let declared = &self.typed[id];
            let prefix = &self.contexts[context].prefix;
            let name = crate::instance::qualified(prefix, &declared.annotations, &declared.name);
            let plain = |id: u32, name: String, bits: u32, notes: Notes| MatchField {
                id,
                name,
                bits,
                match_type: MatchType::Standard("EXACT"),
                type_name: None,
                notes,
            };
            let mut fields = vec![];
            match self.typed.strip_new_types(&declared.element) {
                Type::Struct(struct_id) => {
                    let members = &self.typed[struct_id].fields;
                    let annotations: Vec<&[Annotation]> =
                        members.iter().map(|f| &f.annotations[..]).collect();
                    for (member, id) in members.iter().zip(part_ids(&annotations)) {
                        let bits = self.typed.width(&member.ty).unwrap_or(0) as u32;
                        let name = control_plane_name(&member.annotations, &member.name);
                        let mut field = plain(
                            id,
                            name,
                            bits,
                            notes(self.sources, &member.annotations, &["match"]),
                        );
                        if let Some(kind) = self.match_annotation(&member.annotations) {
                            field.match_type = kind;
                        }
                        fields.push(field);
                    }
                }
                Type::Enum(enum_id) => {
                    let declared = &self.typed[enum_id];
                    let bits = declared.underlying.as_ref();
                    let bits = bits.and_then(|ty| self.typed.width(ty)).unwrap_or(0) as u32;
                    for (position, member) in declared.members.iter().enumerate() {
                        let name = control_plane_name(&member.annotations, &member.name);
                        fields.push(plain(position as u32 + 1, name, bits, Notes::default()));
                    }
                }
                other => {
                    let bits = self.typed.width(&other).unwrap_or(0) as u32;
                    fields.push(plain(1, String::new(), bits, Notes::default()));
                }
            }
            self.ir.control_plane.value_sets.push(ValueSet {
                preamble: preamble(self.sources, name, &declared.annotations, &[]),
                fields,
                size,
            });
        }
    }

    fn match_annotation(&self, annotations: &[Annotation]) -> Option<MatchType> {
        match &find_annotation(annotations, "match")?.body {
            AnnotationBody::Tokens(kind) => match_type(kind.trim()),
            AnnotationBody::Values(values) => match values.as_slice() {
                [Value::MatchKind(id)] => match_type(&self.typed[*id].name),
                [Value::String(kind)] => match_type(kind),
                _ => None,
            },
            _ => None,
        }
    }

    fn controller_headers(&mut self) {
        let typed = self.typed;
        for declared in &typed.structs {
            if declared.kind != StructKind::Header || is_hidden(&declared.annotations) {
                continue;
            }
            let Some(marker) = find_annotation(&declared.annotations, "controller_header") else {
                continue;
            };
            let Some(controller_name) = marker.string() else {
                continue;
            };
            let mut visible = vec![];
            header_parts(typed, "", &declared.fields, &mut visible);
            let annotations: Vec<&[Annotation]> =
                visible.iter().map(|(_, f)| &f.annotations[..]).collect();
            let mut fields = vec![];
            for ((name, field), id) in visible.iter().zip(part_ids(&annotations)) {
                let (bits, type_name) = self.visible_type(&field.ty);
                fields.push(Param {
                    id,
                    name: name.clone(),
                    bits,
                    type_name,
                    notes: notes(self.sources, &field.annotations, &[]),
                });
            }
            let name = control_plane_name(&declared.annotations, &declared.name);
            let header = ControllerHeader {
                preamble: preamble(self.sources, name, &declared.annotations, &[]),
                controller_name: controller_name.to_owned(),
                fields,
            };
            self.ir.control_plane.controller_headers.push(header);
        }
    }
}

/// The fields of a header that are not hidden, those of structures within with dotted names.
fn header_parts<'t>(
    typed: &'t typed::Program,
    prefix: &str,
    fields: &'t [typed::Field],
    out: &mut Vec<(String, &'t typed::Field)>,
) {
    for field in fields {
        if is_hidden(&field.annotations) {
            continue;
        }
        let name = format!(
            "{prefix}{}",
            control_plane_name(&field.annotations, &field.name)
        );
        match typed.strip_new_types(&field.ty) {
            Type::Struct(id) => header_parts(typed, &format!("{name}."), &typed[id].fields, out),
            _ => out.push((name, field)),
        }
    }
}
