//! Storage for values of any type: the layout of types, and the allocation.

use crate::control_plane::names::{Names, control_plane_name};
use crate::messages::Messages;
use crate::storage::layouts::Layouts;
use crate::storage::place::Place;
use crate::storage::temporaries::Temporaries;
use p4_ir::expr::Ty;
use p4_ir::storage::{
    Field, FieldRef, FieldWidth, HeaderId, HeaderType, HeaderTypeId, Stack, StackId, Union, UnionId, UnionStack,
    UnionStackId, UnionType, UnionTypeId,
};
use p4_syntax::Kind;
use p4_types::typed::{self, StructId, Type, VarId};
use std::rc::Rc;

/// The storage of the program, as far as it has been made.
pub struct Storage<'a> {
    typed: &'a typed::Program,
    messages: Rc<Messages<'a>>,
    /// The storage made so far.
    pub program: p4_ir::storage::Storage,
    layouts: Layouts,
    names: Names,
    /// Storage that is used again.
    pub temporaries: Temporaries,
}

/// How a simple type is represented; `None` for all others.
pub fn scalar_type(typed: &typed::Program, ty: &Type) -> Option<Ty> {
    match typed.representation(ty) {
        Type::Bool => Some(Ty::Bool),
        Type::Bit(width) => Some(Ty::bit(width)),
        Type::Int(width) => Some(Ty::Bits { width, signed: true }),
        Type::Error | Type::Enum(_) => Some(Ty::bit(32)),
        _ => None,
    }
}

impl<'a> Storage<'a> {
    /// Nothing but the scalars.
    pub fn new(typed: &'a typed::Program, messages: Rc<Messages<'a>>) -> Self {
        let mut program = p4_ir::storage::Storage::default();
        let mut names = Names::default();
        let (scalars_type, scalars) = (names.new_type("scalars_0"), names.new_instance("scalars"));
        let header_type = HeaderType { name: scalars_type, fields: vec![], metadata: true, source: None };
        let header_type = program.add_header_type(header_type);
        program.scalars = Some(program.add_header(scalars, header_type, true));
        Self { typed, messages, program, layouts: Layouts::default(), names, temporaries: Temporaries::default() }
    }

    /// A name for a header instance, stack, union or scalar.
    pub fn unique_instance(&mut self, base: &str) -> String {
        self.names.new_instance(base)
    }

    /// How a simple type is represented; `None` for all others.
    pub fn scalar_type(&self, ty: &Type) -> Option<Ty> {
        scalar_type(self.typed, ty)
    }

    /// The layout of a header type.
    pub fn header_type(&mut self, id: StructId) -> HeaderTypeId {
        if let Some(known) = self.layouts.header_types.get(&id) {
            return *known;
        }
        let declared = &self.typed[id];
        let mut fields = vec![];
        self.header_fields("", &declared.fields, &mut fields);
        let bits: u32 = fields.iter().map(|f: &Field| f.width.max_bits()).sum();
        if !bits.is_multiple_of(8) {
            let message = format!("header '{}' has {bits} bits; BMv2 needs headers of whole bytes", declared.name);
            self.messages.error(declared.span, message);
        }
        let varbits = fields.iter().filter(|f| matches!(f.width, FieldWidth::Varbit(_)));
        if varbits.count() > 1 {
            let message = format!("header '{}' has more than one varbit field", declared.name);
            self.messages.error_of(Kind::Unsupported, declared.span, message);
        }
        let name = control_plane_name(&declared.annotations, &declared.name);
        let name = self.names.new_type(&name);
        let result = self.program.add_header_type(HeaderType { name, fields, metadata: false, source: None });
        self.layouts.header_types.insert(id, result);
        result
    }

    /// The header types of the source that have a layout.
    pub fn declared_header_types(&self) -> Vec<(StructId, HeaderTypeId)> {
        self.layouts.header_types.iter().map(|(declared, layout)| (*declared, *layout)).collect()
    }

