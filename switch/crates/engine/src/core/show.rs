//! The contents of a switch, as rows of columns: for people, and for programs that watch.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use v1model::{
    ActionSpec, ControlError, CounterValue, MatchKind, MeterKind, Program, Replica, Selection, Switch, TableCounts,
    TableInfo, shown_match, shown_value,
};

use super::Core;
use crate::port::Direction;

/// A question.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowRequest {
    /// Which switch; may be left out if there is only one.
    switch: Option<String>,
    /// `tables`, `table`, `registers`, …
    what: String,
    /// Of one table, register, counter, meter.
    name: Option<String>,
    /// First cell.
    first: Option<usize>,
    /// Number of cells.
    count: Option<usize>,
}

/// The answer.
#[derive(Debug, Clone, Serialize, PartialEq)]
pub(crate) struct Rows {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShowError {
    #[error("there is no switch {0:?}; there are {1}")]
    NoSwitch(String, String),
    #[error("say which switch: there are {0}")]
    WhichSwitch(String),
    #[error("{0:?} cannot be shown; there are {WHATS}")]
    NoSuchThing(String),
    #[error("say which {0}: its name")]
    NoName(&'static str),
    #[error("there is no {0} {1:?}; there are {2}")]
    Unknown(&'static str, String, String),
    #[error(transparent)]
    Control(#[from] ControlError),
}

const WHATS: &str = "switches, tables, table NAME, registers, register NAME, counters, counter NAME, meters, meter NAME, multicast, \
                     clones, queues, links, statistics";

/// Rows of one answer, at most.
const MAX_ROWS: usize = 100_000;

fn table(columns: &[&str], rows: Vec<Vec<Value>>) -> Rows {
    Rows { columns: columns.iter().map(|c| (*c).to_owned()).collect(), rows }
}

impl Core {
    /// The number of the switch of this name, or of the only one.
    pub(crate) fn node_named(&self, name: Option<&str>) -> Result<usize, ShowError> {
        let names = || self.nodes.iter().map(|node| node.name.to_string()).collect::<Vec<_>>().join(", ");
        match (name, self.nodes.len()) {
            (None, 1) => Ok(0),
            (None, _) => Err(ShowError::WhichSwitch(names())),
            (Some(name), _) => self
                .nodes
                .iter()
                .position(|node| &*node.name == name)
                .ok_or_else(|| ShowError::NoSwitch(name.to_owned(), names())),
        }
    }

    /// Answers a question.
    pub(crate) fn show(&self, request: &ShowRequest) -> Result<Rows, ShowError> {
        let wanted = request.switch.as_deref();
        match &request.what[..] {
            "switches" => Ok(self.show_switches()),
            "queues" => self.show_links(wanted, true),
            "links" => self.show_links(wanted, false),
            _ => show_switch(&self.nodes[self.node_named(wanted)?].switch, request),
        }
    }

    fn show_switches(&self) -> Rows {
        let rows = self.nodes.iter().map(|node| {
            let tables = node.switch.program().map_or(0, |program| named_tables(program).count());
            let stats = node.switch.stats();
            vec![json!(&*node.name), json!(node.device_id), json!(tables), json!(stats.received), json!(stats.sent)]
        });
        table(&["switch", "device id", "tables", "received", "sent"], rows.collect())
    }

    fn show_links(&self, switch: Option<&str>, queues: bool) -> Result<Rows, ShowError> {
        if let Some(name) = switch {
            self.node_named(Some(name))?;
        }
        let stats = self.link_stats().into_iter();
        let stats = stats.filter(|link| switch.is_none_or(|name| link.switch == name));
        if queues {
            let rows = stats.filter(|link| link.direction == Direction::Egress).map(|link| {
                vec![
                    json!(link.switch),
                    json!(link.port),
                    json!(link.name),
                    json!(link.queue_packets),
                    json!(link.queue_bytes),
                    json!(link.queue_drops),
                    json!(link.tx_packets),
                    json!(link.tx_bytes),
                ]
            });
            let columns =
                ["switch", "port", "name", "packets waiting", "bytes waiting", "dropped", "packets sent", "bytes sent"];
            return Ok(table(&columns, rows.collect()));
        }
        let rows = stats.map(|link| {
            let rate = link.in_force.rate_bps.map_or(json!("no limit"), |rate| json!(rate));
            vec![
                json!(link.switch),
                json!(link.port),
                json!(link.name),
                json!(link.direction),
                rate,
                json!(link.in_force.delay_us),
                json!(link.in_force.loss),
                json!(link.config.up),
                json!(link.tx_packets),
                json!(link.queue_drops),
                json!(link.loss_drops),
                json!(link.down_drops),
                json!(link.lateness.p99_us),
            ]
        });
        let columns = [
            "switch",
            "port",
            "name",
            "direction",
            "rate, bit/s",
            "delay, µs",
            "loss",
            "up",
            "packets sent",
            "dropped",
            "lost",
            "lost while down",
            "late p99, µs",
        ];
        Ok(table(&columns, rows.collect()))
    }
}

fn show_switch(switch: &Switch, request: &ShowRequest) -> Result<Rows, ShowError> {
    let program = switch.program().ok_or(ControlError::NoProgram)?;
    let cells = Cells { first: request.first, count: request.count };
    let name = |kind| request.name.as_deref().ok_or(ShowError::NoName(kind));
    match &request.what[..] {
        "tables" => show_tables(switch, program),
        "table" => show_table(switch, program, name("table")?),
        "registers" => {
            let rows = program.registers().iter().map(|r| vec![json!(r.name), json!(r.width), json!(r.size)]);
            Ok(table(&["register", "bits", "cells"], rows.collect()))
        }
        "register" => {
            let info = find("register", program.registers(), name("register")?, |r| &r.name)?;
            let rows = cells.rows(info.size, |index| {
                let value = switch.register_read(info.id, index)?;
                let is_zero = value.iter().all(|byte| *byte == 0);
                Ok((is_zero, vec![json!(shown_value(&value, info.width))]))
            })?;
            Ok(table(&["cell", &info.name], rows))
        }
        "counters" => {
            let rows = program.counters().iter().map(|c| vec![json!(c.name), json!(c.size)]);
            Ok(table(&["counter", "cells"], rows.collect()))
        }
        "counter" => {
            let info = find("counter", program.counters(), name("counter")?, |c| &c.name)?;
            let id = switch.counter_id(&info.name).ok_or(ShowError::NoName("counter"))?;
            let rows = cells.rows(info.size, |index| {
                let CounterValue { packets, bytes } = switch.counter_read(id, index)?;
                Ok((packets == 0, vec![json!(packets), json!(bytes)]))
            })?;
            Ok(table(&["cell", "packets", "bytes"], rows))
        }
        "meters" => {
            let rows = program.meters().iter().map(|m| {
                let kind = if m.kind == MeterKind::Bytes { "bytes" } else { "packets" };
                let place = if m.table.is_some() { "direct" } else { "array" };
                vec![json!(m.name), json!(kind), json!(place), json!(m.size)]
            });
            Ok(table(&["meter", "unit", "kind", "cells"], rows.collect()))
        }
        "meter" => {
            let info = find("meter", program.meters(), name("meter")?, |m| &m.name)?;
            let rows = cells.rows(info.size, |index| {
                Ok(match switch.meter_read(info.id, index)? {
                    None => (true, vec![json!("not set"), json!(""), json!(""), json!("")]),
                    Some(c) => (false, vec![json!(c.cir), json!(c.cburst), json!(c.pir), json!(c.pburst)]),
                })
            })?;
            Ok(table(&["cell", "committed rate/s", "burst", "peak rate/s", "peak burst"], rows))
        }
        "multicast" => {
            let rows = switch.multicast_groups().into_iter().map(|g| vec![json!(g.id), json!(replicas(&g.replicas))]);
            Ok(table(&["group", "ports"], rows.collect()))
        }
        "clones" => {
            let rows = switch.clone_sessions().into_iter().map(|s| {
                let cut = if s.max_length == 0 { json!("whole") } else { json!(s.max_length) };
                vec![json!(s.id), json!(replicas(&s.replicas)), json!(s.class_of_service), cut]
            });
            Ok(table(&["session", "ports", "priority", "bytes"], rows.collect()))
        }
        "statistics" => {
            let stats = switch.stats();
            let rows = [
                ("frames received", stats.received),
                ("frames sent", stats.sent),
                ("dropped in ingress", stats.ingress_drops),
                ("dropped in egress", stats.egress_drops),
                ("refused by a queue", stats.queue_rejects),
                ("parser errors", stats.parser_errors),
                ("resubmitted too often", stats.resubmit_limit_drops),
                ("failed assertions", stats.assertion_failures),
                ("digests lost", stats.digests_lost),
            ];
            Ok(table(&["what", "packets"], rows.iter().map(|(what, n)| vec![json!(what), json!(n)]).collect()))
        }
        other => Err(ShowError::NoSuchThing(other.to_owned())),
    }
}

/// Which cells of an array.
struct Cells {
    first: Option<usize>,
    count: Option<usize>,
}

impl Cells {
    /// The cells asked for; without a range, those that are not empty.
    fn rows(
        &self,
        size: usize,
        mut cell: impl FnMut(usize) -> Result<(bool, Vec<Value>), ControlError>,
    ) -> Result<Vec<Vec<Value>>, ShowError> {
        let first = self.first.unwrap_or(0);
        let all = self.first.is_none() && self.count.is_none();
        let count = self.count.unwrap_or(if all { size } else { 1 });
        let mut rows = Vec::new();
        for index in first..first.saturating_add(count).min(size) {
            let (is_empty, values) = cell(index)?;
            if !(all && is_empty) && rows.len() < MAX_ROWS {
                rows.push(std::iter::once(json!(index)).chain(values).collect());
            }
        }
        Ok(rows)
    }
}

/// The one of this name, or the only one whose name ends so.
fn find<'a, T>(kind: &'static str, all: &'a [T], name: &str, of: impl Fn(&T) -> &String) -> Result<&'a T, ShowError> {
    let mut ends = all.iter().filter(|item| of(item).ends_with(&format!(".{name}")));
    let exact = all.iter().find(|item| of(item) == name);
    match (exact, ends.next(), ends.next()) {
        (Some(item), ..) | (None, Some(item), None) => Ok(item),
        _ => {
            let names = all.iter().map(|item| &of(item)[..]).filter(|name| !name.starts_with("tbl_"));
            Err(ShowError::Unknown(kind, name.to_owned(), names.collect::<Vec<_>>().join(", ")))
        }
    }
}

/// As P4 has it.
pub(super) fn kind_name(kind: MatchKind) -> &'static str {
    match kind {
        MatchKind::Exact => "exact",
        MatchKind::Lpm => "lpm",
        MatchKind::Ternary => "ternary",
        MatchKind::Range => "range",
        MatchKind::Optional => "optional",
        MatchKind::Valid => "valid",
    }
}

/// Tables that the program names, without those the compiler makes for statements.
pub(super) fn named_tables(program: &Program) -> impl Iterator<Item = &TableInfo> {
    program.tables().iter().filter(|table| !(table.keys.is_empty() && table.name.starts_with("tbl_")))
}

fn show_tables(switch: &Switch, program: &Program) -> Result<Rows, ShowError> {
    let rows = named_tables(program).map(|info| {
        let keys: Vec<String> = info.keys.iter().map(|k| format!("{} {}", k.name, kind_name(k.kind))).collect();
        let default = switch.table_default(info.id)?.map_or_else(|| "nothing".to_owned(), |a| action(program, &a));
        let TableCounts { entries, hits, misses, .. } = switch.table_counts(info.id)?;
        let (name, keys) = (json!(info.name), json!(keys.join(", ")));
        Ok(vec![name, keys, json!(entries), json!(info.max_size), json!(hits), json!(misses), json!(default)])
    });
    let rows = rows.collect::<Result<_, ControlError>>()?;
    Ok(table(&["table", "key", "entries", "size", "hits", "misses", "default action"], rows))
}

fn show_table(switch: &Switch, program: &Program, name: &str) -> Result<Rows, ShowError> {
    let info = find("table", program.tables(), name, |t| &t.name)?;
    let mut columns: Vec<&str> = info.keys.iter().map(|key| &key.name[..]).collect();
    if info.has_priority {
        columns.push("priority");
    }
    columns.extend(["action", "hits"]);
    if info.with_counters {
        columns.extend(["packets", "bytes"]);
    }
    let counted = |row: &mut Vec<Value>, counter: Option<CounterValue>| {
        if let Some(CounterValue { packets, bytes }) = counter {
            row.extend([json!(packets), json!(bytes)]);
        }
    };
    let mut rows = Vec::new();
    for view in switch.table_entries(info.id)?.into_iter().take(MAX_ROWS) {
        let keys = view.entry.key.iter().zip(&info.keys);
        let mut row: Vec<Value> = keys.map(|(key, field)| json!(shown_match(key, field.width))).collect();
        if info.has_priority {
            row.push(json!(view.entry.priority));
        }
        row.extend([json!(action(program, &view.entry.action)), json!(view.hits)]);
        counted(&mut row, view.counter);
        rows.push(row);
    }
    if let Some(default) = switch.table_default(info.id)? {
        let mut row = vec![json!("(default)"); info.keys.len()];
        if info.has_priority {
            row.push(json!(""));
        }
        row.extend([json!(action(program, &default)), json!(switch.table_counts(info.id)?.misses)]);
        counted(&mut row, if info.with_counters { Some(switch.direct_counter_read(info.id, None)?) } else { None });
        rows.push(row);
    }
    Ok(table(&columns, rows))
}

pub(super) fn action(program: &Program, spec: &ActionSpec) -> String {
    let call = |call: &v1model::ActionCall| match program.actions().get(call.action.0 as usize) {
        None => String::new(),
        Some(info) => {
            let data = info.params.iter().zip(&call.params);
            let data: Vec<String> =
                data.map(|(p, value)| format!("{}={}", p.name, shown_value(value, p.width))).collect();
            format!("{}({})", info.name, data.join(", "))
        }
    };
    match spec {
        ActionSpec::Call(action) => call(action),
        ActionSpec::Member(member) => format!("member {member}"),
        ActionSpec::Group(group) => format!("group {group}"),
        ActionSpec::OneShot(set) => {
            let all: Vec<String> = set.actions.iter().map(|w| format!("{} × {}", w.weight, call(&w.call))).collect();
            let how = match set.selection {
                Selection::Selector => "",
                Selection::Random => " at random",
            };
            format!("one{how} of {}", all.join(", "))
        }
    }
}

fn replicas(replicas: &[Replica]) -> String {
    let one = |r: &Replica| if r.rid == 0 { r.port.to_string() } else { format!("{} (rid {})", r.port, r.rid) };
    replicas.iter().map(one).collect::<Vec<_>>().join(", ")
}
