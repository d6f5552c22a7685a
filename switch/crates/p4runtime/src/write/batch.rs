//! Runs the updates of a batch, with or without the promise that it is all or nothing.

use p4runtime_proto::runtime::{Update, write_request};

use super::{Context, Step, plan};
use crate::failure::{Failure, Outcome};
use crate::read::undo;
use crate::role::Access;
use crate::schema::Schema;

/// The treatment of the rest of a batch when an update fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atomicity {
    /// It is tried all the same.
    ContinueOnError,
    /// It is not tried, and the updates done before are undone. As a batch runs between two packets, this is both
    /// ROLLBACK_ON_ERROR and DATAPLANE_ATOMIC.
    AllOrNothing,
}

impl Atomicity {
    /// The atomicity a request asks for.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for an unknown number.
    pub fn of(request: i32) -> Outcome<Self> {
        match write_request::Atomicity::try_from(request) {
            Ok(write_request::Atomicity::ContinueOnError) => Ok(Atomicity::ContinueOnError),
            Ok(write_request::Atomicity::RollbackOnError | write_request::Atomicity::DataplaneAtomic) => {
                Ok(Atomicity::AllOrNothing)
            }
            Err(_) => Err(Failure::invalid(format!("{request} is no atomicity mode"))),
        }
    }
}

/// Runs the steps of a batch; one outcome for each. `updates` are what the steps were planned from; they are only needed for
/// [`Atomicity::AllOrNothing`].
pub fn apply_batch(
    context: &mut Context<'_>,
    schema: &Schema,
    steps: Vec<Outcome<Step>>,
    updates: &[Update],
    atomicity: Atomicity,
) -> Vec<Outcome<()>> {
    match atomicity {
        Atomicity::ContinueOnError => steps.into_iter().map(|step| step.and_then(|step| step(context))).collect(),
        Atomicity::AllOrNothing => all_or_nothing(context, schema, steps, updates),
    }
}

fn all_or_nothing(
    context: &mut Context<'_>,
    schema: &Schema,
    steps: Vec<Outcome<Step>>,
    updates: &[Update],
) -> Vec<Outcome<()>> {
    let total = steps.len();
    if steps.iter().any(Result::is_err) {
        return steps
            .into_iter()
            .map(|step| step.and_then(|_| Err(Failure::aborted("not tried: another update of the batch is wrong"))))
            .collect();
    }
    let mut done: Vec<Update> = Vec::new();
    let mut outcomes: Vec<Outcome<()>> = Vec::with_capacity(total);
    for (step, update) in steps.into_iter().zip(updates) {
        // Read before the step runs: afterwards the old state is gone. A state that cannot be read fails the step too.
        let before = undo::reverse(context, schema, update).unwrap_or_default();
        match step.and_then(|step| step(context)) {
            Ok(()) => {
                done.extend(before.into_iter().rev());
                outcomes.push(Ok(()));
            }
            Err(failure) => {
                roll_back(context, schema, done);
                outcomes.fill(Err(Failure::aborted("undone: another update of the batch failed")));
                outcomes.push(Err(failure));
                outcomes.resize(total, Err(Failure::aborted("not tried: another update of the batch failed")));
                break;
            }
        }
    }
    outcomes
}

fn roll_back(context: &mut Context<'_>, schema: &Schema, done: Vec<Update>) {
    context.restoring = true;
    for update in done.into_iter().rev() {
        let undone = plan(schema, &Access::Full, update).and_then(|step| step(context));
        if let Err(failure) = undone {
            tracing::error!("undoing an update failed: {failure}");
        }
    }
    context.restoring = false;
}
