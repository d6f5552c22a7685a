//! Stacks of header unions.

use std::collections::BTreeSet;

use super::Generator;
use super::types::Type;

/// The stacks.
const STACKS: [&str; 2] = ["us", "ut"];
/// How many unions a stack has.
const SIZE: usize = 2;

impl Generator {
    /// Stacks of unions among the program's headers.
    pub(super) fn union_stack(&mut self) {
        self.note("stack of unions");
        self.program_groups.push(Type::UnionStack(SIZE));
        for stack in STACKS {
            self.headers_of(&format!("hdr.{stack}"), &Type::UnionStack(SIZE), true);
            self.members.push_str(&format!("{} {stack};\n", Type::UnionStack(SIZE).text()));
        }
    }

    /// The stacks of unions that are seen here, with their headers.
    pub(super) fn union_stacks(&self) -> Vec<(String, BTreeSet<usize>)> {
        let mut stacks: Vec<(String, BTreeSet<usize>)> = vec![];
        for (index, header) in self.headers.iter().enumerate() {
            let Some(group) = header.group.as_ref().filter(|group| group.is_union) else { continue };
            let Some((stack, _)) = group.path.split_once('[') else { continue };
            match stacks.last_mut() {
                Some((last, headers)) if last == stack => drop(headers.insert(index)),
                _ => stacks.push((stack.to_owned(), [index].into())),
            }
        }
        stacks
    }

    /// A movement of a stack of unions, or its assignment.
    pub(super) fn union_stack_change(&mut self) -> String {
        let stacks = self.union_stacks();
        let writable = |headers: &BTreeSet<usize>| headers.iter().all(|header| self.headers[*header].writable);
        let changing: Vec<_> = stacks.iter().filter(|(_, headers)| writable(headers)).cloned().collect();
        let (true, Some((path, headers))) = (self.context.can_invalidate, self.random.pick(&changing).cloned()) else {
            return self.assignment();
        };
        self.forget(&headers);
        let others: Vec<String> = stacks.into_iter().map(|(other, _)| other).filter(|other| *other != path).collect();
        if let (true, Some(other)) = (self.random.one_in(2), self.random.pick(&others).cloned()) {
            self.note("assignment of a stack of unions");
            return format!("{path} = {other};\n");
        }
        self.note("movement of a stack of unions");
        let name = ["push_front", "pop_front"][self.random.below(2)];
        format!("{path}.{name}({});\n", 1 + self.random.below(SIZE))
    }
}
