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
                let ty = match self.random.below(14) {
                    0 => Type::Kind,
                    1 => Type::New(self.new_width),
                    _ => self.number_type(),
                };
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
        text
    }

    pub(super) fn header_type(&mut self, kind: usize, fields: Vec<(String, Type)>) -> String {
        let mut list: Vec<String> = fields.iter().map(|(name, ty)| format!("{} {name};", ty.text())).collect();
        let generic =
            fields.first().filter(|_| self.random.one_in(4)).map(|(name, ty)| (format!("T {name};"), ty.text()));
        self.header_types.push(fields);
        if let Some((first, argument)) = generic {
            self.note("generic header");
            list[0] = first;
            let list = list.join(" ");
            return format!("header g{kind}_t<T> {{ {list} }}\ntypedef g{kind}_t<{argument}> h{kind}_t;\n");
        }
        format!("header h{kind}_t {{ {} }}\n", list.join(" "))
    }

    /// A header that can be written, and its fields.
    pub(super) fn header(&mut self, kind: usize, path: String, group: Option<Group>) {
        self.header_seen(kind, path, group, true);
    }

    /// A header, of which nothing is known, and its fields.
    pub(super) fn header_seen(&mut self, kind: usize, path: String, group: Option<Group>, writable: bool) {
        let index = self.headers.len();
        for (field, ty) in self.header_types[kind].clone() {
            self.variables.push(Variable { name: format!("{path}.{field}"), ty, writable, header: Some(index) });
        }
        self.headers.push(Header { path, kind, writable, group });
        self.valid.remove(&index);
    }

    /// All headers of a variable of that type.
    pub(super) fn headers_of(&mut self, name: &str, ty: &Type, writable: bool) {
        let group = |is_union| Some(Group { path: name.to_owned(), ty: ty.clone(), is_union, by_next: false });
        match *ty {
            Type::Header(kind) => self.header_seen(kind, name.to_owned(), None, writable),
            Type::Stack(kind, size) => {
                for element in 0..size {
                    self.header_seen(kind, format!("{name}[{element}]"), group(false), writable);
                }
            }
            Type::UnionStack(size) => {
                for element in 0..size {
                    self.headers_of(&format!("{name}[{element}]"), &Type::Union, writable);
                }
            }
            Type::Union => {
                for (member, kind) in ["a", "b"].into_iter().zip(self.union_kinds) {
                    self.header_seen(kind, format!("{name}.{member}"), group(true), writable);
                }
            }
            _ => {}
        }
    }

    /// A type that holds headers; stacks and unions only as the program has them.
    pub(super) fn type_of_headers(&mut self) -> Type {
        let groups = self.program_groups.clone();
        match self.random.pick(&groups) {
            Some(ty) if self.random.one_in(2) => ty.clone(),
            _ => Type::Header(self.random.below(self.header_types.len())),
        }
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
        // The functions that the values call cannot make a header invalid.
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

    /// Assigns the value of an expression to a header: whether it is valid then is not known.
    fn header_of_expression(&mut self) -> String {
        let ty = Type::Header(self.random.below(self.header_types.len()));
        let Some((path, headers)) = self.place_of_headers(&ty, false) else { return self.assignment() };
        let text = format!("{path} = {};\n", self.expression(&ty, 2));
        for header in headers {
            self.forget(&[header].into());
            self.forget(&self.other_members(header));
        }
        self.note("header of an expression");
        text
    }

    pub(super) fn header_assignment(&mut self) -> String {
        if self.random.one_in(3) {
            return self.header_of_expression();
        }
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
