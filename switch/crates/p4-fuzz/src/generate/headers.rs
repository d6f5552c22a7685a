//! Header types, headers, and their validity.

use super::program::width_of;
use super::types::Type;
use super::{Generator, Group, Header, Variable};

impl Generator {
    /// Header types, and the headers of the program.
    pub(super) fn declare_headers(&mut self) -> String {
        let mut text = String::new();
        for kind in 0..1 + self.random.below(3) {
            let (mut fields, mut bits) = (vec![], 0);
            for number in 0..1 + self.random.below(4) {
                let ty = self.number_type();
                bits += width_of(&ty);
                fields.push((format!("x{number}"), ty));
            }
            if bits % 8 != 0 {
                fields.push(("rest".to_owned(), Type::Bit(8 - bits % 8)));
            }
            text.push_str(&self.header_type(kind, fields));
        }
        if self.random.one_in(3) {
            text.push_str(&self.varbit_type());
        }
        for kind in 0..self.header_types.len() {
            self.header(kind, format!("hdr.h{kind}"), None);
            self.members.push_str(&format!("h{kind}_t h{kind};\n"));
            if self.is_varbit(kind) {
                self.header(kind, format!("hdr.h{kind}b"), None);
                self.members.push_str(&format!("h{kind}_t h{kind}b;\n"));
            } else if self.random.one_in(3) {
                self.stack(kind);
            }
        }
        if self.random.one_in(3) {
            text.push_str(&self.unions());
        }
        for (index, header) in self.headers.iter().enumerate() {
            for (name, ty) in &self.header_types[header.kind] {
                let name = format!("{}.{name}", header.path);
                self.variables.push(Variable { name, ty: ty.clone(), writable: true, header: Some(index) });
            }
        }
        text
    }

    pub(super) fn header_type(&mut self, kind: usize, fields: Vec<(String, Type)>) -> String {
        let list: Vec<String> = fields.iter().map(|(name, ty)| format!("{} {name};", ty.text())).collect();
        self.header_types.push(fields);
        format!("header h{kind}_t {{ {} }}\n", list.join(" "))
    }

    pub(super) fn header(&mut self, kind: usize, path: String, group: Option<Group>) {
        self.headers.push(Header { path, kind, writable: true, group });
    }

    /// Makes a header valid and fills it, or makes it invalid.
    pub(super) fn validity(&mut self) -> String {
        let index = self.random.below(self.headers.len());
        let Some(header) = self.headers.get(index).cloned().filter(|header| header.writable) else {
            return self.assignment();
        };
        if self.context.can_invalidate && self.random.one_in(3) {
            self.note("setInvalid");
            self.forget(&[index].into());
            self.forget(&self.other_members(index));
            return format!("{}.setInvalid();\n", header.path);
        }
        // Other members of a union become invalid.
        let can_be_valid = self.context.can_invalidate || self.other_members(index).is_empty();
        if !can_be_valid || self.is_varbit(header.kind) {
            return self.assignment();
        }
        let fields = self.header_types[header.kind].clone();
        let values: Vec<String> = fields.iter().map(|(_, ty)| self.expression(ty, 2)).collect();
        // What the values call cannot make a header invalid.
        self.becomes_valid(index);
        if self.random.one_in(2) {
            self.note("header of a list");
            return format!("{} = {{{}}};\n", header.path, values.join(", "));
        }
        self.note("setValid");
        let constants: Vec<String> =
            fields.iter().map(|(name, ty)| format!("{}.{name} = {};\n", header.path, self.constant(ty))).collect();
        format!("{}.setValid();\n{}", header.path, constants.concat())
    }

    pub(super) fn header_assignment(&mut self) -> String {
        let mut pairs = self.pairs_of_headers();
        pairs.retain(|(to, _)| self.headers[*to].writable);
        let (true, Some((to, from))) = (self.context.can_invalidate, self.random.pick(&pairs).copied()) else {
            return self.assignment();
        };
        if self.valid.contains(&from) {
            self.becomes_valid(to);
        } else {
            self.forget(&[to].into());
            self.forget(&self.other_members(to));
        }
        let text = format!("{} = {};\n", self.headers[to].path, self.headers[from].path);
        self.note(match &self.headers[to].group {
            Some(Group { is_union: true, .. }) => "union member assignment",
            Some(_) => "stack element assignment",
            None => "header assignment",
        });
        text
    }

    pub(super) fn becomes_valid(&mut self, header: usize) {
        self.forget(&self.other_members(header));
        self.valid.insert(header);
    }
}
