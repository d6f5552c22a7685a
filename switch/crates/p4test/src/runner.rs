//! Running a test.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use v1model::{
    ActionSpec, CloneSession, CounterValue, MeterConfig, MulticastGroup, Program, Replica, TableEntry, TraceEvent,
};

use crate::diff;
use crate::names;
use crate::stf::{Command, Pattern, Statement};
use crate::target::{Embedded, Target};
use crate::value;

/// How a test went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Packets sent in.
    pub packets: usize,
    /// Packets and values that were as expected.
    pub passed: usize,
    /// Packets and values that were not as expected, in words for people.
    pub failures: Vec<String>,
    /// The switch's steps with the packets that were to be traced.
    pub trace: Vec<TraceEvent>,
}

/// A test that is being run.
struct Run<'a> {
    target: &'a mut dyn Target,
    /// Ports that the test names; packets that leave by others are not looked at.
    ports: BTreeSet<u16>,
    received: BTreeMap<u16, Vec<Vec<u8>>>,
    expected: BTreeMap<u16, Vec<(usize, Pattern)>>,
    /// Ports by which any packet may leave, with the lines that ask for one each: only the number of packets counts.
    any: BTreeMap<u16, Vec<usize>>,
    nodes: Vec<Node>,
    groups: BTreeMap<u16, Vec<usize>>,
    mirror_groups: BTreeMap<u32, u16>,
    report: Report,
}

/// A replication node: id and ports.
struct Node {
    rid: u16,
    ports: Vec<u16>,
}

/// Runs a test on a program, on the embedded switch.
#[must_use]
pub fn run(program: &Arc<Program>, statements: &[Statement]) -> Report {
    run_on(&mut Embedded::new(program, None), program, statements)
}

/// Runs a test on a switch that runs the program.
#[must_use]
pub fn run_on(target: &mut dyn Target, program: &Arc<Program>, statements: &[Statement]) -> Report {
    let ports = statements.iter().filter_map(|s| match s.command {
        Command::Packet { port, .. } | Command::Expect { port, .. } => Some(port),
        _ => None,
    });
    let mut run = Run {
        target,
        ports: ports.collect(),
        received: BTreeMap::new(),
        expected: BTreeMap::new(),
        any: BTreeMap::new(),
        nodes: Vec::new(),
        groups: BTreeMap::new(),
        mirror_groups: BTreeMap::new(),
        report: Report { packets: 0, passed: 0, failures: Vec::new(), trace: Vec::new() },
    };
    for statement in statements {
        if let Err(message) = run.step(program, statement) {
            run.report.failures.push(format!("line {}: {message}", statement.line));
        }
    }
    run.compare();
    run.report.trace = run.target.take_trace();
    run.report
}

