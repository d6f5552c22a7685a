//! Finding headers and unions that are only known when an expression is evaluated.

use super::env::Env;
use crate::code::expr::{HeaderRef, UnionRef};

impl HeaderRef {
    /// The header; none if a stack index is behind the end or the stack is empty.
    pub fn resolve(&self, env: &Env) -> Option<u32> {
        match self {
            HeaderRef::Static(header) => Some(*header),
            HeaderRef::StackAt(stack, index) => {
                let index = usize::try_from(index.eval(env)).ok()?;
                env.layout.stacks[*stack as usize].headers.get(index).copied()
            }
            HeaderRef::StackLast(stack) => {
                let stack = &env.layout.stacks[*stack as usize];
                let last = env.phv[stack.next as usize].checked_sub(1)?;
                stack.headers.get(last as usize).copied()
            }
            HeaderRef::Member(union, member) => {
                let union = union.resolve(env)?;
                env.layout.unions[union as usize].headers.get(*member as usize).copied()
            }
        }
    }
}

impl UnionRef {
    /// The union; none if a stack index is behind the end or the stack is empty.
    pub fn resolve(&self, env: &Env) -> Option<u32> {
        match self {
            UnionRef::Static(union) => Some(*union),
            UnionRef::StackAt(stack, index) => {
                let index = usize::try_from(index.eval(env)).ok()?;
                env.layout.union_stacks[*stack as usize].unions.get(index).copied()
            }
            UnionRef::StackLast(stack) => {
                let stack = &env.layout.union_stacks[*stack as usize];
                let last = env.phv[stack.next as usize].checked_sub(1)?;
                stack.unions.get(last as usize).copied()
            }
        }
    }
}
