//! Expressions of a type.

use super::types::{COLOURS, KINDS, Type};
use super::{Generator, Variable};

impl Generator {
    /// An expression, operators nested at most so deep.
    pub(super) fn expression(&mut self, ty: &Type, depth: usize) -> String {
        if matches!(ty, Type::Stack(..) | Type::Union | Type::UnionStack(_) | Type::Varbit(_))
            || depth == 0
            || self.random.one_in(6)
        {
            return self.leaf(ty);
        }
        if self.random.one_in(9) {
            self.note("ternary");
            let condition = self.expression(&Type::Bool, depth - 1);
            let (yes, no) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
            return format!("({condition} ? {yes} : {no})");
        }
        if self.random.one_in(10)
            && let Some(call) = self.function_call(Some(ty), depth - 1)
        {
            return call;
        }
        match ty {
            Type::Bool => self.boolean(depth),
            Type::Bit(_) | Type::Int(_) => self.number(ty, depth),
            Type::Colour
            | Type::Header(_)
            | Type::Stack(..)
            | Type::Union
            | Type::UnionStack(_)
            | Type::Varbit(_)
            | Type::Opaque => self.leaf(ty),
            Type::Tuple(parts) => self.tuple_expression(ty, parts, depth),
            Type::New(width) => {
                self.note("cast to a type of its own");
                format!("(({}){})", ty.text(), self.expression(&Type::Bit(*width), depth - 1))
            }
            Type::Pair | Type::Nest | Type::Generic(_) => {
                self.note(if matches!(ty, Type::Generic(_)) { "generic structure" } else { "structure expression" });
                let parts: Vec<String> = ty
                    .fields()
                    .iter()
                    .map(|(name, ty)| format!("{name} = {}", self.expression(ty, depth - 1)))
                    .collect();
                format!("({}){{{}}}", ty.text(), parts.join(", "))
            }
            Type::Kind if self.random.one_in(3) => {
                self.note("cast to a serializable enumeration");
                format!("((Kind){})", self.expression(&Type::Bit(8), depth - 1))
            }
            Type::Kind => self.leaf(ty),
        }
    }

    /// A variable or constant.
    pub(super) fn leaf(&mut self, ty: &Type) -> String {
        if let Some(lookahead) = self.lookahead(ty) {
            return lookahead;
        }
        if let Type::Header(kind) = ty {
            let same: Vec<String> =
                self.headers.iter().filter(|header| header.kind == *kind).map(|header| header.path.clone()).collect();
            if let Some(path) = self.random.pick(&same) {
                return path.clone();
            }
        }
        let same = self.visible(|variable| variable.ty == *ty);
        if self.random.one_in(6)
            && let Some(element) = self.element(ty, false)
        {
            return element;
        }
        if let (Type::Varbit(_), Some(variable)) = (ty, self.random.pick(&same)) {
            return variable.name.clone();
        }
        if !self.random.one_in(5)
            && let Some(variable) = self.random.pick(&same)
        {
            return variable.name.clone();
        }
        if let Type::Bit(width) | Type::Int(width) = *ty
            && self.random.one_in(2)
        {
            let numbers = self.visible(|variable| matches!(variable.ty, Type::Bit(_) | Type::Int(_)));
            if let Some(variable) = self.random.pick(&numbers).cloned() {
                return self.converted(&variable, ty, width);
            }
        }
        self.constant(ty)
    }

    /// A number converted to another type: first the width, then the sign.
    fn converted(&mut self, variable: &Variable, ty: &Type, width: u32) -> String {
        self.note("cast");
        let name = &variable.name;
        match (&variable.ty, ty) {
            (Type::Bit(_), Type::Bit(_)) | (Type::Int(_), Type::Int(_)) => format!("(({}){name})", ty.text()),
            (Type::Bit(_), _) => format!("((int<{width}>)(bit<{width}>){name})"),
            _ => format!("((bit<{width}>)(int<{width}>){name})"),
        }
    }

    pub(super) fn constant(&mut self, ty: &Type) -> String {
        if let Some(name) = self.named_constant(ty) {
            return name;
        }
        match ty {
            Type::Bool => ["true", "false"][self.random.below(2)].to_owned(),
            Type::Bit(width) => self.bits(*width),
            Type::Int(width) if *width > 2 && self.random.one_in(2) => {
                let bits = self.bits(width - 1);
                let digits = bits.split_once('w').map_or("0", |(_, digits)| digits).to_owned();
                let sign = if self.random.one_in(2) { "-" } else { "" };
                format!("({sign}{width}s{digits})")
            }
            Type::Int(width) => format!("((int<{width}>){})", self.bits(*width)),
            Type::Colour => format!("Colour.{}", COLOURS[self.random.below(COLOURS.len())]),
            Type::Kind => format!("Kind.{}", KINDS[self.random.below(KINDS.len())].0),
            Type::New(width) => format!("(({}){})", ty.text(), self.bits(*width)),
            Type::Opaque => self.opaque.clone(),
            Type::Pair | Type::Nest | Type::Generic(_) | Type::Tuple(_) => {
                let parts: Vec<String> = ty.fields().iter().map(|(_, ty)| self.constant(ty)).collect();
                format!("(({}){{{}}})", ty.text(), parts.join(", "))
            }
            Type::Header(kind) if self.is_varbit(*kind) || self.random.one_in(3) => {
                self.note("{#}");
                format!("(h{kind}_t){{#}}")
            }
            Type::Header(kind) => {
                let fields = self.header_types[*kind].clone();
                let parts: Vec<String> =
                    fields.iter().map(|(name, ty)| format!("{name} = {}", self.constant(ty))).collect();
                format!("(h{kind}_t){{{}}}", parts.join(", "))
            }
            // There are no constants of these types: only variables that are assigned to have them.
            Type::Varbit(_) | Type::Stack(..) | Type::Union | Type::UnionStack(_) => String::new(),
        }
    }

    /// A `bit<width>` literal: zero, all ones, one bit, a small one, any.
    pub(super) fn bits(&mut self, width: u32) -> String {
        let all = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let value = match self.random.below(6) {
            0 => 0,
            1 => all,
            2 => 1 << self.random.below(width as usize),
            3 => self.random.below(9) as u128,
            _ => u128::from(self.random.draw()) << 64 | u128::from(self.random.draw()),
        };
        format!("{width}w{:#x}", value & all)
    }
}
