//! A trace: how a link changes over time.

use serde::{Deserialize, Serialize};

use crate::LinkConfigError;
use crate::config::{check_delay, problem};
use crate::loss_model::LossModel;

/// From `at_s` on, the fields given hold; the others stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceStep {
    /// Seconds since the trace was started.
    pub at_s: f64,
    /// New bit rate in bits a second; 0 stops the transmitter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<u64>,
    /// New delay in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_us: Option<f64>,
    /// New losses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossModel>,
}

/// Longest trace: eleven days, far above any run.
const MAX_S: f64 = 1e6;
/// Shortest time after which a trace may begin again.
const MIN_PERIOD_S: f64 = 1e-3;

impl TraceStep {
    fn has_values(&self) -> bool {
        self.rate_bps.is_some() || self.delay_us.is_some() || self.loss.is_some()
    }

    fn at_ns(&self) -> u64 {
        // Validated to be finite, not negative and far below 2^53.
        (self.at_s * 1e9).round() as u64
    }
}

/// Checks the steps of a trace.
pub(crate) fn validate(steps: &[TraceStep], repeats: bool) -> Result<(), LinkConfigError> {
    let mut previous = None;
    for (index, step) in steps.iter().enumerate() {
        let field = |name: &str| format!("trace[{index}].{name}");
        if !(0.0..=MAX_S).contains(&step.at_s) {
            return problem(field("at_s"), format!("must be 0 to {MAX_S} seconds, not {}", step.at_s));
        }
        if previous.is_some_and(|previous| step.at_s <= previous) {
            return problem(field("at_s"), "must be later than the step before");
        }
        previous = Some(step.at_s);
        if let Some(delay_us) = step.delay_us {
            check_delay(&field("delay_us"), delay_us)?;
        }
        if let Some(loss) = &step.loss {
            loss.validate(&field("loss"))?;
        }
    }
    if !repeats {
        return Ok(());
    }
    match steps {
        [] | [_] => {
            problem("trace_repeats", "needs a trace of at least two steps; the last one says when it begins again")
        }
        [.., last] if last.has_values() => {
            let field = format!("trace[{}]", steps.len() - 1);
            problem(field, "is where the trace begins again (trace_repeats), so it has nothing but at_s")
        }
        [.., last] if last.at_s < MIN_PERIOD_S => problem(
            format!("trace[{}].at_s", steps.len() - 1),
            format!("a trace repeats after {MIN_PERIOD_S} s or later"),
        ),
        _ => Ok(()),
    }
}

/// A trace that has been started.
#[derive(Debug)]
pub(crate) struct RunningTrace {
    /// Without the last one if the trace repeats.
    steps: Vec<TraceStep>,
    /// Index of the next step.
    next: usize,
    /// When the present round began.
    round_ns: u64,
    /// Time from one round to the next.
    period_ns: Option<u64>,
    /// Whether some step lets a stopped transmitter run.
    can_resume: bool,
}

impl RunningTrace {
    /// The trace, counted from `start_ns`; nothing if there are no steps.
    pub(crate) fn new(mut steps: Vec<TraceStep>, repeats: bool, start_ns: u64) -> Option<Self> {
        let period_ns = if repeats { steps.pop().map(|last| last.at_ns()) } else { None };
        let can_resume = steps.iter().any(|step| step.rate_bps.is_some_and(|rate| rate > 0));
        (!steps.is_empty()).then_some(Self { steps, next: 0, round_ns: start_ns, period_ns, can_resume })
    }

    pub(crate) fn can_resume(&self) -> bool {
        self.can_resume
    }

    /// When the next step is.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.steps.get(self.next).map(|step| self.round_ns.saturating_add(step.at_ns()))
    }

    /// Takes the next step.
    pub(crate) fn take(&mut self) -> Option<&TraceStep> {
        let taken = self.next;
        self.next += 1;
        if self.next >= self.steps.len()
            && let Some(period_ns) = self.period_ns
        {
            self.next = 0;
            self.round_ns = self.round_ns.saturating_add(period_ns);
        }
        self.steps.get(taken)
    }

    /// Whether a round has just been completed.
    pub(crate) fn is_between_rounds(&self) -> bool {
        self.next == 0
    }

    /// Leaves out the rounds that are over at `now_ns`. After a whole round the link is as after any other.
    pub(crate) fn skip_rounds(&mut self, now_ns: u64) {
        if let Some(period_ns) = self.period_ns {
            self.round_ns += now_ns.saturating_sub(self.round_ns) / period_ns * period_ns;
        }
    }
}
