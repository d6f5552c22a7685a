//! Properties of tables, and the control-plane names of keys.

use crate::blocks::instance::qualified;
use crate::lowerer::Lowerer;
use crate::storage::place::{ExternObject, InPlace, ObjectRef};
use p4_ir::control::{ActionProfile, Counter, Meter, TableId as IrTable};
use p4_ir::expr::{Expr, Ty};
use p4_syntax::Kind;
use p4_types::typed::{self, Callee, TableId, Type};
use std::rc::Rc;

impl Lowerer<'_> {
    /// The control-plane name of a key: that of `@name`, or made from the expression.
    pub fn key_name(&self, key: &typed::TableKey) -> String {
        let given = typed::find_annotation(&key.annotations, "name");
        match given.and_then(typed::Annotation::string) {
            Some(name) => name.to_owned(),
            None => self.expression_name(&key.value).unwrap_or_else(|| key.source_name.to_string()),
        }
    }

    /// The name of a field, element or validity; `@name` on the way counts, and a name that begins
    /// with a dot is absolute.
    fn expression_name(&self, expr: &typed::Expr) -> Option<String> {
        match &expr.kind {
            typed::ExprKind::Var(var) => Some(self.typed[*var].name.to_string()),
            typed::ExprKind::Field { base, field } => {
                let ty = self.typed.strip_new_types(&base.ty);
                let (Type::Struct(id) | Type::Header(id) | Type::Union(id)) = ty else {
                    return None;
                };
                let field = self.typed[id].fields.get(*field)?;
                let given = typed::find_annotation(&field.annotations, "name");
                let given = given.and_then(typed::Annotation::string);
                let name = given.unwrap_or(&field.name);
                match name.strip_prefix('.') {
                    Some(absolute) => Some(absolute.to_owned()),
                    None => Some(format!("{}.{name}", self.expression_name(base)?)),
                }
            }
            typed::ExprKind::Index { base, index } => match &index.kind {
                typed::ExprKind::Literal(typed::Value::Int(number)) => {
                    Some(format!("{}[{number}]", self.expression_name(base)?))
                }
                _ => None,
            },
            typed::ExprKind::Slice { base, high, low } => {
                Some(format!("{}[{high}:{low}]", self.expression_name(base)?))
            }
            typed::ExprKind::Call(call) => match &call.callee {
                Callee::IsValid(header) => Some(format!("{}.$valid$", self.expression_name(header)?)),
                _ => None,
            },
            _ => None,
        }
    }

    // Properties ---------------------------------------------------------------------------

    /// The properties that are not the same for all architectures.
    pub fn table_properties(
        &mut self,
        id: TableId,
        table: IrTable,
        selector: Vec<Expr>,
        visible: &mut p4_ir::control_plane::Table,
    ) {
        let declared = &self.typed[id];
        let index = table.index();
        for property in &declared.properties {
            match &*property.name {
                "implementation" => {
                    let Some(ObjectRef::Extern(object)) = self.object(&property.value) else {
                        self.error_of(Kind::Expected, property.span, "an action profile or selector is expected here");
                        continue;
                    };
                    if let Some(entry) = declared.entries.first() {
                        let message = "a table with an action profile or selector cannot have entries in the program";
                        let note = "its entries name members of this, which only a control plane makes";
                        let kind = Kind::Unsupported;
                        self.messages.error_with_place(kind, entry.span, message, property.span, note);
                    }
                    let name = self.property_name(&object, property, &visible.preamble.name);
                    self.use_profile(&object, &name, selector.clone(), property.span);
                    self.ir.tables[index].profile = Some(name.clone());
                    visible.implementation = Some(name);
                }
                "counters" => {
                    let Some(object) = self.property_object(property, "direct_counter") else { continue };
                    let name = self.property_name(&object, property, &visible.preamble.name);
                    let source = self.source(self.typed[object.instance].span);
                    if self.ir.counters.iter().any(|c| c.name == name) {
                        let message = format!("'{name}' already belongs to another table");
                        self.error_of(Kind::Invalid, property.span, message);
                    }
                    self.ir.counters.push(Counter {
                        name: name.clone(),
                        size: 0,
                        direct: Some(visible.preamble.name.clone()),
                        source,
                    });
                    self.ir.tables[index].with_counters = true;
                    visible.direct_counter = Some(name);
                }
                "meters" => {
                    let Some(object) = self.property_object(property, "direct_meter") else { continue };
                    let name = self.property_name(&object, property, &visible.preamble.name);
                    if self.ir.meters.iter().any(|meter| meter.name == name) {
                        let message = format!("'{name}' already belongs to another table");
                        self.error_of(Kind::Invalid, property.span, message);
                    }
                    self.use_direct_meter(&object, &name, table);
                    visible.direct_meter = Some(name);
                }
                "support_timeout" => {
                    let value = self.scalar(&property.value);
                    let Some(on) = value.as_bool() else {
                        self.error_of(Kind::Expected, property.span, "true or false is expected here");
                        continue;
                    };
                    self.ir.tables[index].support_timeout = on;
                    visible.idle_timeout = on;
                }
                other => {
                    let message = format!("the table property '{other}' is unknown and ignored");
                    self.messages.warning_of(Kind::IgnoreProperty, property.span, message);
                }
            }
        }
    }

    /// The object of a property, which must be of that kind.
    fn property_object(&mut self, property: &typed::TableProperty, kind: &str) -> Option<Rc<ExternObject>> {
        match self.object(&property.value) {
            Some(ObjectRef::Extern(object)) if &*object.kind == kind => Some(object),
            _ => {
                self.error_of(Kind::Expected, property.span, format!("a {kind} is expected here"));
                None
            }
        }
    }

    /// Keys that choose a member of a group, and nothing that has groups, or the other way round.
    pub fn check_selector_keys(&mut self, id: TableId) {
        let declared = &self.typed[id];
        let selector = declared.keys.iter().find(|key| &*self.typed[key.match_kind].name == "selector");
        let implementation = declared.properties.iter().find(|property| &*property.name == "implementation");
        let object = implementation.and_then(|property| self.object(&property.value));
        let has_groups = matches!(&object, Some(ObjectRef::Extern(object)) if &*object.kind == "action_selector");
        match (selector, implementation) {
            (Some(key), _) if !has_groups => {
                let message = "a key of kind 'selector' does nothing in a table without an action selector";
                self.messages.warning_of(Kind::Mismatch, key.span, message);
            }
            (None, Some(property)) if has_groups => {
                let message = "without a key of kind 'selector', a group has the same member for all packets";
                self.messages.warning_of(Kind::Mismatch, property.span, message);
            }
            _ => {}
        }
    }

    /// The name of an object in a property; one made in place is called by `@name` there.
    fn property_name(&mut self, object: &Rc<ExternObject>, property: &typed::TableProperty, table: &str) -> String {
        let instance = &self.typed[object.instance];
        if instance.origin == typed::InstanceOrigin::Declared {
            return object.name.clone();
        }
        let name = match typed::find_annotation(&property.annotations, "name") {
            Some(_) => qualified("", &property.annotations, ""),
            None => format!("{table}.{}", property.name),
        };
        let annotations = property.annotations.clone();
        self.visible.in_place.push(InPlace { object: object.clone(), name: name.clone(), annotations });
        name
    }

    fn use_profile(&mut self, object: &Rc<ExternObject>, name: &str, selector: Vec<Expr>, span: p4_syntax::Span) {
        let algorithm = match &*object.kind {
            "action_selector" => self.enum_arg(object, "algorithm"),
            "action_profile" => None,
            _ => {
                self.error_of(Kind::Expected, span, "an action profile or selector is expected here");
                return;
            }
        };
        if let Some(known) = self.tables.profile(name) {
            let fields = |input: &[Expr]| input.iter().map(Expr::as_field).collect::<Vec<_>>();
            let other = known.selector.as_ref().map(|(_, input)| fields(input));
            if other.is_some_and(|other| other != fields(&selector)) {
                let message = format!("all tables that use the selector '{name}' must have the same selector keys");
                self.error_of(Kind::Invalid, span, message);
            }
            return;
        }
        let size = self.number_arg(object, "size");
        let source = self.source(self.typed[object.instance].span);
        let profile = ActionProfile {
            name: name.to_owned(),
            size,
            selector: algorithm.map(|algorithm| (algorithm.to_string(), selector)),
            source,
        };
        self.tables.insert_profile(profile);
    }

    fn use_direct_meter(&mut self, object: &Rc<ExternObject>, name: &str, table: IrTable) {
        let unit = self.meter_unit(object);
        let source = self.source(self.typed[object.instance].span);
        let index = table.index();
        self.ir.tables[index].direct_meter = Some(name.to_owned());
        let target = self.direct_meters.destination(name);
        let target = target.unwrap_or_else(|| self.storage.new_scalar("meter_color", Ty::bit(8)));
        self.ir.meters.push(Meter {
            name: name.to_owned(),
            size: self.ir.tables[index].size,
            unit,
            direct: Some((self.ir.tables[index].name.clone(), target)),
            source,
        });
    }

    /// Actions that read a direct meter may come after the table: the last word on where colours go.
    pub fn direct_meter_destinations(&mut self) {
        for meter in &mut self.ir.meters {
            if let (Some((_, target)), Some(known)) = (&mut meter.direct, self.direct_meters.destination(&meter.name)) {
                *target = known;
            }
        }
    }
}
