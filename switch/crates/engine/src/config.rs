//! The parts of an engine: switches, their ports, and the links on them.

use std::path::PathBuf;
use std::time::Duration;

pub use links::{LinkConfig, QueueLimit};
pub use ports::Netns;

/// Everything [`Engine::start`](crate::Engine::start) needs.
#[derive(Debug)]
pub struct EngineConfig {
    /// The switches of this process; one forwarding thread runs them all.
    pub switches: Vec<SwitchConfig>,
    /// Where to write cumulative counters, if anywhere.
    pub samples: Option<SamplesConfig>,
    /// Ask for SCHED_FIFO (falls back with a warning).
    pub realtime: bool,
}

/// One switch.
#[derive(Debug)]
pub struct SwitchConfig {
    /// Unique name, used in messages, statistics and peer references.
    pub name: String,
    /// P4Runtime device id, unique in the process.
    pub device_id: u64,
    /// The port that leads to the controller, if there is one.
    pub cpu_port: Option<u16>,
    /// The switch itself, with or without a program.
    pub switch: v1model::Switch,
    /// Its ports.
    pub ports: Vec<PortConfig>,
    /// The settings of ports that come while it runs. Without them none may come, and none of the others may go.
    pub added_ports: Option<AddedPorts>,
}

/// Ports on existing interfaces that come while the switch runs.
#[derive(Debug, Clone)]
pub struct AddedPorts {
    /// Whether frames that other programs send out by the interface count as received from it.
    pub hear_outgoing: bool,
    /// How frames are taken from it.
    pub receive_by: ReceiveBy,
    /// The direction switch → neighbour.
    pub egress: LinkConfig,
    /// The direction neighbour → switch.
    pub ingress: LinkConfig,
}

/// One port of a switch.
#[derive(Debug, Clone)]
pub struct PortConfig {
    /// Port number as the P4 program sees it.
    pub port: u16,
    /// Name in statistics.
    pub name: String,
    /// The other end of the port.
    pub attachment: Attachment,
    /// The direction switch → neighbour; its queue is the one before egress processing.
    pub egress: LinkConfig,
    /// The direction neighbour → switch; only for ports with a device (a peer models its own sending direction).
    pub ingress: LinkConfig,
    /// A TAP device by which the port's switch is reached, if that is a process of its own. Both directions of the link
    /// are modelled here all the same, but the switch of this process takes no part.
    pub switch_side: Option<TapAddress>,
    /// Where to write the frames that go through the device, if anywhere.
    pub capture: Option<CaptureConfig>,
}

/// Two pcap files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureConfig {
    /// Frames that come in.
    pub incoming: PathBuf,
    /// Frames that go out.
    pub outgoing: PathBuf,
}

/// A TAP device that exists already, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TapAddress {
    /// Device name.
    pub device: String,
    /// Where it is.
    pub netns: Netns,
}

/// How frames are taken from an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReceiveBy {
    /// From memory shared with the kernel, where it has that; by messages otherwise.
    #[default]
    Ring,
    /// By system calls, many frames each.
    Messages,
}

/// The other end of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attachment {
    /// A TAP device that exists already, possibly in another network namespace.
    Tap {
        /// Device name.
        device: String,
        /// Where it is.
        netns: Netns,
    },
    /// An existing interface in the switch's own namespace (AF_PACKET).
    Interface {
        /// Interface name.
        name: String,
        /// Whether frames that other programs send out by it count as received from it.
        hear_outgoing: bool,
        /// How its frames are taken.
        receive_by: ReceiveBy,
    },
    /// Another switch of this process, joined in memory.
    Peer {
        /// Name of the other switch.
        switch: String,
        /// Its port, which must name this one as its peer.
        port: u16,
    },
    /// A switch in another kernel, joined by memory that both share; for virtual time.
    Crossing(CrossingConfig),
}

/// One side of a link between two kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossingConfig {
    /// A file or device that both sides map; zeros before they begin.
    pub memory: PathBuf,
    /// Of it, bytes that are used.
    pub bytes: usize,
    /// Which side this is; the other one has the other value.
    pub is_second: bool,
    /// The link's delay.
    pub delay_ns: u64,
    /// Whether this side waits for the other one at the end of each window. Where something else keeps the kernels' clocks together, it
    /// need not.
    pub waits: bool,
}

/// Where the samples go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplesConfig {
    /// Cumulative counters of every link direction, CSV.
    pub ports: Option<PathBuf>,
    /// Cumulative counters of every flow on every egress link, CSV.
    pub flows: Option<PathBuf>,
    /// Cumulative counters of every queue of egress links that have several, CSV.
    pub queues: Option<PathBuf>,
    /// Frames that pass chosen places, pcapng; written with the samples.
    pub frames: Option<FramesConfig>,
    /// The state of the switches' programs: tables with hits, registers, counters. JSON, a line for each switch in
    /// which something has changed.
    pub state: Option<StateConfig>,
    /// Time between two samples.
    pub interval: Duration,
}

/// How the state of programs is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateConfig {
    /// The file.
    pub file: PathBuf,
    /// Time between two looks; each is made with the next sample.
    pub interval: Duration,
}

/// Which frames are recorded, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FramesConfig {
    /// The pcapng file; times are CLOCK_MONOTONIC, as in the other samples.
    pub file: PathBuf,
    /// The places.
    pub interfaces: Vec<FramesInterface>,
    /// About how large the file may become. Frames that there is no room for are counted.
    pub most_bytes: u64,
}

/// A place where frames pass: one end of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FramesInterface {
    /// Its name in the file.
    pub name: String,
    /// The switch that has the port.
    pub switch: String,
    /// The port; the CPU port too.
    pub port: u16,
    /// Which end of the port's link.
    pub end: LinkEnd,
    /// The type of the frames' first header (LINKTYPE_…): 1 is Ethernet.
    pub link_type: u16,
    /// Of each frame no more than this is kept.
    pub snap_bytes: usize,
}

/// An end of a port's link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkEnd {
    /// The switch's: frames go out when their transmission begins, and come in when they arrive.
    Switch,
    /// That of a neighbour that is no switch of this process: frames go out when it hands them over, and come in when it
    /// gets them.
    Neighbour,
}
