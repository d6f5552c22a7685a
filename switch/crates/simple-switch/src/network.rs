//! The network description that `p4switch run` and `p4switch links` read.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::{
    Attachment, CrossingConfig, FramesConfig, FramesInterface, LinkConfig, LinkEnd, Netns, PortConfig, ReceiveBy,
    SamplesConfig, StateConfig, TapAddress,
};
use serde::Deserialize;

use crate::LaunchError;

/// The whole file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// The switches this process runs.
    pub switches: Vec<SwitchDescription>,
    /// Unix socket for statistics and link changes.
    #[serde(default)]
    pub management_socket: Option<PathBuf>,
    /// Counters over time, as files.
    #[serde(default)]
    pub samples: Option<SamplesDescription>,
}

/// One switch.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchDescription {
    /// Unique name.
    pub name: String,
    /// P4Runtime device id.
    pub device_id: u64,
    /// Where its P4Runtime server listens; none if left out.
    #[serde(default)]
    pub grpc_addr: Option<SocketAddr>,
    /// Where its Thrift services listen, on this machine alone; nowhere if left out.
    #[serde(default)]
    pub thrift_port: Option<u16>,
    /// The port that leads to the controller.
    #[serde(default)]
    pub cpu_port: Option<u16>,
    /// The port number that means "drop".
    #[serde(default = "default_drop_port")]
    pub drop_port: u16,
    /// Seed of `random()`.
    #[serde(default)]
    pub seed: u64,
    /// BMv2 JSON; without it the switch waits for P4Runtime to set a program.
    #[serde(default)]
    pub program: Option<PathBuf>,
    /// Its ports.
    pub ports: Vec<PortDescription>,
}

/// One port: exactly one of `tap`, `peer`, `interface` and `crossing`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortDescription {
    /// Port number as the P4 program sees it.
    pub port: u16,
    /// Name in statistics.
    #[serde(default)]
    pub name: Option<String>,
    /// A TAP device that exists already.
    #[serde(default)]
    pub tap: Option<TapDescription>,
    /// A port of another switch in this file.
    #[serde(default)]
    pub peer: Option<PeerDescription>,
    /// An existing interface.
    #[serde(default)]
    pub interface: Option<String>,
    /// A port of a switch in another kernel.
    #[serde(default)]
    pub crossing: Option<CrossingDescription>,
    /// For `p4switch links`: the TAP device whose interface the port's switch has opened.
    #[serde(default)]
    pub switch_side: Option<TapDescription>,
    /// Switch → neighbour.
    #[serde(default)]
    pub egress: LinkConfig,
    /// Host → switch.
    #[serde(default)]
    pub ingress: Option<LinkConfig>,
}

/// A TAP device, by name and namespace.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapDescription {
    /// Device name.
    pub device: String,
    /// A process in the device's network namespace.
    #[serde(default)]
    pub netns_pid: Option<u32>,
    /// A file that stands for the device's network namespace.
    #[serde(default)]
    pub netns: Option<PathBuf>,
}

/// A port of another switch.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerDescription {
    /// Its name.
    pub switch: String,
    /// Its port.
    pub port: u16,
}

/// One side of a link between two kernels in virtual time (docs/several-kernels.md).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossingDescription {
    /// A file or device that both sides map; zeros before they begin.
    pub memory: PathBuf,
    /// Of it, bytes that are used.
    pub bytes: usize,
    /// Which side this is: 1 or 2.
    pub side: u8,
    /// The link's delay.
    pub delay_us: f64,
    /// Whether it waits for the other side at the end of each window.
    pub waits: bool,
}

/// Sample files.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplesDescription {
    /// Counters of links.
    #[serde(default)]
    pub ports: Option<PathBuf>,
    /// Counters of flows.
    #[serde(default)]
    pub flows: Option<PathBuf>,
    /// Counters of queues, where a port has several.
    #[serde(default)]
    pub queues: Option<PathBuf>,
    /// Frames that pass chosen places.
    #[serde(default)]
    pub frames: Option<FramesDescription>,
    /// Tables with their hits, registers and counters of the switches' programs.
    #[serde(default)]
    pub state: Option<StateDescription>,
    /// Milliseconds between samples.
    #[serde(default = "default_interval_ms")]
    pub interval_ms: f64,
}

