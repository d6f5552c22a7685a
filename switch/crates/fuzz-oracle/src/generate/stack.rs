//! Header stacks.

use super::types::Type;
use super::{Generator, Group};

impl Generator {
    /// A stack of headers of that kind.
    pub(super) fn stack(&mut self, kind: usize) {
        self.note("header stack");
        let size = 2 + self.random.below(2);
        let ty = Type::Stack(kind, size);
        let by_next = self.random.one_in(2);
        self.headers_of(&format!("hdr.h{kind}s"), &ty, true);
        for header in self.headers.iter_mut().rev().take(size) {
            header.group = header.group.take().map(|group| Group { by_next, ..group });
        }
        self.program_groups.push(ty);
        self.members.push_str(&format!("h{kind}_t[{size}] h{kind}s;\n"));
    }

    /// `push_front` or `pop_front` of a stack.
    pub(super) fn stack_movement(&mut self) -> String {
        let groups = self.groups(false);
        let (true, Some(group)) = (self.context.can_invalidate, self.random.pick(&groups)) else {
            return self.assignment();
        };
        let elements: Vec<usize> = self.members_of(group).collect();
        if elements.iter().any(|element| !self.headers[*element].writable) {
            return self.assignment();
        }
        let count = 1 + self.random.below(elements.len());
        let push = self.random.one_in(2);
        let valid: Vec<bool> = elements.iter().map(|element| self.valid.contains(element)).collect();
        for (position, element) in elements.iter().enumerate() {
            let from = if push { position.checked_sub(count) } else { Some(position + count) };
            self.forget(&[*element].into());
            if from.and_then(|from| valid.get(from)) == Some(&true) {
                self.valid.insert(*element);
            }
        }
        let name = if push { "push_front" } else { "pop_front" };
        self.note(name);
        format!("{}.{name}({count});\n", group.path)
    }

    /// A stack of elements of its own and others, in any order.
    pub(super) fn stack_of_list(&mut self) -> String {
        let groups = self.groups(false);
        let (true, Some(group)) = (self.context.can_invalidate, self.random.pick(&groups).cloned()) else {
            return self.assignment();
        };
        let elements: Vec<usize> = self.members_of(&group).collect();
        if elements.iter().any(|element| !self.headers[*element].writable) {
            return self.assignment();
        }
        let ty = Type::Header(self.headers[elements[0]].kind);
        let values: Vec<String> = elements.iter().map(|_| self.leaf(&ty)).collect();
        self.forget(&elements.into_iter().collect());
        self.note("stack of a list");
        format!("{} = ({}){{{}}};\n", group.path, group.ty.text(), values.join(", "))
    }

    /// All elements of a stack get values.
    pub(super) fn filled_stack(&mut self) -> String {
        let groups = self.groups(false);
        let Some(group) = self.random.pick(&groups) else { return self.assignment() };
        let elements: Vec<usize> = self.members_of(group).collect();
        let kind = self.headers[elements[0]].kind;
        if self.is_varbit(kind) || elements.iter().any(|element| !self.headers[*element].writable) {
            return self.assignment();
        }
        self.note("stack with all elements");
        let mut text = String::new();
        for element in elements {
            let fields = self.header_types[kind].clone();
            let values: Vec<String> = fields.iter().map(|(_, ty)| self.expression(ty, 1)).collect();
            text.push_str(&format!("{} = {{{}}};\n", self.headers[element].path, values.join(", ")));
            self.valid.insert(element);
        }
        text
    }

    /// If the header is an element of a stack: a condition that all its elements are valid, and these.
    pub(super) fn whole_stack(&mut self, header: usize) -> Option<(String, Vec<usize>)> {
        let group = self.headers[header].group.clone().filter(|group| !group.is_union)?;
        let elements: Vec<usize> = self.members_of(&group).collect();
        if self.random.one_in(3) {
            return None;
        }
        let valid: Vec<String> =
            elements.iter().map(|element| format!("{}.isValid()", self.headers[*element].path)).collect();
        Some((valid.join(" && "), elements))
    }

    /// A field of that type of an element of a stack of two whose index is not known; both are valid.
    pub(super) fn element(&mut self, ty: &Type, written: bool) -> Option<String> {
        let mut found = vec![];
        for group in self.groups(false) {
            let elements: Vec<usize> = self.members_of(&group).collect();
            let [first, second] = elements.as_slice() else { continue };
            let both = self.valid.contains(first) && self.valid.contains(second);
            if !both || written && !self.headers[*first].writable {
                continue;
            }
            for (name, field) in &self.header_types[self.headers[*first].kind] {
                if field == ty {
                    found.push((group.path.clone(), name.clone()));
                }
            }
        }
        let (path, name) = self.random.pick(&found)?.clone();
        self.note(if written { "element of any index as l-value" } else { "element of any index" });
        // No constant: that it is within the bounds is then not checked.
        let index = self.expression(&Type::Bit(1), 1);
        Some(format!("{path}[{index}].{name}"))
    }
}
