//! Functions and controls with a type parameter.

use super::parameters::Declared;
use super::scope::Scope;
use super::types::Type;
use super::{Callable, Context, Generator, Parameter, Variable};

impl Type {
    /// The type with another one for the type parameter.
    fn with(&self, opaque: &Type) -> Type {
        match self {
            Self::Opaque => opaque.clone(),
            Self::Generic(value) => Self::Generic(Box::new(value.with(opaque))),
            Self::Tuple(parts) => Self::Tuple(parts.iter().map(|part| part.with(opaque)).collect()),
            other => other.clone(),
        }
    }

    fn is_generic(&self) -> bool {
        match self {
            Self::Generic(_) => true,
            Self::Tuple(parts) => parts.iter().any(Self::is_generic),
            _ => false,
        }
    }

    /// Is the type parameter in it?
    pub(super) fn is_open(&self) -> bool {
        self.with(&Self::Bool) != *self
    }
}

impl Callable {
    /// Is there a call with a result of that type?
    pub(super) fn can_give(&self, ty: &Type) -> bool {
        match &self.result {
            Some(Type::Opaque) => can_be_of(&self.params, ty),
            result => result.as_ref() == Some(ty),
        }
    }
}

/// Headers are passed as they are and in one direction only: whether others stay valid is then clear.
fn can_be_of(params: &[Parameter], ty: &Type) -> bool {
    match ty {
        Type::Stack(..) | Type::Union | Type::UnionStack(_) | Type::Varbit(_) => false,
        Type::Header(_) => {
            params.iter().all(|param| !param.ty.is_open() || param.direction == "in" && param.ty == Type::Opaque)
        }
        // No generic structure may be its own type argument: both compilers refuse it.
        ty => !ty.is_generic(),
    }
}

/// The parameters with a type for the type parameter.
pub(super) fn closed(params: &[Parameter], ty: &Type) -> Vec<Parameter> {
    params.iter().map(|param| Parameter { ty: param.ty.with(ty), ..param.clone() }).collect()
}

impl Generator {
    /// Begins a declaration with a type parameter: its first parameter has that type, and others often have. The types that
    /// it hides come back.
    pub(super) fn open(&mut self, known: &mut Vec<Variable>) -> (Declared, Vec<Type>) {
        let boxed = Type::Generic(Box::new(Type::Opaque));
        let tuple = Type::Tuple(vec![Type::Bit(4), Type::Opaque]);
        let open = [Type::Opaque, Type::Opaque, boxed, tuple];
        for ty in &open {
            // As often as all others.
            for _ in 0..1 + known.len() / 4 {
                known.push(Variable { name: String::new(), ty: ty.clone(), writable: true, header: None });
            }
        }
        let first = self.fresh("p");
        let mut declared = Declared::default();
        declared.add_in(Type::Opaque, format!("in T {first}"));
        self.declare(&first, &Type::Opaque, false);
        self.opaque = first;
        (declared, std::mem::replace(&mut self.composites, open.to_vec()))
    }

    /// A generic function of the top level. It can only pass on values of its type parameter.
    pub(super) fn generic_function(&mut self) -> String {
        self.note("generic function");
        let mut known = self.visible(|variable| variable.writable);
        let outside = self.enter(Scope::default());
        let name = self.fresh("g");
        let (declared, composites) = self.open(&mut known);
        let declared = self.parameters_after(declared, 3, &known);
        let result = if self.random.one_in(2) { Type::Opaque } else { self.simple_type() };
        self.context = Context { can_invalidate: true, result: Some(Some(result.clone())), ..Context::default() };
        self.budget = 4;
        let body = self.statements(2);
        let value = self.expression(&result, 2);
        let text = format!(
            "{} {name}<T>({}) {{\n{}{body}return {value};\n}}\n",
            result.text(),
            declared.texts.join(", "),
            declared.first
        );
        let params = declared.after(&self.invalidated);
        self.enter(outside);
        self.composites = composites;
        let result = Some(result);
        self.functions.push(Callable { name, params, data: vec![], result, invalidates: Default::default() });
        text
    }

    /// The function with a type for its type parameter, and how the call names the type: not always. Of a function without
    /// type parameter the function itself.
    pub(super) fn instance_of(&mut self, function: Callable, result: Option<&Type>) -> Option<(Callable, String)> {
        if function.params.first().is_none_or(|param| param.ty != Type::Opaque) {
            return Some((function, String::new()));
        }
        let ty = match (&function.result, result) {
            (Some(Type::Opaque), Some(ty)) => ty.clone(),
            _ => self.type_argument(&function.params)?,
        };
        self.note("call of a generic function");
        let params = closed(&function.params, &ty);
        let named = if self.random.one_in(2) {
            self.note("type argument");
            format!("<{}>", ty.text())
        } else {
            String::new()
        };
        Some((Callable { params, result: function.result.as_ref().map(|of| of.with(&ty)), ..function }, named))
    }

    /// A type for the type parameter of something with these parameters: one that something has.
    pub(super) fn type_argument(&mut self, params: &[Parameter]) -> Option<Type> {
        let known = self.visible(|variable| variable.writable && can_be_of(params, &variable.ty));
        Some(self.random.pick(&known)?.ty.clone())
    }
}
