//! The events of a trace.

use serde::Serialize;

/// One step of one packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceEvent {
    /// Which of the chosen packets, from 1. Copies of a packet have its number.
    pub packet: u32,
    /// Time since the switch's epoch in microseconds.
    pub time_us: u64,
    /// The step itself.
    #[serde(flatten)]
    pub step: TraceStep,
}

/// A line of the P4 program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceLine {
    /// File, as the compiler was given it.
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// The text of the line.
    pub text: String,
}

/// A value with its name, written for people: `10.0.2.0/24`, `02:00:00:00:00:01`, `2048 (0x800)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedValue {
    /// Field, key or parameter.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A field that a step has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceChange {
    /// `header.field`, or `header` whose validity has changed.
    pub field: String,
    /// Value before.
    pub from: String,
    /// Value after.
    pub to: String,
}

/// A header with its fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceHeader {
    /// Its name.
    pub header: String,
    /// Its fields in order.
    pub fields: Vec<NamedValue>,
}

/// A step on a packet's way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TraceStep {
    /// It has come in.
    Received {
        /// Port.
        port: u16,
        /// Bytes.
        length: usize,
        /// The frame in hexadecimal.
        data: String,
    },
    /// A parser state is done.
    ParserState {
        /// Its name.
        state: String,
        /// Headers it has extracted.
        extracted: Vec<TraceHeader>,
        /// Other fields it has changed.
        changes: Vec<TraceChange>,
        /// The next state, or `accept`; nothing after an error.
        next: Option<String>,
        /// The parser error that ended it.
        error: Option<String>,
    },
    /// The checksums have been looked at.
    ChecksumsVerified {
        /// Whether all are right.
        ok: bool,
    },
    /// A pipeline begins.
    Ingress,
    /// The queue has released it and egress begins.
    Egress {
        /// Port it leaves by.
        port: u16,
        /// Packets in the queue when it came there.
        enq_qdepth: u32,
        /// Time in the queue.
        deq_timedelta_us: u64,
    },
    /// A table has been applied.
    Table {
        /// Its name.
        table: String,
        /// The key that was looked up.
        key: Vec<NamedValue>,
        /// Whether an entry was found.
        hit: bool,
        /// The entry that was hit.
        entry: Vec<NamedValue>,
        /// Its priority, for tables that have priorities.
        priority: Option<i32>,
        /// The profile member or group that the action comes from.
        via: Option<String>,
        /// The action that is run: the entry's, or the default one.
        action: Option<String>,
        /// Its data.
        data: Vec<NamedValue>,
        /// Where the table is declared.
        source: Option<SourceLine>,
    },
    /// A condition has been decided.
    Condition {
        /// How.
        result: bool,
        /// Where.
        source: Option<SourceLine>,
    },
    /// A statement has been executed.
    Statement {
        /// The primitive's name in the compiled program.
        op: String,
        /// Its effect besides changed fields: `register r[3]: 0 → 7`.
        effect: Option<String>,
        /// Fields it has changed.
        changes: Vec<TraceChange>,
        /// Where.
        source: Option<SourceLine>,
    },
    /// A copy has been made.
    Copied {
        /// `multicast group`, `clone session`.
        kind: String,
        /// Group or session.
        id: u32,
        /// Ports the copies go to.
        ports: Vec<u16>,
    },
    /// A digest goes to the controller.
    Digest {
        /// Its name.
        name: String,
    },
    /// It begins anew.
    Again {
        /// `resubmit` or `recirculate`.
        kind: String,
    },
    /// It waits in a queue.
    Enqueued {
        /// Port.
        port: u16,
        /// Priority (0 to 7, larger is more urgent), or the queue that the program chose.
        priority: u16,
        /// Its rank, if the program gives one.
        #[serde(skip_serializing_if = "Option::is_none")]
        rank: Option<u64>,
    },
    /// The headers are put in front of the payload.
    Deparsed {
        /// Headers written, in order.
        headers: Vec<String>,
        /// Checksums that have been updated.
        checksums: Vec<TraceChange>,
        /// Bytes of payload behind them.
        payload_bytes: usize,
    },
    /// It leaves.
    Sent {
        /// Port.
        port: u16,
        /// Bytes.
        length: usize,
        /// The frame in hexadecimal.
        data: String,
    },
    /// It goes no further.
    Dropped {
        /// Where and why.
        reason: String,
    },
}