impl Run<'_> {
    fn step(&mut self, program: &Arc<Program>, statement: &Statement) -> Result<(), String> {
        match &statement.command {
            Command::Packet { port, data } => {
                self.report.packets += 1;
                for sent in self.target.packet(*port, data)? {
                    self.received.entry(sent.port).or_default().push(sent.data);
                }
            }
            Command::Expect { port, pattern: Some(pattern) } => {
                self.expected.entry(*port).or_default().push((statement.line, pattern.clone()));
            }
            Command::Expect { port, pattern: None } => {
                self.any.entry(*port).or_default().push(statement.line);
            }
            Command::NoPacket => {
                let surplus = self.received.iter().find(|(port, packets)| {
                    !self.any.contains_key(port) && packets.len() > self.expected.get(port).map_or(0, Vec::len)
                });
                if let Some((port, packets)) = surplus {
                    return Err(format!("{} packets have left by port {port}, none was to", packets.len()));
                }
                self.report.passed += 1;
            }
            Command::Add { table, priority, keys, action } => {
                let table = names::table(program, table)?;
                let entry = TableEntry {
                    key: names::key(table, keys)?,
                    priority: priority.unwrap_or(0),
                    action: ActionSpec::Call(names::call(program, table, action)?),
                    idle_timeout_ns: 0,
                    metadata: Vec::new(),
                };
                self.target.insert(table, entry)?;
            }
            Command::SetDefault { table, action } => {
                let table = names::table(program, table)?;
                let call = names::call(program, table, action)?;
                self.target.set_default(table, call)?;
            }
            Command::RemoveAll => {
                for table in program.tables().iter().filter(|t| !t.const_entries) {
                    self.target.clear(table)?;
                }
            }
            Command::CheckCounter { counter, index, bytes, check } => {
                let value = self.target.counter(names::counter(program, counter)?, *index)?;
                let actual = if *bytes { value.bytes } else { value.packets };
                self.check(&format!("counter {counter}({index})"), check, u128::from(actual))?;
            }
            Command::CheckRegister { register, index, check } => {
                let cell = self.target.register(names::register(program, register)?, *index)?;
                let actual = cell.iter().fold(0u128, |v, b| v << 8 | u128::from(*b));
                self.check(&format!("register {register}({index})"), check, actual)?;
            }
            Command::RegisterWrite(register, index, value) => {
                let bytes = value::bytes(value).ok_or_else(|| format!("\"{value}\" is not a number"))?;
                self.target.set_register(names::register(program, register)?, *index, &bytes)?;
            }
            Command::RegisterReset(register) => {
                self.target.clear_register(names::register(program, register)?)?;
            }
            Command::CounterWrite(counter, index, packets, bytes) => {
                let value = CounterValue { packets: *packets, bytes: *bytes };
                self.target.set_counter(names::counter(program, counter)?, *index, value)?;
            }
            Command::MeterSetRates(meter, index, rates) => self.meter(program, meter, *index, rates)?,
            Command::Wait => self.target.wait(),
            Command::Show => {}
            replication => self.replication(replication)?,
        }
        Ok(())
    }

    fn check(&mut self, what: &str, check: &crate::stf::Check, actual: u128) -> Result<(), String> {
        match check.holds(actual) {
            Some(true) => {
                self.report.passed += 1;
                Ok(())
            }
            Some(false) => Err(format!("{what} is {actual}, expected {} {}", check.operator, check.value)),
            None => Err(format!("unknown comparison \"{}\"", check.operator)),
        }
    }

    fn meter(
        &mut self,
        program: &Program,
        name: &str,
        index: Option<usize>,
        rates: &[(String, u64)],
    ) -> Result<(), String> {
        let id = names::meter(program, name)?;
        let [(cir, cburst), (pir, pburst)] = rates else {
            return Err("a meter has two rates".to_owned());
        };
        // Rates are given for a microsecond.
        let a_second = |rate: &str| (rate.parse::<f64>().unwrap_or(0.0) * 1e6) as u64;
        let config =
            MeterConfig { cir: a_second(cir), cburst: *cburst, pir: a_second(pir), pburst: *pburst, eburst: 0 };
        let size = program.meters().get(id.0 as usize).map_or(0, |m| m.size);
        let cells = index.map_or(0..size, |index| index..index + 1);
        for cell in cells {
            self.target.set_meter(id, cell, config)?;
        }
        Ok(())
    }

    fn replication(&mut self, command: &Command) -> Result<(), String> {
        let unknown_node = |node: &usize| format!("there is no replication node {node}");
        match command {
            Command::McGroupCreate(group) => {
                self.groups.insert(*group, Vec::new());
            }
            Command::McNodeCreate(rid, ports) => self.nodes.push(Node { rid: *rid, ports: ports.clone() }),
            Command::McNodeUpdate(node, ports) => {
                self.nodes.get_mut(*node).ok_or_else(|| unknown_node(node))?.ports.clone_from(ports);
            }
            Command::McNodeAssociate(group, node) => {
                if *node >= self.nodes.len() {
                    return Err(unknown_node(node));
                }
                let group = self.groups.get_mut(group).ok_or_else(|| format!("there is no multicast group {group}"))?;
                group.push(*node);
            }
            Command::MirroringAdd(session, port) => {
                self.mirror_groups.remove(session);
                return self.mirror(*session, vec![Replica { port: *port, rid: 0 }]);
            }
            Command::MirroringAddMc(session, group) => {
                self.mirror_groups.insert(*session, *group);
            }
            Command::MirroringDelete(session) => {
                self.mirror_groups.remove(session);
                return self.target.delete_session(*session);
            }
            _ => {}
        }
        self.update_groups()
    }

    /// Brings the switch's groups and the sessions that use them up to date.
    fn update_groups(&mut self) -> Result<(), String> {
        let replicas = |nodes: &[usize]| -> Vec<Replica> {
            let nodes = nodes.iter().filter_map(|n| self.nodes.get(*n));
            nodes
                .flat_map(|node| {
                    let mut ports = node.ports.clone();
                    ports.sort_unstable();
                    ports.into_iter().map(|port| Replica { port, rid: node.rid })
                })
                .collect()
        };
        let groups: Vec<(u16, Vec<Replica>)> = self.groups.iter().map(|(id, nodes)| (*id, replicas(nodes))).collect();
        for (id, replicas) in &groups {
            let group =
                MulticastGroup { id: *id, replicas: replicas.clone(), backups: Vec::new(), metadata: Vec::new() };
            self.target.set_group(group)?;
        }
        for (session, group) in self.mirror_groups.clone() {
            let replicas = groups.iter().find(|(id, _)| *id == group).map(|(_, r)| r.clone());
            self.mirror(session, replicas.unwrap_or_default())?;
        }
        Ok(())
    }

    fn mirror(&mut self, session: u32, replicas: Vec<Replica>) -> Result<(), String> {
        self.target.set_session(CloneSession {
            id: session,
            replicas,
            backups: Vec::new(),
            class_of_service: 0,
            max_length: 0,
        })
    }

    /// Compares the packets that came out with those expected, port by port.
    fn compare(&mut self) {
        for port in self.ports.clone() {
            let received = self.received.remove(&port).unwrap_or_default();
            if let Some(lines) = self.any.remove(&port) {
                if let Some((line, _)) = self.expected.get(&port).and_then(|expected| expected.first()) {
                    let told = format!("line {line}: port {port} is expected with bytes here and without elsewhere");
                    self.report.failures.push(told);
                }
                self.report.passed += lines.len().min(received.len());
                for line in lines.iter().skip(received.len()) {
                    self.report.failures.push(format!("line {line}: no packet has come out of port {port}"));
                }
                continue;
            }
            let expected = self.expected.remove(&port).unwrap_or_default();
            for ((line, pattern), packet) in expected.iter().zip(&received) {
                match diff::compare(pattern, packet) {
                    None => self.report.passed += 1,
                    Some(difference) => {
                        self.report.failures.push(format!("line {line}: the packet at port {port} {difference}"));
                    }
                }
            }
            for (line, _) in expected.iter().skip(received.len()) {
                self.report.failures.push(format!("line {line}: no packet has come out of port {port}"));
            }
            for packet in received.iter().skip(expected.len()) {
                let hex = p4sim::requests::to_hex(packet);
                self.report.failures.push(format!("a packet came out of port {port} that was not expected: {hex}"));
            }
        }
    }
}
