//! Movement of header stacks.

use crate::reference::{Machine, Result, Value};
use p4_types::typed::{Expr, Type};

impl Machine<'_> {
    /// `push_front(count)` or `pop_front(count)`: elements move, and invalid ones come in.
    pub(super) fn move_stack(&mut self, stack: &Expr, count: usize, push: bool) -> Result<()> {
        let program = self.program;
        let place = self.place(stack)?;
        let invalid = match program.representation(&stack.ty) {
            Type::Stack(element, _) => Value::uninitialized(program, &element),
            _ => Value::Undefined,
        };
        if let Some(Value::Stack { elements, next }) = self.target(&place)? {
            let size = elements.len();
            let count = count.min(size);
            if push {
                elements.rotate_right(count);
                elements[..count].fill(invalid);
                *next = (*next + count).min(size);
            } else {
                elements.rotate_left(count);
                elements[size - count..].fill(invalid);
                *next = next.saturating_sub(count);
            }
        }
        Ok(())
    }
}
