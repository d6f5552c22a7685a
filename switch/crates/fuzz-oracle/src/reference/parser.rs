//! Parsers as state machines.

use crate::reference::{Interrupt, Machine, Result};
use p4_types::typed::{NextState, Parser, State, Transition};

impl Machine<'_> {
    /// Runs the states; the error it ends with, if it ends in `reject`.
    pub(super) fn parse(&mut self, parser: &Parser) -> Result<Option<u32>> {
        let result = self.locals(&parser.locals).and_then(|()| self.states(parser));
        match result {
            Err(Interrupt::Reject(error)) => Ok(Some(error)),
            other => other.map(|()| None),
        }
    }

    pub(super) fn states(&mut self, parser: &Parser) -> Result<()> {
        let mut next = NextState::State(parser.start);
        loop {
            next = match next {
                NextState::Accept => return Ok(()),
                // By itself `reject` is no error of any name.
                NextState::Reject => return Err(Interrupt::Reject(self.error("NoError")?)),
                NextState::State(index) => self.state(&parser.states[index])?,
            }
        }
    }

    fn state(&mut self, state: &State) -> Result<NextState> {
        self.step()?;
        self.statements(&state.body)?;
        let (keys, cases) = match &state.transition {
            Transition::Direct(next) => return Ok(*next),
            Transition::Select { keys, cases, .. } => (keys, cases),
        };
        let mut values = vec![];
        for key in keys {
            values.push((self.evaluate(key)?, key.ty.clone()));
        }
        for case in cases {
            if self.contains_all(&case.sets, &values)? {
                return Ok(case.next);
            }
        }
        Err(Interrupt::Reject(self.error("NoMatch")?))
    }
}