/// How the state of programs is recorded.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateDescription {
    /// The file: JSON lines.
    pub file: PathBuf,
    /// Milliseconds between two looks.
    pub interval_ms: f64,
}

/// The frames that are recorded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FramesDescription {
    /// The pcapng file.
    pub file: PathBuf,
    /// The places.
    pub interfaces: Vec<InterfaceDescription>,
    /// About how large the file may become.
    pub most_bytes: u64,
}

/// One end of a link, where frames are recorded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterfaceDescription {
    /// Its name in the file.
    pub name: String,
    /// The switch that has the port.
    pub switch: String,
    /// The port; the CPU port too.
    pub port: u16,
    /// The switch's end of the port's link, or that of a neighbour that is no switch.
    pub end: LinkEnd,
    /// The kind of header with which its frames begin (LINKTYPE_…).
    #[serde(default = "default_link_type")]
    pub link_type: u16,
    /// Bytes of each frame that are kept at most.
    pub snap_bytes: usize,
}

fn default_drop_port() -> u16 {
    511
}

fn default_interval_ms() -> f64 {
    10.0
}

/// Ethernet.
fn default_link_type() -> u16 {
    1
}

/// Where the switches of a network description are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchesAre {
    /// In this process.
    Ours,
    /// Processes of their own; only the links between their interfaces are ours.
    Elsewhere,
}

/// Reads and checks a network description.
///
/// # Errors
/// The file cannot be read, is not JSON, or has an unknown, missing or impossible field (the message names it).
pub fn read(path: &Path, switches_are: SwitchesAre) -> Result<Network, LaunchError> {
    let text = std::fs::read_to_string(path).map_err(|source| LaunchError::File { path: path.into(), source })?;
    parse(&text, switches_are).map_err(|problem| LaunchError::Description { path: path.into(), problem })
}

fn parse(text: &str, switches_are: SwitchesAre) -> Result<Network, String> {
    let mut json = serde_json::Deserializer::from_str(text);
    let network: Network = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let field = error.path().to_string();
        if field == "." { error.into_inner().to_string() } else { format!("{field}: {}", error.into_inner()) }
    })?;
    json.end().map_err(|error| error.to_string())?;
    network.check(switches_are)?;
    Ok(network)
}

impl Network {
    fn check(&self, switches_are: SwitchesAre) -> Result<(), String> {
        if let Some(samples) = &self.samples {
            let state = samples.state.as_ref().map(|state| ("samples.state.interval_ms", state.interval_ms));
            for (name, interval_ms) in [("samples.interval_ms", samples.interval_ms)].into_iter().chain(state) {
                if !(0.1..=3_600_000.0).contains(&interval_ms) {
                    return Err(format!("{name}: must be 0.1 to 3600000, not {interval_ms}"));
                }
            }
        }
        for (index, switch) in self.switches.iter().enumerate() {
            if switch.name.is_empty() || switch.name.contains([',', '\n', '"']) {
                return Err(format!("switches[{index}].name: must not be empty nor contain commas or quotes"));
            }
            let is_run = switch.program.is_some() || switch.grpc_addr.is_some() || switch.thrift_port.is_some();
            if switches_are == SwitchesAre::Elsewhere && is_run {
                return Err(format!(
                    "switches[{index}]: `links` runs no switch, so it takes no program, grpc_addr and thrift_port"
                ));
            }
            for (number, port) in switch.ports.iter().enumerate() {
                port.check(switches_are).map_err(|problem| format!("switches[{index}].ports[{number}].{problem}"))?;
            }
        }
        Ok(())
    }
}

