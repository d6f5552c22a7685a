//! Header unions.

use std::collections::BTreeSet;

use super::{Generator, Group};

/// The unions: two of one type.
const UNIONS: [&str; 2] = ["u", "w"];

impl Generator {
    /// A type of header unions, and headers of it.
    pub(super) fn unions(&mut self) -> String {
        self.note("header union");
        let kinds = [0, self.random.below(self.header_types.len())];
        for union in UNIONS {
            let group = Some(Group { path: format!("hdr.{union}"), is_union: true, by_next: false });
            for (member, kind) in ["a", "b"].into_iter().zip(kinds) {
                self.header(kind, format!("hdr.{union}.{member}"), group.clone());
            }
            self.members.push_str(&format!("union_t {union};\n"));
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

    /// Assigns one union to the other.
    pub(super) fn union_assignment(&mut self) -> String {
        let groups = self.groups(true);
        let (true, [one, other]) = (self.context.can_invalidate, groups.as_slice()) else {
            return self.assignment();
        };
        let (to, from) = if self.random.one_in(2) { (one, other) } else { (other, one) };
        let pairs: Vec<(usize, usize)> = self.members_of(to).zip(self.members_of(from)).collect();
        for (to, from) in pairs {
            self.forget(&[to].into());
            if self.valid.contains(&from) {
                self.valid.insert(to);
            }
        }
        self.note("union assignment");
        format!("{} = {};\n", to.path, from.path)
    }
}
