//! Random well-typed v1model programs.
//!
//! Construction avoids everything that the specification leaves undefined. Locals are initialized. A field of a header
//! is named only where the header is known to be valid ([`Generator::valid`] follows the control flow).

mod boolean;
mod calls;
mod constants;
mod digest;
mod direct;
mod division;
mod expression;
mod extern_object;
mod generic;
mod headers;
mod look_ahead;
mod number;
mod parameters;
mod parser;
mod plus_slice;
mod program;
mod recirculation;
mod scope;
mod stack;
mod statement;
mod sub_control;
mod sub_parser;
mod table;
mod table_properties;
mod tuple;
mod type_names;
mod types;
mod union;
mod union_stack;
mod varbit;
mod varbit_variable;

use std::collections::{BTreeMap, BTreeSet};

use crate::random::Random;
use division::Divisions;
pub use division::{MAY_BE_REFUSED, REFERENCE};
pub use extern_object::CELLS;
use sub_control::{Instance, SubControl};
use sub_parser::SubParser;
use types::Type;

/// How often each construct was generated.
pub type Features = BTreeMap<&'static str, u64>;

/// A program and its constructs.
pub struct Generated {
    /// P4 source.
    pub source: String,
    /// Its constructs.
    pub features: Features,
}

/// The program of a generator's random numbers.
pub fn program(random: Random) -> Generated {
    let mut generator = Generator::new(random);
    let source = generator.program();
    Generated { source, features: generator.features }
}

/// Something that can be read, and perhaps written.
#[derive(Clone)]
struct Variable {
    name: String,
    ty: Type,
    writable: bool,
    /// The header that must be valid.
    header: Option<usize>,
}

/// A header of `hdr`; elements of a stack are headers of their own here.
#[derive(Clone)]
struct Header {
    path: String,
    /// Position among the header types.
    kind: usize,
    writable: bool,
    /// The stack or union that it is in.
    group: Option<Group>,
}

/// A stack or union.
#[derive(Clone, PartialEq, Eq)]
struct Group {
    path: String,
    ty: Type,
    is_union: bool,
    /// Is a stack extracted with `next`?
    by_next: bool,
}

/// A parameter.
#[derive(Clone)]
struct Parameter {
    direction: &'static str,
    ty: Type,
    /// A header that is perhaps invalid afterwards.
    invalidates: bool,
}

/// A function or action that can be called.
#[derive(Clone)]
struct Callable {
    name: String,
    params: Vec<Parameter>,
    /// Values from the control plane.
    data: Vec<Type>,
    result: Option<Type>,
    /// Headers that are perhaps invalid afterwards.
    invalidates: BTreeSet<usize>,
}

struct Table {
    name: String,
    actions: Vec<String>,
    /// Headers that its keys read.
    needs: BTreeSet<usize>,
    invalidates: BTreeSet<usize>,
}

/// Where statements are.
#[derive(Clone, Default)]
struct Context {
    in_parser: bool,
    in_loop: bool,
    can_exit: bool,
    can_apply: bool,
    /// May headers be made invalid?
    can_invalidate: bool,
    /// `None` where there is no `return`; else the type of the value that it gives, if it gives one.
    result: Option<Option<Type>>,
}

struct Generator {
    random: Random,
    features: Features,
    names: usize,
    header_types: Vec<Vec<(String, Type)>>,
    /// The members of the structure of headers, but the first.
    members: String,
    /// The types of the stacks and unions among the program's headers.
    program_groups: Vec<Type>,
    /// The types of the members of unions.
    union_kinds: [usize; 2],
    headers: Vec<Header>,
    /// Those that are known to be valid here.
    valid: BTreeSet<usize>,
    /// Those that were perhaps made invalid since this was emptied.
    invalidated: BTreeSet<usize>,
    variables: Vec<Variable>,
    /// Constants of the top level.
    globals: Vec<Variable>,
    /// Tuples and generic structures that the program has.
    composites: Vec<Type>,
    /// Names of types.
    typedefs: Vec<(String, Type)>,
    /// Bits of the type that is made with `type`.
    new_width: u32,
    /// The parameter that has the type of a type parameter.
    opaque: String,
    functions: Vec<Callable>,
    actions: Vec<Callable>,
    tables: Vec<Table>,
    controls: Vec<SubControl>,
    parsers: Vec<SubParser>,
    /// Instances of controls, or of parsers, that can be applied here.
    instances: Vec<Instance>,
    /// Registers that can be used here.
    registers: Vec<(String, Type)>,
    counters: Vec<String>,
    meters: Vec<String>,
    /// Declarations of the value sets of the parser that is made.
    value_sets: String,
    /// The state of a parser that is made, if it may follow itself.
    loops: Option<String>,
    /// May packets be copied or begin anew?
    recirculates: bool,
    divisions: Divisions,
    context: Context,
    /// A 16-bit zero that is no constant.
    zero: &'static str,
    /// Statements that may still be made.
    budget: usize,
}

impl Generator {
    fn new(random: Random) -> Self {
        Self {
            random,
            features: Features::new(),
            names: 0,
            header_types: vec![],
            members: String::new(),
            program_groups: vec![],
            union_kinds: [0, 0],
            headers: vec![],
            valid: BTreeSet::new(),
            invalidated: BTreeSet::new(),
            variables: vec![],
            globals: vec![],
            composites: vec![],
            typedefs: vec![],
            new_width: 8,
            opaque: String::new(),
            functions: vec![],
            actions: vec![],
            tables: vec![],
            controls: vec![],
            parsers: vec![],
            instances: vec![],
            registers: vec![],
            counters: vec![],
            meters: vec![],
            value_sets: String::new(),
            loops: None,
            recirculates: false,
            divisions: Divisions::None,
            zero: "std.mcast_grp",
            context: Context::default(),
            budget: 0,
        }
    }

    fn note(&mut self, feature: &'static str) {
        *self.features.entry(feature).or_default() += 1;
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// What can be named here: not what is shadowed, nor what is in a header that is perhaps invalid.
    fn visible(&self, accept: impl Fn(&Variable) -> bool) -> Vec<Variable> {
        let mut seen = BTreeSet::new();
        let mut found = vec![];
        for variable in self.variables.iter().rev().chain(&self.globals) {
            let there = variable.header.is_none_or(|header| self.valid.contains(&header));
            if seen.insert(&variable.name) && there && accept(variable) {
                found.push(variable.clone());
            }
        }
        found
    }

    /// A variable and all that is within it.
    fn declare_parts(&mut self, name: &str, ty: &Type, writable: bool) {
        self.declare(name, ty, writable);
        for (part, ty) in ty.fields() {
            self.declare_parts(&types::part(name, &part), &ty, writable);
        }
    }

    fn declare(&mut self, name: &str, ty: &Type, writable: bool) {
        self.variables.push(Variable { name: name.to_owned(), ty: ty.clone(), writable, header: None });
    }
}
