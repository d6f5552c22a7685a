//! The requests of `p4sim`, as JSON has them.

use serde::Deserialize;

/// A request.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Sends a frame in; answers the frames that come out.
    Packet {
        /// Ingress port.
        port: u16,
        /// The frame.
        data: String,
        /// Time since the switch started.
        #[serde(default)]
        time_us: u64,
        /// The state in which it finds the queue of the port it leaves by; without, the queue is empty.
        #[serde(default)]
        queue: QueueRequest,
    },
    /// Sends a frame in as far as the queue; answers the packets that wait there, until the request `leave`.
    Arrive {
        /// Ingress port.
        port: u16,
        /// The frame.
        data: String,
        /// Time since the switch started.
        time_us: u64,
    },
    /// Takes a packet out of its queue; answers the frames that come out.
    Leave {
        /// The number that `arrive` has answered.
        packet: u64,
        /// Time since the switch started.
        time_us: u64,
        /// The packets that it leaves behind. How long it waited follows from the times.
        #[serde(default)]
        queue: QueueRequest,
    },
    /// Adds an entry.
    TableAdd(EntryRequest),
    /// Changes an entry.
    TableModify(EntryRequest),
    /// Removes an entry.
    TableDelete {
        /// Table name.
        table: String,
        /// Key.
        r#match: Vec<MatchRequest>,
        /// Priority.
        #[serde(default)]
        priority: i32,
    },
    /// Removes all entries of a table.
    TableClear {
        /// Table name.
        table: String,
    },
    /// Sets a default action.
    TableDefault {
        /// Table name.
        table: String,
        /// The action, member or group.
        #[serde(flatten)]
        target: TargetRequest,
    },
    /// Lists a table's entries.
    TableDump {
        /// Table name.
        table: String,
    },
    /// Sets a clone session.
    CloneSession {
        /// Its number.
        session: u32,
        /// One port, or…
        port: Option<u16>,
        /// … several.
        #[serde(default)]
        ports: Vec<u16>,
        /// Cut copies to this length.
        #[serde(default)]
        max_length: u32,
    },
    /// Sets a multicast group.
    Multicast {
        /// Its number.
        group: u16,
        /// Ports, each with replication id 0, or…
        #[serde(default)]
        ports: Vec<u16>,
        /// … ports with replication ids.
        #[serde(default)]
        replicas: Vec<(u16, u16)>,
    },
    /// Reads a register cell.
    RegisterRead {
        /// Register name.
        register: String,
        /// Cell.
        index: usize,
    },
    /// Reads many register cells.
    RegisterDump {
        /// Register name.
        register: String,
        /// First cell.
        #[serde(default)]
        start: usize,
        /// Number of cells; all by default.
        count: Option<usize>,
    },
    /// Writes a register cell.
    RegisterWrite {
        /// Register name.
        register: String,
        /// Cell.
        index: usize,
        /// A number or a decimal or `0x` string.
        value: Number,
    },
    /// Reads a counter cell, or the direct counter of an entry.
    CounterRead {
        /// Counter name.
        counter: Option<String>,
        /// Cell.
        #[serde(default)]
        index: usize,
        /// Table with the direct counter.
        table: Option<String>,
        /// Key of the entry; the default action's counter without.
        r#match: Option<Vec<MatchRequest>>,
        /// Its priority.
        #[serde(default)]
        priority: i32,
    },
    /// Configures a meter cell, or the direct meter of an entry.
    MeterWrite {
        /// Meter name.
        meter: Option<String>,
        /// Cell.
        #[serde(default)]
        index: usize,
        /// Table with the direct meter.
        table: Option<String>,
        /// Key of the entry.
        #[serde(default)]
        r#match: Vec<MatchRequest>,
        /// Its priority.
        #[serde(default)]
        priority: i32,
        /// Committed rate a second, its burst, peak rate, its burst.
        rates: Option<(u64, u64, u64, u64)>,
    },
    /// Adds a member to an action profile.
    MemberAdd {
        /// Profile name.
        profile: String,
        /// Its id.
        member: u32,
        /// Action name.
        action: String,
        /// Action data.
        #[serde(default)]
        params: Vec<String>,
    },
    /// Adds a group to an action selector.
    GroupAdd {
        /// Profile name.
        profile: String,
        /// Its id.
        group: u32,
        /// Members, each with weight 1.
        members: Vec<u32>,
    },
    /// Sets a parser value set's members.
    ValueSet {
        /// Its name.
        value_set: String,
        /// The values, each field rounded up to bytes.
        members: Vec<String>,
    },
    /// The digests since the last call.
    Digests {},
    /// Counters of the switch so far.
    Stats {},
    /// Traces the packets sent in from now on that the filter chooses; the answers to them have a `trace` then. `off`
    /// ends it.
    Trace {
        /// `in 1 dst 10.0.0.0/24 udp count 5 brief`
        #[serde(default)]
        filter: String,
    },
    /// Back to the state after loading.
    Reset {},
}

/// An entry.
#[derive(Debug, Deserialize)]
pub struct EntryRequest {
    /// Table name.
    pub table: String,
    /// Key.
    pub r#match: Vec<MatchRequest>,
    /// The action, member or group that it leads to.
    #[serde(flatten)]
    pub target: TargetRequest,
    /// Larger is more urgent.
    #[serde(default)]
    pub priority: i32,
    /// Report it when it was idle for so long; 0: never.
    #[serde(default)]
    pub idle_timeout_us: u64,
}

/// An action, a member or a group.
#[derive(Debug, Deserialize)]
pub struct TargetRequest {
    /// Action name.
    pub action: Option<String>,
    /// Action data.
    #[serde(default)]
    pub params: Vec<String>,
    /// Or a member of the table's action profile.
    pub member: Option<u32>,
    /// Or a group of its selector.
    pub group: Option<u32>,
}

/// A key field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchRequest {
    /// `{"exact":"01"}`
    Exact(String),
    /// `{"lpm":["0a000101",32]}`
    Lpm(String, u32),
    /// `{"ternary":["0800","ffff"]}`
    Ternary(String, String),
    /// `{"range":["01","05"]}`
    Range(String, String),
    /// `{"optional":"01"}` or `{"optional":null}`
    Optional(Option<String>),
    /// `{"valid":true}`
    Valid(bool),
}

/// A number that may be larger than JSON readers keep.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Number {
    /// As a number.
    Small(u64),
    /// As decimal digits, or hexadecimal ones behind `0x`.
    Text(String),
}

/// The queue between ingress and egress, as `standard_metadata` has it.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueueRequest {
    /// Packets that waited when this one came.
    pub enq_qdepth: u32,
    /// Packets that waited when it left.
    pub deq_qdepth: u32,
    /// How long it waited, in microseconds.
    pub deq_timedelta_us: u64,
    /// Bytes that it left behind.
    pub queue_bytes: u64,
    /// Packets that it left behind in all queues of the port.
    pub port_packets: u64,
    /// Their bytes.
    pub port_bytes: u64,
}
