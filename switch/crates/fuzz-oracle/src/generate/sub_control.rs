//! Controls that are applied within others.

use std::collections::BTreeSet;

use super::generic::closed;
use super::parameters::Declared;
use super::scope::Scope;
use super::types::Type;
use super::{Context, Generator, Parameter, Variable};

/// A control that other controls apply.
pub(super) struct SubControl {
    name: String,
    is_generic: bool,
    /// Has it the parameters of the pipeline's controls before its own?
    whole: bool,
    params: Vec<Parameter>,
    constructor: Vec<Type>,
    /// Headers of the pipeline that are perhaps invalid afterwards.
    invalidates: BTreeSet<usize>,
}

/// Something that can be applied.
#[derive(Clone)]
pub(super) struct Instance {
    name: String,
    /// Number of the control.
    of: usize,
    /// The type that its type parameter stands for, if it has one.
    ty: Option<Type>,
}

/// The parameters of ingress and egress, and the arguments for them.
const WHOLE: &str = "inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std";
const ARGUMENTS: &str = "hdr, meta, std";

impl Generator {
    /// A control of the top level; `everything` has the variables that a control with the parameters of ingress sees.
    pub(super) fn sub_control(&mut self, everything: &[Variable]) -> String {
        let whole = self.random.one_in(2);
        self.note(if whole { "sub-control of everything" } else { "sub-control" });
        let name = self.fresh("C");
        let scope = if whole { Scope::of(self.headers.clone(), everything.to_vec()) } else { Scope::default() };
        let outside = self.enter(scope);
        let headers = self.headers.len();
        self.zero = if whole { "std.mcast_grp" } else { "zero" };
        let mut known: Vec<Variable> = everything.iter().filter(|variable| variable.writable).cloned().collect();
        let (mut declared, mut hidden) = (Declared::default(), None);
        if self.random.one_in(4) {
            self.note("generic control");
            let (first, composites) = self.open(&mut known);
            (declared, hidden) = (first, Some(composites));
        }
        let declared = self.parameters_after(declared, 4, &known);
        let mut constructor = vec![];
        let mut constructor_texts = vec![];
        for _ in 0..self.random.below(6).saturating_sub(3) {
            self.note("constructor parameter");
            let (ty, name) = (self.number_type(), self.fresh("c"));
            constructor_texts.push(format!("{} {name}", ty.text()));
            self.declare(&name, &ty, false);
            constructor.push(ty);
        }
        let mut text = self.instantiations(whole) + &self.registers();
        for _ in 0..self.random.below(3) {
            let (ty, name) = (self.any_type(), self.fresh("v"));
            text.push_str(&format!("{} {name} = {};\n", self.spelled(&ty), self.constant(&ty)));
            self.declare(&name, &ty, true);
        }
        if self.random.one_in(4) {
            text.push_str(&self.local_headers());
        }
        for _ in 0..self.random.below(3) {
            text.push_str(&self.action());
        }
        if !self.actions.is_empty() && self.random.one_in(2) {
            text.push_str(&self.table());
        }
        self.invalidated.clear();
        self.valid.clear();
        self.context =
            Context { can_exit: true, can_apply: true, can_invalidate: true, result: Some(None), ..Context::default() };
        self.budget = 6;
        let body = self.statements(3) + &self.remaining_applications();
        let mut params = declared.texts.clone();
        params.insert(0, if whole { WHOLE } else { "in bit<16> zero" }.to_owned());
        let constructed =
            if constructor.is_empty() { String::new() } else { format!("({})", constructor_texts.join(", ")) };
        let text = format!(
            "control {name}{}({}){constructed} {{\n{text}apply {{\n{}{body}}}\n}}\n",
            if hidden.is_some() { "<T>" } else { "" },
            params.join(", "),
            declared.first
        );
        let mut invalidates = std::mem::take(&mut self.invalidated);
        let params = declared.after(&invalidates);
        invalidates.retain(|header| *header < headers);
        self.zero = "std.mcast_grp";
        self.enter(outside);
        let is_generic = hidden.is_some();
        if let Some(composites) = hidden {
            self.composites = composites;
        }
        self.controls.push(SubControl { is_generic, name, whole, params, constructor, invalidates });
        text
    }

    /// Instances of the controls made so far; those with the parameters of ingress only if `whole`.
    pub(super) fn instantiations(&mut self, whole: bool) -> String {
        let mut text = String::new();
        for of in 0..self.controls.len() {
            if self.controls[of].whole && !whole {
                continue;
            }
            let constructor = self.controls[of].constructor.clone();
            let control = self.controls[of].name.clone();
            let is_generic = self.controls[of].is_generic;
            if constructor.is_empty() && !is_generic && self.random.one_in(4) {
                self.instances.push(Instance { name: control, of, ty: None });
                continue;
            }
            for _ in 0..1 + self.random.below(2) {
                let name = self.fresh("i");
                let mut ty = None;
                if is_generic {
                    let params = self.controls[of].params.clone();
                    ty = self.type_argument(&params);
                    if ty.is_none() {
                        continue;
                    }
                }
                let argument = ty.as_ref().map_or(String::new(), |ty| format!("<{}>", ty.text()));
                let values: Vec<String> = constructor.iter().map(|ty| self.constant(ty)).collect();
                text.push_str(&format!("{control}{argument}({}) {name};\n", values.join(", ")));
                self.instances.push(Instance { name, of, ty });
            }
        }
        text
    }

    /// Applies an instance, if there is one that can be applied here.
    pub(super) fn sub_application(&mut self) -> Option<String> {
        if !self.context.can_apply || self.context.in_loop {
            return None;
        }
        let index = self.random.below(self.instances.len());
        let Instance { name, of, ty } = self.instances.get(index)?.clone();
        let (whole, params) = (self.controls[of].whole, self.controls[of].params.clone());
        let params = match &ty {
            Some(ty) => closed(&params, ty),
            None => params,
        };
        let mut args = self.arguments(&params, 2)?;
        if name == self.controls[of].name {
            // Two applications of a control by its own name would give its tables the same name.
            self.instances.remove(index);
        }
        args.insert(0, if whole { ARGUMENTS } else { self.zero }.to_owned());
        let invalidates = self.controls[of].invalidates.clone();
        self.forget(&invalidates);
        self.note("application of a control");
        Some(format!("{name}.apply({});\n", args.join(", ")))
    }
}
