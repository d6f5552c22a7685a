//! Tables by the holder of their actions, by default action, by key, by entries, by the statement after them: every
//! combination from the source to the packet. The compiler refuses the wrong combinations, and a refused change changes
//! nothing.

#![allow(clippy::unwrap_used)] // a failing test may panic

use p4c_driver::compile::{self, Settings, Verdict};
use p4sim::Simulator;
use std::sync::Arc;
use v1model::{
    ActionCall, ActionProfileId, ActionSet, ActionSpec, ControlError, GroupMember, KeyMatch, ProfileGroup,
    ProfileMember, Program, Selection, SwitchConfig, TableEntry, TableId, WeightedAction,
};

/// The action that a packet met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ran {
    To(u16),
    Stop,
    Nothing,
    /// An action for misses alone.
    Only,
}

/// Where the actions of a table's entries are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    Entries,
    Profile,
    Selector,
}

const HOLDERS: [Holder; 3] = [Holder::Entries, Holder::Profile, Holder::Selector];
const DEFAULTS: [(&str, Ran); 7] = [
    ("", Ran::Nothing),
    ("default_action = to(5);", Ran::To(5)),
    ("const default_action = to(5);", Ran::To(5)),
    ("default_action = stop();", Ran::Stop),
    ("const default_action = stop();", Ran::Stop),
    ("const default_action = NoAction();", Ran::Nothing),
    ("default_action = only();", Ran::Only),
];
const KEYS: [&str; 6] = ["", "exact", "lpm", "ternary", "range", "optional"];
const ENTRIES: [&str; 3] = ["", "const entries", "entries"];
const AFTER: [&str; 3] = [
    "choose.apply();",
    "if (choose.apply().hit) { h.b.rest = 1; } else { h.b.rest = 2; }",
    "switch (choose.apply().action_run) { to: { h.b.rest = 1; } stop: { h.b.rest = 2; } default: { h.b.rest = 3; } }",
];

/// One combination. The bits of `number` choose what changes nothing for these packets: counters, a meter, time-outs, a size.
#[derive(Clone, Copy, Debug)]
struct Case {
    number: usize,
    holder: Holder,
    default: (&'static str, Ran),
    key: &'static str,
    entries: &'static str,
    after: usize,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut all = vec![];
        for holder in HOLDERS {
            for default in DEFAULTS {
                for key in KEYS {
                    for entries in ENTRIES {
                        for after in 0..AFTER.len() {
                            all.push(Self { number: all.len(), holder, default, key, entries, after });
                        }
                    }
                }
            }
        }
        all
    }

    fn has(&self, bit: usize) -> bool {
        // As good as random, and the same in every run.
        (self.number.wrapping_mul(0x9e37_79b9) >> (16 + bit)) & 1 != 0
    }

