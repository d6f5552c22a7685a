//! Extern objects, value sets and controller headers as the control plane sees them.

use crate::control_plane::collection::{PROFILE_ANNOTATIONS, is_hidden, match_type, preamble};
use crate::control_plane::names::control_plane_name;
use crate::control_plane::types::{notes, part_ids};
use crate::lowerer::Lowerer;
use crate::storage::place::{ExternObject, InPlace};
use num_traits::ToPrimitive;
use p4_ir::control_plane::{
    ActionProfile, ControllerHeader, Counted, MatchField, MatchType, Notes, Param, Register, SelectorSize, Table,
    ValueSet,
};
use p4_syntax::Kind;
use p4_types::typed::{self, Annotation, AnnotationBody, StructKind, Type, Value, find_annotation};
use std::rc::Rc;

impl Lowerer<'_> {
    /// Registers, counters, meters and action profiles.
    pub fn visible_externs(&mut self) {
        for object in self.visible.externs.clone() {
            let (name, annotations) = match self.made_in_place(&object) {
                // Its table's property tells the name, and is not the object's own declaration.
                Some(made) => (made.name.clone(), vec![]),
                None => (object.name.clone(), self.typed[object.instance].annotations.clone()),
            };
            let table_with = |lowerer: &Self, pick: &dyn Fn(&Table) -> Option<&String>| {
                let tables = &lowerer.ir.control_plane.tables;
                let table = tables.iter().find(|t| pick(t) == Some(&name));
                table.map(|t| t.preamble.name.clone())
            };
            match &*object.kind {
                "register" => {
                    let ty = object.type_args.first().cloned().unwrap_or(Type::Unknown);
                    let type_spec = self.type_specs.type_spec(&ty);
                    let size = self.number_arg(&object, "size");
                    self.ir.control_plane.registers.push(Register {
                        preamble: preamble(self.sources, name, &annotations, &[]),
                        type_spec,
                        size,
                    });
                }
                "counter" | "direct_counter" => {
                    let direct = &*object.kind == "direct_counter";
                    let table = table_with(self, &|t| t.direct_counter.as_ref());
                    if direct && table.is_none() {
                        // A hidden table's counter is hidden with it.
                        if !self.ir.counters.iter().any(|counter| counter.name == name) {
                            self.unused(&object);
                        }
                        continue;
                    }
                    let size = if direct { 0 } else { self.number_arg(&object, "size") };
                    let unit = match self.enum_arg(&object, "type").as_deref() {
                        Some("bytes") => "BYTES",
                        Some("packets_and_bytes") => "BOTH",
                        _ => "PACKETS",
                    };
                    self.ir.control_plane.counters.push(Counted {
                        preamble: preamble(self.sources, name, &annotations, &[]),
                        unit,
                        size,
                        table: table.filter(|_| direct),
                    });
                }
                "meter" | "direct_meter" => {
                    let direct = &*object.kind == "direct_meter";
                    let table = table_with(self, &|t| t.direct_meter.as_ref());
                    if direct && table.is_none() {
                        let is_read = self.direct_meters.destination(&name).is_some();
                        if !self.ir.meters.iter().any(|meter| meter.name == name) {
                            if is_read { self.meter_of_no_table(&object) } else { self.unused(&object) }
                        }
                        continue;
                    }
                    let size = if direct { 0 } else { self.number_arg(&object, "size") };
                    let unit = match self.enum_arg(&object, "type").as_deref() {
                        Some("bytes") => "BYTES",
                        _ => "PACKETS",
                    };
                    self.ir.control_plane.meters.push(Counted {
                        preamble: preamble(self.sources, name, &annotations, &[]),
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

    fn made_in_place(&self, object: &Rc<ExternObject>) -> Option<&InPlace> {
        self.visible.in_place.iter().find(|made| Rc::ptr_eq(&made.object, object))
    }

    fn unused(&mut self, object: &ExternObject) {
        let span = self.typed[object.instance].span;
        let message = format!("'{}' belongs to no table and is left out", object.name);
        self.messages.warning_of(Kind::Unused, span, message);
    }

    fn meter_of_no_table(&mut self, object: &ExternObject) {
        let span = self.typed[object.instance].span;
        let message = format!("the direct meter '{}' is read, but belongs to no table", object.name);
        self.error_of(Kind::Invalid, span, message);
    }

    fn visible_profile(&mut self, object: &Rc<ExternObject>) {
        let (name, annotations) = match self.made_in_place(object) {
            Some(made) => (made.name.clone(), made.annotations.clone()),
            None if self.typed[object.instance].origin == typed::InstanceOrigin::Declared => {
                (object.name.clone(), self.typed[object.instance].annotations.clone())
            }
            None => return,
        };
        let tables = &self.ir.control_plane.tables;
        let mut users: Vec<String> = tables
            .iter()
            .filter(|t| t.implementation.as_ref() == Some(&name))
            .map(|t| t.preamble.name.clone())
            .collect();
        users.sort();
        let with_selector = &*object.kind == "action_selector";
        let number =
            |key: &str| find_annotation(&annotations, key).and_then(|a| a.number()?.to_i64()).filter(|_| with_selector);
        let semantics = find_annotation(&annotations, "selector_size_semantics");
        let semantics = semantics.and_then(Annotation::string).filter(|_| with_selector);
        let selector_size = semantics.map(|text| match text.to_lowercase().as_str() {
            "sum_of_members" => SelectorSize::SumOfMembers(number("max_member_weight").unwrap_or(0)),
            _ => SelectorSize::SumOfWeights,
        });
        let max_group_size = number("max_group_size");
        let size = self.number_arg(object, "size");
        self.ir.control_plane.action_profiles.push(ActionProfile {
            preamble: preamble(self.sources, name, &annotations, &PROFILE_ANNOTATIONS),
            tables: users,
            with_selector,
            size,
            max_group_size,
            selector_size,
        });
    }

    /// Parser value sets.
    pub fn visible_value_sets(&mut self) {
        for (context, id, size) in self.value_sets.in_order().to_vec() {
            let declared = &self.typed[id];
            let prefix = &self.contexts[context].prefix;
            let name = crate::blocks::instance::qualified(prefix, &declared.annotations, &declared.name);
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
                    let mut members = vec![];
                    simple_members(self.typed, struct_id, "", &mut members);
                    let annotations: Vec<&[Annotation]> = members.iter().map(|(_, f)| &f.annotations[..]).collect();
                    for ((name, member), id) in members.iter().zip(part_ids(&annotations)) {
                        let (bits, name) = (self.typed.width(&member.ty).unwrap_or(0) as u32, name.clone());
                        let mut field = plain(id, name, bits, notes(self.sources, &member.annotations, &["match"]));
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

    /// Packet-in and packet-out headers.
    pub fn controller_headers(&mut self) {
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
            let annotations: Vec<&[Annotation]> = visible.iter().map(|(_, f)| &f.annotations[..]).collect();
            let mut fields = vec![];
            for ((name, field), id) in visible.iter().zip(part_ids(&annotations)) {
                let (bits, type_name) = self.type_specs.visible_type(&field.ty);
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
        let name = format!("{prefix}{}", control_plane_name(&field.annotations, &field.name));
        match typed.strip_new_types(&field.ty) {
            Type::Struct(id) => header_parts(typed, &format!("{name}."), &typed[id].fields, out),
            _ => out.push((name, field)),
        }
    }
}

/// The simple members of a structure, also those of structures within, with their names.
fn simple_members<'p>(
    program: &'p typed::Program,
    of: typed::StructId,
    prefix: &str,
    found: &mut Vec<(String, &'p typed::Field)>,
) {
    for member in &program[of].fields {
        let name = format!("{prefix}{}", control_plane_name(&member.annotations, &member.name));
        match program.strip_new_types(&member.ty) {
            Type::Struct(within) => simple_members(program, within, &format!("{name}."), found),
            _ => found.push((name, member)),
        }
    }
}
