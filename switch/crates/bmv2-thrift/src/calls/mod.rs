//! The calls of the three services, by their names.

mod arrays;
mod entries;
mod hashes;
mod management;
mod multicast;
mod ports;
mod profiles;
mod queues;
mod tables;
mod value_sets;

use bmv2_runtime::{Code, Kind, Refusal, Runtime};

use crate::Services;
use crate::fault::Fault;
use crate::value::{Fields, Value};

/// The result of a call.
pub(crate) type Answer = Result<Value, Fault>;

/// A call.
pub(crate) struct Call {
    pub(crate) name: &'static str,
    run: Run,
}

enum Run {
    /// Between two packets, on the session of the switch. Without a program, nothing has the name that it is given.
    OnSession(fn(&mut Runtime<'_>, &Fields) -> Answer, Kind, Code),
    /// By itself.
    Outside(fn(&Services, &Fields) -> Answer),
}

/// One that is about a table or its parts.
const fn of_table(name: &'static str, run: fn(&mut Runtime<'_>, &Fields) -> Answer) -> Call {
    Call { name, run: Run::OnSession(run, Kind::Table, Code::InvalidTableName) }
}

/// One that is about an action profile.
const fn of_profile(name: &'static str, run: fn(&mut Runtime<'_>, &Fields) -> Answer) -> Call {
    Call { name, run: Run::OnSession(run, Kind::Table, Code::InvalidActionProfileName) }
}

/// One that is about something else with a name.
const fn of(kind: Kind, name: &'static str, run: fn(&mut Runtime<'_>, &Fields) -> Answer) -> Call {
    Call { name, run: Run::OnSession(run, kind, Code::InvalidName) }
}

/// One about something without name, which fails without a program.
const fn without_name(kind: Kind, name: &'static str, run: fn(&mut Runtime<'_>, &Fields) -> Answer) -> Call {
    Call { name, run: Run::OnSession(run, kind, Code::Error) }
}

/// One that is not about a switch with a program.
const fn outside(name: &'static str, run: fn(&Services, &Fields) -> Answer) -> Call {
    Call { name, run: Run::Outside(run) }
}

/// The services, each with its calls.
pub(crate) const SERVICES: &[(&str, &[&[Call]])] = &[
    (
        "standard",
        &[
            tables::CALLS,
            profiles::CALLS,
            arrays::CALLS,
            value_sets::CALLS,
            ports::CALLS,
            hashes::CALLS,
            management::CALLS,
        ],
    ),
    ("simple_pre_lag", &[multicast::CALLS]),
    ("simple_switch", &[multicast::MIRRORING_CALLS, queues::CALLS]),
];

/// The call of that name, `service:call`.
pub(crate) fn find(name: &str) -> Option<&'static Call> {
    let (service, call) = name.split_once(':')?;
    let (_, groups) = SERVICES.iter().find(|(name, _)| *name == service)?;
    groups.iter().copied().flatten().find(|known| known.name == call)
}

impl Call {
    /// Carries the call out.
    pub(crate) fn run(&self, services: &Services, arguments: Fields) -> Answer {
        match self.run {
            Run::Outside(run) => run(services, &arguments),
            Run::OnSession(run, kind, without_program) => {
                let answer = services.switch.call(move |runtime| run(runtime, &arguments))?;
                answer.unwrap_or_else(|| {
                    Err(Refusal::explained(kind, without_program, "the switch has no program").into())
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::SERVICES;

    /// The names of the calls in the description of a service: the words in front of an opening parenthesis.
    fn described(text: &str) -> BTreeSet<&str> {
        let calls = text.split_once("service ").map_or("", |(_, calls)| calls);
        calls
            .split('(')
            .filter_map(|front| front.split_whitespace().next_back())
            .filter(|word| *word != "throws")
            .collect()
    }

    #[test]
    fn every_call_that_is_described_can_be_made() {
        let descriptions = [
            ("standard", include_str!("../../thrift/standard.thrift")),
            ("simple_pre_lag", include_str!("../../thrift/simple_pre_lag.thrift")),
            ("simple_switch", include_str!("../../thrift/simple_switch.thrift")),
        ];
        for ((service, text), (name, groups)) in descriptions.into_iter().zip(SERVICES) {
            assert_eq!(service, *name);
            let known: BTreeSet<&str> = groups.iter().copied().flatten().map(|call| call.name).collect();
            let missing: Vec<_> =
                described(text).difference(&known).copied().filter(|word| word.contains('_')).collect();
            let others: Vec<_> = known.difference(&described(text)).copied().collect();
            assert_eq!((missing, others), (vec![], vec![]), "{service}");
        }
    }
}
