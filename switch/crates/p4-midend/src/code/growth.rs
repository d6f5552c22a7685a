//! How large a program becomes. A call is replaced by the body that it calls, and a loop by its turns. Both happen
//! again within these, so a few lines can stand for any number of statements.

use crate::lowerer::Lowerer;
use p4_syntax::Span;

/// The most statements that a program may have when its calls are inlined and its loops unrolled. Large programs of the
/// field have some thousands.
const MOST_STATEMENTS: usize = 200_000;

/// The calls, turns of loops and instances that have been expanded so far.
#[derive(Default)]
pub struct Growth {
    /// Their number.
    expansions: usize,
    /// The expansions around, the innermost last: where each stands, and how large the program was before it.
    around: Vec<(Span, usize)>,
}

impl Lowerer<'_> {
    /// Lowers the code that takes the place of a call, of a turn of a loop or of an instance. `None` if the program is
    /// too large.
    pub fn expansion<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.messages.is_too_large() {
            return None;
        }
        self.growth.expansions += 1;
        let size = self.size();
        self.growth.around.push((span, size));
        let lowered = if size > MOST_STATEMENTS {
            self.refuse_size(size);
            None
        } else {
            Some(lower(self))
        };
        self.growth.around.pop();
        lowered
    }

    fn size(&self) -> usize {
        self.emitter.emitted() + self.growth.expansions
    }

    /// Reports the innermost expansion that alone makes nearly all statements, or else the outermost.
    fn refuse_size(&self, size: usize) {
        let own = |(span, before): &(Span, usize)| (*span, size - before);
        let around = &self.growth.around;
        let large = around.iter().map(own).rfind(|(_, statements)| *statements > MOST_STATEMENTS / 10 * 9);
        let Some((span, statements)) = large.or_else(|| around.first().map(own)) else { return };
        let message = format!(
            "with calls inlined and loops unrolled the program has more than {MOST_STATEMENTS} statements, {statements} of them from here"
        );
        let help = "each call is replaced by the called code, so the number doubles with each level of calls that call the next one twice";
        self.messages.refuse_size(span, message, help);
    }
}