    /// Flattens the fields of a header (which may contain structures).
    pub fn header_fields(&mut self, prefix: &str, fields: &[typed::Field], out: &mut Vec<Field>) {
        for field in fields {
            let name = format!("{prefix}{}", control_plane_name(&field.annotations, &field.name));
            let (width, signed) = match self.typed.representation(&field.ty) {
                Type::Struct(id) => {
                    let inner = self.typed[id].fields.clone();
                    self.header_fields(&format!("{name}."), &inner, out);
                    continue;
                }
                Type::Varbit(width) => (FieldWidth::Varbit(width), false),
                other => match self.scalar_type(&other) {
                    Some(ty) => (FieldWidth::Bits(ty.width()), ty.is_signed()),
                    None => continue,
                },
            };
            out.push(Field { name, width, signed });
        }
    }

    /// The member names and layouts of a header union.
    pub fn union_type(&mut self, id: StructId) -> UnionTypeId {
        if let Some(known) = self.layouts.union_types.get(&id) {
            return *known;
        }
        let declared = &self.typed[id];
        let mut members = vec![];
        for field in &declared.fields {
            if let Type::Header(header) = field.ty {
                members.push((field.name.to_string(), self.header_type(header)));
            }
        }
        let name = self.names.new_type(&declared.name);
        self.program.union_types.push(UnionType { name, members });
        let result = UnionTypeId::from_index(self.program.union_types.len() - 1);
        self.layouts.union_types.insert(id, result);
        result
    }

    /// A new field among the scalars.
    pub fn new_scalar(&mut self, base: &str, ty: Ty) -> FieldRef {
        let name = self.unique_instance(base);
        let scalars = self.program.scalars.unwrap_or_default();
        self.program.add_field(scalars, Field { name, width: FieldWidth::Bits(ty.width()), signed: ty.is_signed() })
    }

    /// A temporary that lives until the end of the current statement.
    pub fn temporary(&mut self, ty: Ty) -> FieldRef {
        let free = self.temporaries.take(ty);
        let field = free.unwrap_or_else(|| self.new_scalar("tmp", ty));
        self.temporaries.note_used(ty, field);
        field
    }

    /// New storage for a value of type `ty`, named after `base`.
    pub fn allocate(&mut self, base: &str, ty: &Type) -> Place {
        match self.typed.representation(ty) {
            Type::Struct(id) => {
                let fields = &self.typed[id].fields;
                let places: Vec<Place> =
                    fields.iter().map(|f| self.allocate(&format!("{base}.{}", f.name), &f.ty)).collect();
                Place::Struct(places.into())
            }
            Type::Tuple(elements) => {
                let places: Vec<Place> =
                    elements.iter().enumerate().map(|(i, ty)| self.allocate(&format!("{base}.{i}"), ty)).collect();
                Place::Struct(places.into())
            }
            Type::Header(id) => {
                let header_type = self.header_type(id);
                let name = self.unique_instance(base);
                Place::Header(self.program.add_header(name, header_type, false))
            }
            Type::Union(id) => {
                let name = self.unique_instance(base);
                Place::Union(self.new_union(name, id))
            }
            Type::Stack(element, size) => self.allocate_stack(base, &element, size),
            Type::Varbit(width) => Place::Varbit(self.new_varbit(base, width)),
            other => match self.scalar_type(&other) {
                Some(ty) => Place::Field(self.new_scalar(base, ty), ty),
                None => Place::Nowhere,
            },
        }
    }

    fn new_union(&mut self, name: String, id: StructId) -> UnionId {
        let union_type = self.union_type(id);
        let members = self.program.union_types[union_type.index()].members.clone();
        let members = members
            .into_iter()
            .map(|(member, header_type)| {
                let member = self.unique_instance(&format!("{name}.{member}"));
                self.program.add_header(member, header_type, false)
            })
            .collect();
        self.program.unions.push(Union { name, union_type, members });
        UnionId::from_index(self.program.unions.len() - 1)
    }

