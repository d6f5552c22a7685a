//! Storage for values of any type.

use crate::lowerer::Lowerer;
use crate::storage::place::Place;
use p4_ir::expr::{Expr, Ty};
use p4_ir::ops::Op;
use p4_ir::storage::{
    Field, FieldRef, FieldWidth, HeaderId, HeaderType, Stack, StackId, Union, UnionId, UnionStack, UnionStackId,
};
use p4_types::typed::{StructId, Type, VarId};
use std::rc::Rc;

impl Lowerer<'_> {
    /// A new field among the scalars.
    pub fn new_scalar(&mut self, base: &str, ty: Ty) -> FieldRef {
        let name = self.unique_instance(base);
        let scalars = self.ir.storage.scalars.unwrap_or_default();
        self.ir.storage.add_field(scalars, Field { name, width: FieldWidth::Bits(ty.width()), signed: ty.is_signed() })
    }

    /// A temporary that lives until the end of the current statement.
    pub fn temporary(&mut self, ty: Ty) -> FieldRef {
        let free = self.temporaries.take(ty);
        let field = free.unwrap_or_else(|| self.new_scalar("tmp", ty));
        self.temporaries.note_used(ty, field);
        field
    }

    /// Saves a value in a temporary.
    pub fn save(&mut self, value: Expr) -> Expr {
        if value.as_const().is_some() || value.as_bool().is_some() {
            return value;
        }
        let ty = value.ty;
        let field = self.temporary(ty);
        self.emit(Op::Assign(field, value));
        Expr::field(field, ty)
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
                Place::Header(self.ir.storage.add_header(name, header_type, false))
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
        let members = self.ir.storage.union_types[union_type.index()].members.clone();
        let members = members
            .into_iter()
            .map(|(member, header_type)| {
                let member = self.unique_instance(&format!("{name}.{member}"));
                self.ir.storage.add_header(member, header_type, false)
            })
            .collect();
        self.ir.storage.unions.push(Union { name, union_type, members });
        UnionId::from_index(self.ir.storage.unions.len() - 1)
    }

    fn allocate_stack(&mut self, base: &str, element: &Type, size: u32) -> Place {
        let name = self.unique_instance(base);
        match self.typed.strip_new_types(element) {
            Type::Header(id) => {
                let header_type = self.header_type(id);
                let elements = (0..size)
                    .map(|i| {
                        let name = self.unique_instance(&format!("{name}[{i}]"));
                        self.ir.storage.add_header(name, header_type, false)
                    })
                    .collect();
                self.ir.storage.stacks.push(Stack { name, header_type, elements });
                Place::Stack(StackId::from_index(self.ir.storage.stacks.len() - 1))
            }
            Type::Union(id) => {
                let union_type = self.union_type(id);
                let elements = (0..size)
                    .map(|i| {
                        let name = self.unique_instance(&format!("{name}[{i}]"));
                        self.new_union(name, id)
                    })
                    .collect();
                self.ir.storage.union_stacks.push(UnionStack { name, union_type, elements });
                Place::UnionStack(UnionStackId::from_index(self.ir.storage.union_stacks.len() - 1))
            }
            _ => Place::Nowhere,
        }
    }

    /// A varbit variable is the only field of a metadata instance of its own.
    fn new_varbit(&mut self, base: &str, width: u32) -> FieldRef {
        let known = self.layouts.varbit_types.get(&width).copied();
        let header_type = known.unwrap_or_else(|| {
            let name = self.names.new_type(&format!("$varbit{width}"));
            let id = self.ir.storage.add_header_type(HeaderType {
                name,
                fields: vec![Field { name: "field".to_owned(), width: FieldWidth::Varbit(width), signed: false }],
                metadata: true,
            });
            self.layouts.varbit_types.insert(width, id);
            id
        });
        let name = self.unique_instance(base);
        let header = self.ir.storage.add_header(name, header_type, true);
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
        let header_type = self.ir.storage.add_header_type(HeaderType { name, fields, metadata: true });
        let name = self.unique_instance("standard_metadata");
        let header = self.ir.storage.add_header(name, header_type, true);
        self.ir.storage.standard_metadata = Some(header);
        Place::Struct(self.header_places(id, header))
    }
}
