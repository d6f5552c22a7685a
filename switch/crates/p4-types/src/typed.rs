//! The typed program, which the type checker hands to the mid-end.
//!
//! Nothing here needs inference, scopes or the spec's conversion rules any more:
//!
//! * Every [`Expr`] has its type; implicit casts are explicit [`ExprKind::Cast`]s.
//! * Every name is an id into a vector of [`Program`] (`program[id]` works for all of them).
//! * Compile-time known expressions are folded to [`ExprKind::Literal`] (or to a
//!   [`ExprKind::Struct`]/[`ExprKind::List`] of literals). Uses of constants are replaced by their value.
//!   The one exception are values that depend on *constructor parameters*. They stay
//!   [`ExprKind::Var`] of a variable of kind [`VariableKind::ConstructorParameter`]. They are known once the
//!   instance tree is walked ([`crate::eval::evaluate`] folds with an environment).
//!   Likewise parameters of type `int` (they have no direction): their arguments are known, so the values are once
//!   calls are inlined.
//! * Every call has its arguments in parameter order, defaults filled in, with the parameters' types after
//!   substitution ([`Call`]).
//! * Generic functions and generic structures appear once for each set of type arguments used;
//!   no type variable is left in any body. Type variables remain only in the *declarations* of generic
//!   externs, packages and parser/control types.
//! * `default` initializers (`...`), omitted fields, operator assignments (`+=`), switch fall-through and
//!   the aliases of type declarations are resolved.
//!
//! The tasks left for the mid-end: walking the instance tree from [`Program::main`], inlining, side-effect
//! order, flattening.

mod decl;
mod expr;
mod mentions;
mod program;
mod stmt;
mod types;
mod walk;

pub use decl::*;
pub use expr::*;
pub use mentions::*;
pub use program::*;
pub use stmt::*;
pub use types::*;

pub use p4_syntax::Span;

/// Declares index types into the vectors of [`Program`], and `program[id]` for them.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident => $field:ident: $item:ty;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub u32);

            impl $name {
                /// The position in its vector.
                pub fn index(self) -> usize {
                    self.0 as usize
                }

                /// The id of position `index`.
                pub fn from_index(index: usize) -> Self {
                    Self(u32::try_from(index).unwrap_or(u32::MAX))
                }
            }

            impl std::ops::Index<$name> for Program {
                type Output = $item;

                fn index(&self, id: $name) -> &$item {
                    &self.$field[id.index()]
                }
            }
        )*
    };
}

ids! {
    /// A structure, header or header union.
    StructId => structs: StructType;
    /// An enumeration, with or without an underlying type.
    EnumId => enums: EnumType;
    /// A `type` declaration (a new, distinct type).
    NewTypeId => new_types: NewType;
    /// An extern object type.
    ExternId => externs: Extern;
    /// An extern function (`hash`, `mark_to_drop`, `verify`, …).
    ExternFunctionId => extern_functions: ExternFunction;
    /// A function, or an implementation of an abstract method.
    FunctionId => functions: Function;
    /// An action.
    ActionId => actions: Action;
    /// A table.
    TableId => tables: Table;
    /// A parser declaration.
    ParserId => parsers: Parser;
    /// A control declaration.
    ControlId => controls: Control;
    /// A parser type or control type (`parser Parser<H>(…);`).
    ApplyTypeId => apply_types: ApplyType;
    /// A package type.
    PackageId => packages: Package;
    /// An instance declaration (static: one may stand for many at run time if its container is
    /// instantiated several times).
    InstanceId => instances: Instance;
    /// A parser value set.
    ValueSetId => value_sets: ValueSet;
    /// A variable, parameter or constant.
    VarId => variables: Variable;
    /// An `error` constant.
    ErrorId => errors: NamedConstant;
    /// A `match_kind` constant.
    MatchKindId => match_kinds: NamedConstant;
}