    fn allocate_stack(&mut self, base: &str, element: &Type, size: u32) -> Place {
        let name = self.unique_instance(base);
        match self.typed.strip_new_types(element) {
            Type::Header(id) => {
                let header_type = self.header_type(id);
                let elements = (0..size)
                    .map(|i| {
                        let name = self.unique_instance(&format!("{name}[{i}]"));
                        self.program.add_header(name, header_type, false)
                    })
                    .collect();
                self.program.stacks.push(Stack { name, header_type, elements });
                Place::Stack(StackId::from_index(self.program.stacks.len() - 1))
            }
            Type::Union(id) => {
                let union_type = self.union_type(id);
                let elements = (0..size)
                    .map(|i| {
                        let name = self.unique_instance(&format!("{name}[{i}]"));
                        self.new_union(name, id)
                    })
                    .collect();
                self.program.union_stacks.push(UnionStack { name, union_type, elements });
                Place::UnionStack(UnionStackId::from_index(self.program.union_stacks.len() - 1))
            }
            _ => Place::Nowhere,
        }
    }

    /// A varbit variable is the only field of a metadata instance of its own.
    fn new_varbit(&mut self, base: &str, width: u32) -> FieldRef {
        let known = self.layouts.varbit_types.get(&width).copied();
        let header_type = known.unwrap_or_else(|| {
            let name = self.names.new_type(&format!("$varbit{width}"));
            let id = self.program.add_header_type(HeaderType {
                name,
                fields: vec![Field { name: "field".to_owned(), width: FieldWidth::Varbit(width), signed: false }],
                metadata: true,
                source: None,
            });
            self.layouts.varbit_types.insert(width, id);
            id
        });
        let name = self.unique_instance(base);
        let header = self.program.add_header(name, header_type, true);
        FieldRef { header, field: 0 }
    }

    /// The storage of a local variable or parameter: one for each declaration.
    pub fn local_place(&mut self, var: VarId) -> Place {
        if let Some(place) = self.layouts.local_places.get(&var) {
            return place.clone();
        }
        let variable = &self.typed[var];
        let place = self.allocate(&variable.name, &variable.ty);
        self.layouts.local_places.insert(var, place.clone());
        place
    }

    /// The places of a header's fields, as its type declares them (structures within are one field).
    pub fn header_places(&mut self, id: StructId, header: HeaderId) -> Rc<[Place]> {
        if let Some(known) = self.layouts.header_places.get(&header) {
            return known.clone();
        }
        let places: Rc<[Place]> = self.struct_places(id, header, &mut 0).into();
        self.layouts.header_places.insert(header, places.clone());
        places
    }

    fn struct_places(&self, id: StructId, header: HeaderId, next: &mut u32) -> Vec<Place> {
        let mut places = vec![];
        for field in &self.typed[id].fields {
            let here = FieldRef { header, field: *next };
            places.push(match self.typed.representation(&field.ty) {
                Type::Struct(inner) => Place::Struct(self.struct_places(inner, header, next).into()),
                Type::Varbit(_) => {
                    *next += 1;
                    Place::Varbit(here)
                }
                other => match self.scalar_type(&other) {
                    Some(ty) => {
                        *next += 1;
                        Place::Field(here, ty)
                    }
                    None => Place::Nowhere,
                },
            });
        }
        places
    }

    /// Adds the instance of standard metadata and returns its places.
    pub fn standard_metadata(&mut self, ty: &Type) -> Place {
        let Type::Struct(id) = self.typed.strip_new_types(ty) else {
            return Place::Nowhere;
        };
        let mut fields = vec![];
        let declared = self.typed[id].fields.clone();
        self.header_fields("", &declared, &mut fields);
        let name = self.names.new_type("standard_metadata");
        let header_type = self.program.add_header_type(HeaderType { name, fields, metadata: true, source: None });
        let name = self.unique_instance("standard_metadata");
        let header = self.program.add_header(name, header_type, true);
        self.program.standard_metadata = Some(header);
        Place::Struct(self.header_places(id, header))
    }
}
