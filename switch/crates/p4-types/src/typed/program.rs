//! The whole program.

use super::{
    Action, ApplyType, Control, EnumType, Extern, ExternFunction, Function, Instance, InstanceId, Mentions,
    NamedConstant, NewType, Package, Parser, StructType, Table, TopLevel, Type, ValueSet, Variable,
};

/// A checked P4_16 program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Structures, headers, header unions.
    pub structs: Vec<StructType>,
    /// Enumerations.
    pub enums: Vec<EnumType>,
    /// `type` declarations.
    pub new_types: Vec<NewType>,
    /// Extern object types.
    pub externs: Vec<Extern>,
    /// Extern functions.
    pub extern_functions: Vec<ExternFunction>,
    /// Functions, and bodies of abstract methods.
    pub functions: Vec<Function>,
    /// Actions, of the top level and of controls.
    pub actions: Vec<Action>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Parsers.
    pub parsers: Vec<Parser>,
    /// Controls.
    pub controls: Vec<Control>,
    /// Parser types and control types.
    pub apply_types: Vec<ApplyType>,
    /// Packages.
    pub packages: Vec<Package>,
    /// Instances.
    pub instances: Vec<Instance>,
    /// Value sets.
    pub value_sets: Vec<ValueSet>,
    /// Variables, parameters, constants.
    pub variables: Vec<Variable>,
    /// All `error` constants, in order of declaration (core.p4 first: `NoError` is number 0).
    pub errors: Vec<NamedConstant>,
    /// All match kinds.
    pub match_kinds: Vec<NamedConstant>,
    /// The declarations of the top level, in source order.
    pub top_level: Vec<TopLevel>,
    /// The instance called `main`, if there is one.
    pub main: Option<InstanceId>,
    /// The uses of names in the source, for warnings.
    pub mentions: Mentions,
}

impl Program {
    /// The type without `type` names around it (also not those of a serializable enumeration).
    pub fn strip_new_types(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::New(id) = ty {
            ty = self[id].underlying.clone();
        }
        ty
    }

    /// The representation of a simple type in bits: `bit<W>` and `int<W>` themselves, those under `type` and
    /// serializable enumerations, and `bool`, `error` and plain enumerations as they are.
    pub fn representation(&self, ty: &Type) -> Type {
        match self.strip_new_types(ty) {
            Type::Enum(id) => match &self[id].underlying {
                Some(underlying) => self.strip_new_types(underlying),
                None => Type::Enum(id),
            },
            other => other,
        }
    }

    /// The types of the simple values within a structure or tuple, in order; of another type itself.
    pub fn simple_types(&self, ty: &Type) -> Vec<Type> {
        match ty {
            Type::Struct(id) => self[*id].fields.iter().flat_map(|field| self.simple_types(&field.ty)).collect(),
            Type::Tuple(items) => items.iter().flat_map(|item| self.simple_types(item)).collect(),
            other => vec![other.clone()],
        }
    }

    /// Width in bits of a type with a fixed width: simple types, and structures, headers, stacks and tuples of
    /// them. `varbit<W>` counts W. None for types without a width.
    pub fn width(&self, ty: &Type) -> Option<u64> {
        match self.representation(ty) {
            Type::Bool => Some(1),
            Type::Bit(width) | Type::Int(width) | Type::Varbit(width) => Some(u64::from(width)),
            Type::Struct(id) | Type::Header(id) => {
                self[id].fields.iter().try_fold(0u64, |sum, field| Some(sum.saturating_add(self.width(&field.ty)?)))
            }
            Type::Union(id) => {
                self[id].fields.iter().try_fold(0u64, |max, field| Some(max.max(self.width(&field.ty)?)))
            }
            Type::Stack(element, size) => Some(self.width(&element)?.saturating_mul(u64::from(size))),
            Type::Tuple(elements) => {
                elements.iter().try_fold(0u64, |sum, item| Some(sum.saturating_add(self.width(item)?)))
            }
            _ => None,
        }
    }
}
