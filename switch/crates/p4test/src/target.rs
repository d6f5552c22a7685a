//! The switch a test runs on.

use std::sync::Arc;

use p4sim::{Sent, Simulator};
use v1model::{
    ActionCall, ActionSpec, CloneSession, CounterId, CounterValue, MeterConfig, MeterId, MulticastGroup, Program,
    RegisterId, SwitchConfig, TableEntry, TableInfo, TraceEvent, TraceFilter,
};

/// Time between two packets.
const PACKET_INTERVAL_NS: u64 = 1_000_000;

/// Time of a `wait`.
const WAIT_NS: u64 = 1_000_000_000;

/// The operations that a test asks of a switch that runs the test's program. Errors are for people.
pub trait Target {
    /// Sends a packet in; the packets that come out because of it.
    fn packet(&mut self, port: u16, data: &[u8]) -> Result<Vec<Sent>, String>;
    /// Adds a table entry.
    fn insert(&mut self, table: &TableInfo, entry: TableEntry) -> Result<(), String>;
    /// Sets a table's default action.
    fn set_default(&mut self, table: &TableInfo, call: ActionCall) -> Result<(), String>;
    /// Removes a table's entries.
    fn clear(&mut self, table: &TableInfo) -> Result<(), String>;
    /// Reads a counter cell.
    fn counter(&mut self, counter: CounterId, index: usize) -> Result<CounterValue, String>;
    /// Writes a counter cell.
    fn set_counter(&mut self, counter: CounterId, index: usize, value: CounterValue) -> Result<(), String>;
    /// Reads a register cell, big-endian.
    fn register(&mut self, register: RegisterId, index: usize) -> Result<Vec<u8>, String>;
    /// Writes a register cell.
    fn set_register(&mut self, register: RegisterId, index: usize, value: &[u8]) -> Result<(), String>;
    /// Sets a register to zero.
    fn clear_register(&mut self, register: RegisterId) -> Result<(), String>;
    /// Sets the rates of a meter cell.
    fn set_meter(&mut self, meter: MeterId, index: usize, config: MeterConfig) -> Result<(), String>;
    /// Makes a multicast group, or replaces it.
    fn set_group(&mut self, group: MulticastGroup) -> Result<(), String>;
    /// Makes a clone session, or replaces it.
    fn set_session(&mut self, session: CloneSession) -> Result<(), String>;
    /// Removes a clone session.
    fn delete_session(&mut self, session: u32) -> Result<(), String>;
    /// Lets time pass.
    fn wait(&mut self);
    /// The events that have been traced.
    fn take_trace(&mut self) -> Vec<TraceEvent> {
        Vec::new()
    }
}

/// The embedded switch without queues and links. Its time is the test's.
pub struct Embedded {
    simulator: Simulator,
    now_ns: u64,
    trace: Vec<TraceEvent>,
}

impl Embedded {
    /// A switch that runs a program, and traces the packets that the filter chooses.
    #[must_use]
    pub fn new(program: &Arc<Program>, filter: Option<TraceFilter>) -> Self {
        let config = SwitchConfig { cpu_port: Some(510), ..SwitchConfig::default() };
        let mut simulator = Simulator::new(Arc::clone(program), config);
        if let Some(filter) = filter {
            simulator.switch.trace_on(filter);
        }
        Self { simulator, now_ns: WAIT_NS, trace: Vec::new() }
    }
}

fn text(error: v1model::ControlError) -> String {
    error.to_string()
}

impl Target for Embedded {
    fn packet(&mut self, port: u16, data: &[u8]) -> Result<Vec<Sent>, String> {
        self.now_ns += PACKET_INTERVAL_NS;
        let sent = self.simulator.send(port, data, self.now_ns);
        self.trace.extend(self.simulator.switch.take_trace());
        Ok(sent)
    }

    fn insert(&mut self, table: &TableInfo, entry: TableEntry) -> Result<(), String> {
        self.simulator.switch.table_insert(table.id, entry, self.now_ns).map(drop).map_err(text)
    }

    fn set_default(&mut self, table: &TableInfo, call: ActionCall) -> Result<(), String> {
        self.simulator.switch.table_set_default(table.id, ActionSpec::Call(call)).map_err(text)
    }

    fn clear(&mut self, table: &TableInfo) -> Result<(), String> {
        self.simulator.switch.table_clear(table.id).map(drop).map_err(text)
    }

    fn counter(&mut self, counter: CounterId, index: usize) -> Result<CounterValue, String> {
        self.simulator.switch.counter_read(counter, index).map_err(text)
    }

    fn set_counter(&mut self, counter: CounterId, index: usize, value: CounterValue) -> Result<(), String> {
        self.simulator.switch.counter_write(counter, index, value).map_err(text)
    }

    fn register(&mut self, register: RegisterId, index: usize) -> Result<Vec<u8>, String> {
        self.simulator.switch.register_read(register, index).map_err(text)
    }

    fn set_register(&mut self, register: RegisterId, index: usize, value: &[u8]) -> Result<(), String> {
        self.simulator.switch.register_write(register, index, value).map_err(text)
    }

    fn clear_register(&mut self, register: RegisterId) -> Result<(), String> {
        self.simulator.switch.register_clear(register).map_err(text)
    }

    fn set_meter(&mut self, meter: MeterId, index: usize, config: MeterConfig) -> Result<(), String> {
        self.simulator.switch.meter_write(meter, index, Some(config), self.now_ns).map_err(text)
    }

    fn set_group(&mut self, group: MulticastGroup) -> Result<(), String> {
        let _ = self.simulator.switch.multicast_delete(group.id);
        self.simulator.switch.multicast_insert(group).map_err(text)
    }

    fn set_session(&mut self, session: CloneSession) -> Result<(), String> {
        let _ = self.simulator.switch.clone_session_delete(session.id);
        self.simulator.switch.clone_session_insert(session).map_err(text)
    }

    fn delete_session(&mut self, session: u32) -> Result<(), String> {
        self.simulator.switch.clone_session_delete(session).map_err(text)
    }

    fn wait(&mut self) {
        self.now_ns += WAIT_NS;
    }

    fn take_trace(&mut self) -> Vec<TraceEvent> {
        std::mem::take(&mut self.trace)
    }
}
