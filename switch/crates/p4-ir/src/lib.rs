//! The small typed intermediate representation (IR) between the mid-end and the back-ends.
//!
//! A [`Program`] is a P4_16 program for the v1model architecture without everything that needs the
//! type system, scopes or instantiation:
//!
//! * **Storage is flat.** All structures are taken apart into header instances, header stacks,
//!   header unions and single fields ([`storage`]). Local variables are fields of the header
//!   instance named by [`storage::Storage::scalars`].
//! * **Expressions have P4's meaning** ([`expr`]): `Add` on `bit<8>` wraps at 256. Back-ends whose
//!   target computes differently (BMv2 computes with unlimited precision) insert more operations.
//! * **Expressions have no side effects**; everything that has one is an [`ops::Op`].
//! * **Actions are straight code with forward jumps** ([`control::Action`]).
//! * **Controls are graphs** of tables and conditionals ([`control::Pipeline`]); statements outside
//!   tables live in synthesized actions.
//! * **Parsers are graphs** of states ([`parser::Parser`]).
//! * The control plane's view is kept apart in [`control_plane`], as the source wrote it
//!   (before flattening): P4Info is written from that.
//!
//! Everything refers to everything else by small index types (`HeaderId`, `TableId`, …) into the
//! vectors of [`Program`]; a back-end may index with them freely, since the mid-end guarantees validity.

pub mod control;
pub mod control_plane;
pub mod expr;
pub mod ops;
pub mod parser;
pub mod storage;

mod program;

pub use program::{Enumeration, ForeignExtern, Program};

use std::rc::Rc;

/// Where in the source something comes from, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInfo {
    /// Path of the file as it was given to the compiler.
    pub file: Rc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The beginning of the source text.
    pub fragment: Rc<str>,
}

/// A shared, optional source position.
pub type Source = Option<Rc<SourceInfo>>;

/// Declares an index type into one of the vectors of a [`Program`].
macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its vector.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The index type for position `index` of its vector.
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    };
}
pub(crate) use index_type;