impl PortDescription {
    fn check(&self, switches_are: SwitchesAre) -> Result<(), String> {
        match (switches_are, &self.switch_side) {
            (SwitchesAre::Ours, Some(_)) => {
                return Err("switch_side: only `p4switch links` has one; `run` runs the switch itself".into());
            }
            (SwitchesAre::Elsewhere, None) => return Err("switch_side: `p4switch links` needs it".into()),
            _ => {}
        }
        let given = [self.tap.is_some(), self.peer.is_some(), self.interface.is_some(), self.crossing.is_some()];
        if given.into_iter().filter(|given| *given).count() != 1 {
            return Err("port: needs exactly one of \"tap\", \"peer\", \"interface\" and \"crossing\"".into());
        }
        if let Some(crossing) = &self.crossing {
            crossing.check()?;
        }
        if (self.peer.is_some() || self.crossing.is_some()) && self.ingress.is_some() {
            return Err(
                "ingress: a port with a peer, here or in another kernel, has none; it is the peer's egress".into()
            );
        }
        for (name, tap) in [("tap", &self.tap), ("switch_side", &self.switch_side)] {
            if tap.as_ref().is_some_and(|tap| tap.netns_pid.is_some() && tap.netns.is_some()) {
                return Err(format!("{name}: give netns_pid or netns, not both"));
            }
        }
        self.egress.validate().map_err(|error| format!("egress.{error}"))?;
        self.ingress.iter().try_for_each(|link| link.validate().map_err(|error| format!("ingress.{error}")))
    }

    fn attachment(&self) -> Attachment {
        if let Some(tap) = &self.tap {
            let TapAddress { device, netns } = tap.address();
            return Attachment::Tap { device, netns };
        }
        if let Some(crossing) = &self.crossing {
            return Attachment::Crossing(crossing.to_config());
        }
        match &self.peer {
            Some(peer) => Attachment::Peer { switch: peer.switch.clone(), port: peer.port },
            // `check` has made sure that it is there.
            None => Attachment::Interface {
                name: self.interface.clone().unwrap_or_default(),
                hear_outgoing: false,
                receive_by: ReceiveBy::default(),
            },
        }
    }

    /// As the engine wants it.
    #[must_use]
    pub fn to_config(&self, switch: &str) -> PortConfig {
        PortConfig {
            port: self.port,
            name: self.name.clone().unwrap_or_else(|| format!("{switch}-{}", self.port)),
            attachment: self.attachment(),
            egress: self.egress.clone(),
            ingress: self.ingress.clone().unwrap_or_default(),
            switch_side: self.switch_side.as_ref().map(TapDescription::address),
            capture: None,
        }
    }
}

impl CrossingDescription {
    fn check(&self) -> Result<(), String> {
        if !(1..=2).contains(&self.side) {
            return Err(format!("crossing.side: must be 1 or 2, not {}", self.side));
        }
        if !(1.0..=1e9).contains(&self.delay_us) {
            return Err(format!("crossing.delay_us: must be 1 to 1000000000, not {}", self.delay_us));
        }
        Ok(())
    }

    fn to_config(&self) -> CrossingConfig {
        CrossingConfig {
            memory: self.memory.clone(),
            bytes: self.bytes,
            is_second: self.side == 2,
            delay_ns: (self.delay_us * 1e3) as u64,
            waits: self.waits,
        }
    }
}

impl TapDescription {
    fn address(&self) -> TapAddress {
        let netns = match (self.netns_pid, &self.netns) {
            (Some(pid), _) => Netns::Pid(pid),
            (None, Some(path)) => Netns::Path(path.clone()),
            (None, None) => Netns::Own,
        };
        TapAddress { device: self.device.clone(), netns }
    }
}

impl SamplesDescription {
    /// As the engine wants it.
    #[must_use]
    pub fn to_config(&self) -> SamplesConfig {
        SamplesConfig {
            ports: self.ports.clone(),
            flows: self.flows.clone(),
            queues: self.queues.clone(),
            frames: self.frames.as_ref().map(FramesDescription::to_config),
            state: self.state.as_ref().map(|state| StateConfig {
                file: state.file.clone(),
                interval: Duration::from_secs_f64(state.interval_ms / 1e3),
            }),
            interval: Duration::from_secs_f64(self.interval_ms / 1e3),
        }
    }
}

impl FramesDescription {
    fn to_config(&self) -> FramesConfig {
        let interface = |one: &InterfaceDescription| FramesInterface {
            name: one.name.clone(),
            switch: one.switch.clone(),
            port: one.port,
            end: one.end,
            link_type: one.link_type,
            snap_bytes: one.snap_bytes,
        };
        FramesConfig {
            file: self.file.clone(),
            interfaces: self.interfaces.iter().map(interface).collect(),
            most_bytes: self.most_bytes,
        }
    }
}

#[cfg(test)]
mod tests;