    fn source(&self) -> String {
        let (declared, implementation) = match self.holder {
            Holder::Entries => ("", ""),
            Holder::Profile => ("action_profile(8) paths;", "implementation = paths;"),
            Holder::Selector => ("action_selector(HashAlgorithm.crc16, 8, 16) paths;", "implementation = paths;"),
        };
        let one = match self.key {
            "exact" | "optional" => "1",
            "lpm" | "ternary" => "1 &&& 0xff",
            "range" => "1..1",
            _ => "_",
        };
        let mut keys = String::new();
        if !self.key.is_empty() {
            keys.push_str(&format!("h.b.kind: {}; ", self.key));
        }
        if self.holder == Holder::Selector && !self.key.is_empty() {
            keys.push_str("h.b.rest: selector; ");
        }
        let keys = if keys.is_empty() { keys } else { format!("key = {{ {keys}}}") };
        let one = if self.holder == Holder::Selector { format!("({one}, _)") } else { one.to_owned() };
        let entries =
            if self.entries.is_empty() { String::new() } else { format!("{} = {{ {one}: to(7); }}", self.entries) };
        let chosen = |bit: usize, text: &'static str| if self.has(bit) { text } else { "" };
        format!(
            "#include <core.p4>
#include <v1model.p4>
header b_t {{ bit<8> kind; bit<8> rest; }}
struct H {{ b_t b; }}
struct M {{ bit<2> colour; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{ state start {{ p.extract(h.b); transition accept; }} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    {declared} {counter} {meter}
    action to(bit<9> port) {{ {read} s.egress_spec = port; }}
    action stop() {{ mark_to_drop(s); }}
    action only() {{ s.egress_spec = 8; }}
    table choose {{
        {keys} actions = {{ to; stop; NoAction; @defaultonly only; }} {implementation} {default}
        {entries} {counters} {meters} {timeout} {size}
    }}
    apply {{ s.egress_spec = 3; {after} }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h.b); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
",
            default = self.default.0,
            counter = chosen(0, "direct_counter(CounterType.packets) seen;"),
            counters = chosen(0, "counters = seen;"),
            meter = chosen(1, "direct_meter<bit<2>>(MeterType.packets) police;"),
            read = chosen(1, "police.read(m.colour);"),
            meters = chosen(1, "meters = police;"),
            timeout = chosen(2, "support_timeout = true;"),
            size = chosen(3, "size = 4;"),
            after = AFTER[self.after],
        )
    }

    /// Whether BMv2 has no such table: entries without a key, or of members that are not there yet.
    fn is_wrong(&self) -> bool {
        !self.entries.is_empty() && (self.key.is_empty() || self.holder != Holder::Entries)
    }

    fn default_is_const(&self) -> bool {
        self.default.0.starts_with("const")
    }

    fn key_of(&self, value: u8) -> KeyMatch {
        match self.key {
            "lpm" => KeyMatch::Lpm { value: vec![value], prefix_len: 8 },
            "ternary" => KeyMatch::Ternary { value: vec![value], mask: vec![0xff] },
            "range" => KeyMatch::Range { low: vec![value], high: vec![value] },
            "optional" => KeyMatch::Optional(Some(vec![value])),
            _ => KeyMatch::Exact(vec![value]),
        }
    }
}

/// A loaded program with its one table.
struct Bench {
    case: Case,
    simulator: Simulator,
    table: TableId,
    profile: Option<ActionProfileId>,
}

impl Bench {
    fn new(case: Case, program: &p4_ir::Program) -> Self {
        let json = p4_bmv2::json::program(program).to_string();
        let program = Program::from_json(&json).unwrap_or_else(|why| panic!("{case:?} does not load: {why}"));
        let simulator = Simulator::new(Arc::new(program), SwitchConfig::default());
        let table = simulator.switch.table_id("I.choose").unwrap();
        let profile = simulator.switch.action_profile_id("I.paths");
        Self { case, simulator, table, profile }
    }

    fn call(&self, port: u8) -> ActionCall {
        let action = self.simulator.switch.action_id(self.table, "I.to").unwrap();
        ActionCall { action, params: vec![vec![port]] }
    }

    /// Sends a packet of this kind, which must be treated so.
    #[track_caller]
    fn meets(&mut self, kind: u8, ran: Ran, hit: bool) {
        let rest = match (self.case.after, ran) {
            (0, _) => 9,
            (1, _) => 2 - u8::from(hit),
            (_, Ran::To(_)) => 1,
            (_, Ran::Stop) => 2,
            _ => 3,
        };
        let port = match ran {
            Ran::To(port) => Some(port),
            Ran::Nothing => Some(3),
            Ran::Only => Some(8),
            Ran::Stop => None,
        };
        let expected: Vec<_> = port.into_iter().map(|port| (port, vec![kind, rest])).collect();
        let sent = self.simulator.send(0, &[kind, 9], 1_000).into_iter().map(|sent| (sent.port, sent.data));
        assert_eq!(sent.collect::<Vec<_>>(), expected, "{:?}: {ran:?}", self.case);
    }

    /// An attempt to change the default, which must be refused and change nothing.
    #[track_caller]
    fn refuses_default(&mut self, action: ActionSpec, why: fn(&ControlError) -> bool) {
        let before = self.simulator.switch.table_default(self.table).unwrap();
        let error = self.simulator.switch.table_set_default(self.table, action).unwrap_err();
        assert!(why(&error), "{:?}: {error}", self.case);
        assert_eq!(self.simulator.switch.table_default(self.table).unwrap(), before, "{:?}", self.case);
    }

    /// The same of an entry.
    #[track_caller]
    fn refuses_entry(&mut self, action: ActionSpec, why: fn(&ControlError) -> bool) {
        let before = self.simulator.switch.table_entries(self.table).unwrap();
        let error = self.simulator.switch.table_insert(self.table, self.entry(4, action), 0).unwrap_err();
        assert!(why(&error), "{:?}: {error}", self.case);
        assert_eq!(self.simulator.switch.table_entries(self.table).unwrap(), before, "{:?}", self.case);
    }

    fn entry(&self, kind: u8, action: ActionSpec) -> TableEntry {
        let key = vec![self.case.key_of(kind)];
        TableEntry { key, priority: 1, action, idle_timeout_ns: 0, metadata: vec![] }
    }

    /// The ways to say what an entry does, of tables of this kind; all forward to this port.
    fn ways(&mut self, port: u8) -> Vec<ActionSpec> {
        let call = self.call(port);
        let Some(profile) = self.profile else { return vec![ActionSpec::Call(call)] };
        let id = u32::from(port);
        self.simulator.switch.member_insert(profile, ProfileMember { id, call: call.clone() }).unwrap();
        let mut ways = vec![ActionSpec::Member(id)];
        if self.case.holder == Holder::Selector {
            let members = vec![GroupMember { member: id, weight: 1, watch_port: None }];
            self.simulator.switch.group_insert(profile, ProfileGroup { id, max_size: 0, members }).unwrap();
            ways.push(ActionSpec::Group(id));
            let actions = vec![WeightedAction { call, weight: 1, watch_port: None }];
            ways.push(ActionSpec::OneShot(ActionSet { actions, selection: Selection::Selector }));
        }
        ways
    }
}

fn is_constant(error: &ControlError) -> bool {
    matches!(error, ControlError::Constant(_))
}

fn is_wrong_kind(error: &ControlError) -> bool {
    matches!(error, ControlError::WrongActionKind { .. })
}

fn is_not_found(error: &ControlError) -> bool {
    matches!(error, ControlError::NotFound(_))
}

fn check(case: Case, program: &p4_ir::Program) {
    let mut bench = Bench::new(case, program);
    let default = case.default.1;
    bench.meets(2, default, false);
    if !case.entries.is_empty() {
        bench.meets(1, Ran::To(7), true);
        bench.refuses_entry(ActionSpec::Call(bench.call(6)), is_constant);
    }
    let mut ways = bench.ways(6);
    if case.default_is_const() {
        ways.push(ActionSpec::Call(bench.call(6)));
        for way in ways {
            bench.refuses_default(way, is_constant);
        }
        assert!(bench.simulator.switch.table_reset_default(bench.table).is_err(), "{case:?}");
    } else {
        if bench.profile.is_some() {
            ways.push(ActionSpec::Call(bench.call(6)));
            bench.refuses_default(ActionSpec::Member(99), is_not_found);
        } else {
            bench.refuses_default(ActionSpec::Member(6), is_wrong_kind);
        }
        if case.holder != Holder::Selector {
            // Whether there is such a group does not matter then.
            bench.refuses_default(ActionSpec::Group(6), |error| is_wrong_kind(error) || is_not_found(error));
        }
        for way in ways {
            bench.simulator.switch.table_set_default(bench.table, way.clone()).unwrap();
            let read = bench.simulator.switch.table_default(bench.table).unwrap();
            assert_eq!(std::mem::discriminant(&read.unwrap()), std::mem::discriminant(&way), "{case:?}");
            bench.meets(2, Ran::To(6), false);
            if let (ActionSpec::Member(member), Some(profile)) = (&way, bench.profile) {
                let in_use = bench.simulator.switch.member_delete(profile, *member);
                assert!(matches!(in_use, Err(ControlError::InUse(_))), "{case:?}");
            }
            bench.simulator.switch.table_reset_default(bench.table).unwrap();
            bench.meets(2, default, false);
        }
    }
    if !case.key.is_empty() && case.entries.is_empty() {
        for way in bench.ways(4) {
            let entry = bench.entry(3, way);
            bench.simulator.switch.table_insert(bench.table, entry.clone(), 0).unwrap();
            bench.meets(3, Ran::To(4), true);
            let priority = if matches!(case.key, "ternary" | "range" | "optional") { 1 } else { 0 };
            bench.simulator.switch.table_delete(bench.table, &entry.key, priority).unwrap();
            bench.meets(3, default, false);
        }
        match bench.profile {
            Some(_) => bench.refuses_entry(ActionSpec::Call(bench.call(4)), is_wrong_kind),
            None => bench.refuses_entry(ActionSpec::Member(4), is_wrong_kind),
        }
    }
}

#[test]
fn every_combination_from_source_to_packet() {
    let cases = Case::all();
    let (mut run, mut refused) = (0, 0);
    for case in cases {
        let compilation = compile::text("t.p4", &case.source(), &Settings::default());
        match compilation.verdict {
            Verdict::Compiled(program) if !case.is_wrong() => {
                check(case, &program);
                run += 1;
            }
            Verdict::Refused if case.is_wrong() => {
                assert!(compilation.messages.starts_with("t.p4("), "{case:?}: {}", compilation.messages);
                refused += 1;
            }
            _ => panic!("{case:?}: {}{}", compilation.messages, case.source()),
        }
    }
    assert_eq!((run, refused), (588, 546), "combinations run and refused");
}
