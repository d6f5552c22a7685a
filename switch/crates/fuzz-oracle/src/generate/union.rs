//! Header unions.

use std::collections::BTreeSet;

use super::types::Type;
use super::{Generator, Group};

/// The unions: two of one type.
const UNIONS: [&str; 2] = ["u", "w"];

impl Generator {
    /// A type of header unions, and headers of it.
    pub(super) fn unions(&mut self) -> String {
        self.note("header union");
        let kinds = [0, self.random.below(self.header_types.len())];
        self.union_kinds = kinds;
        self.program_groups.push(Type::Union);
        for union in UNIONS {
            self.headers_of(&format!("hdr.{union}"), &Type::Union, true);
            self.members.push_str(&format!("union_t {union};\n"));
        }
        if self.random.one_in(3) {
            self.union_stack();
        }
        format!("header_union union_t {{ h{}_t a; h{}_t b; }}\n", kinds[0], kinds[1])
    }

    /// The other members of a header's union: they become invalid when it becomes valid.
    pub(super) fn other_members(&self, header: usize) -> BTreeSet<usize> {
        match self.headers.get(header).and_then(|header| header.group.as_ref()) {
            Some(group) if group.is_union => self.members_of(group).filter(|other| *other != header).collect(),
            _ => BTreeSet::new(),
        }
    }

    /// The headers of a stack or union, in order.
    pub(super) fn members_of<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = usize> + 'a {
        (0..self.headers.len()).filter(move |index| self.headers[*index].group.as_ref() == Some(group))
    }

    /// The stacks or unions that are seen here.
    pub(super) fn groups(&self, is_union: bool) -> Vec<Group> {
        let mut groups: Vec<Group> = self.headers.iter().filter_map(|header| header.group.clone()).collect();
        groups.dedup();
        groups.retain(|group| group.is_union == is_union);
        groups
    }

    /// Assigns one union or stack to another one.
    pub(super) fn group_assignment(&mut self) -> String {
        let groups: Vec<Group> = [self.groups(true), self.groups(false)].concat();
        let Some(to) = self.random.pick(&groups).cloned().filter(|_| self.context.can_invalidate) else {
            return self.assignment();
        };
        let others: Vec<Group> = groups.into_iter().filter(|other| other.ty == to.ty && *other != to).collect();
        let members: Vec<usize> = self.members_of(&to).collect();
        let writable = members.iter().all(|member| self.headers[*member].writable);
        let Some(from) = self.random.pick(&others).filter(|_| writable).cloned() else { return self.assignment() };
        let pairs: Vec<(usize, usize)> = members.into_iter().zip(self.members_of(&from)).collect();
        for (to, from) in pairs {
            self.forget(&[to].into());
            if self.valid.contains(&from) {
                self.valid.insert(to);
            }
        }
        self.note(if to.is_union { "union assignment" } else { "stack assignment" });
        format!("{} = {};\n", to.path, from.path)
    }

    /// Headers, a stack or a union of a type, that can be written and made invalid unless only `read`; the headers too.
    pub(super) fn place_of_headers(&mut self, ty: &Type, read: bool) -> Option<(String, BTreeSet<usize>)> {
        let mut found = vec![];
        if let Type::Header(kind) = ty {
            for (index, header) in self.headers.iter().enumerate() {
                if header.kind == *kind {
                    found.push((header.path.clone(), [index].into()));
                }
            }
        }
        for group in [self.groups(true), self.groups(false)].concat() {
            if group.ty == *ty {
                found.push((group.path.clone(), self.members_of(&group).collect::<BTreeSet<usize>>()));
            }
        }
        if let Type::UnionStack(_) = ty {
            found.extend(self.union_stacks());
        }
        found.retain(|(_, headers)| {
            read || self.context.can_invalidate && headers.iter().all(|header| self.headers[*header].writable)
        });
        self.random.pick(&found).cloned()
    }
}
