//! Builds the objects that the forwarding thread owns from a configuration.

use std::collections::{HashMap, HashSet};

use links::Link;
use ports::Device;

use crate::StartError;
use crate::capture::CaptureFiles;
use crate::config::{Attachment, EngineConfig, FramesConfig, LinkEnd, PortConfig, ReceiveBy, SwitchConfig};
use crate::core::{Core, Node, PortMap};
use crate::crossing::Crossing;
use crate::frame_recording::Recording;
use crate::port::{End, Port};

/// Checks the configuration, opens all devices and joins peers. The switches' time begins at `now_ns`.
pub(crate) fn build(config: EngineConfig, now_ns: u64) -> Result<(Core, CaptureFiles), StartError> {
    check_unique(&config)?;
    let is_interface = |port: &&PortConfig| matches!(port.attachment, Attachment::Interface { .. });
    let interfaces = config.switches.iter().flat_map(|switch| &switch.ports).filter(is_interface).count();
    let mut builder = Builder {
        now_ns,
        ring_bytes: ports::ring_bytes(interfaces),
        ports: Vec::new(),
        index: HashMap::new(),
        peers: Vec::new(),
        captures: CaptureFiles::new(),
    };
    let mut nodes = Vec::new();
    for switch in config.switches {
        nodes.push(builder.add_switch(nodes.len(), switch)?);
    }
    builder.join_peers()?;
    let mut recording = Recording::default();
    if let Some(frames) = config.samples.and_then(|samples| samples.frames) {
        builder.record(&nodes, &frames)?;
        recording = Recording::new(&frames);
    }
    Ok((Core::new(nodes, builder.ports, recording), builder.captures))
}

struct Builder {
    now_ns: u64,
    /// For each interface that frames are taken from by a ring.
    ring_bytes: usize,
    ports: Vec<Port>,
    /// Index of each configured port.
    index: HashMap<(String, u16), usize>,
    /// Ports to be joined, and whom they name.
    peers: Vec<((String, u16), (String, u16))>,
    captures: CaptureFiles,
}

impl Builder {
    fn add_switch(&mut self, node: usize, config: SwitchConfig) -> Result<Node, StartError> {
        let SwitchConfig { name, device_id, cpu_port, switch, ports, added_ports } = config;
        // The port to nowhere comes last.
        let mut map = PortMap::new();
        for port in ports {
            let number = port.port;
            if Some(number) == cpu_port {
                return Err(port_error(&name, number, "this is the CPU port, it cannot have an interface"));
            }
            let index = self.add_port(node, &name, port)?;
            map.enter(number, index);
        }
        if let Some(number) = cpu_port {
            map.enter(number, self.ports.len());
            self.ports.push(ideal_port(node, number, "cpu", End::Cpu)?);
        }
        map.set_nowhere(self.ports.len());
        self.ports.push(ideal_port(node, u16::MAX, "nowhere", End::Nowhere)?);
        Ok(Node::new(name.into(), device_id, switch, cpu_port, map, added_ports, self.now_ns))
    }

    fn add_port(&mut self, node: usize, switch: &str, config: PortConfig) -> Result<usize, StartError> {
        let PortConfig { port: number, name, attachment, egress, ingress, switch_side, capture } = config;
        let error = |reason: &dyn std::fmt::Display| port_error(switch, number, reason);
        let end = match attachment {
            Attachment::Tap { device, netns } => {
                End::Device(Device::tap(&device, &netns).map_err(|reason| error(&reason))?)
            }
            Attachment::Interface { name, hear_outgoing, receive_by } => {
                let ring_bytes = (receive_by == ReceiveBy::Ring).then_some(self.ring_bytes);
                End::Device(Device::interface(&name, hear_outgoing, ring_bytes).map_err(|reason| error(&reason))?)
            }
            Attachment::Peer { switch: peer, port } => {
                self.peers.push(((switch.to_owned(), number), (peer, port)));
                End::Nowhere
            }
            Attachment::Crossing(crossing) => {
                let opened = Crossing::open(&crossing);
                End::Crossing(opened.map_err(|reason| error(&format_args!("{}: {reason}", crossing.memory.display())))?)
            }
        };
        let egress = Link::new(egress).map_err(|reason| error(&format_args!("egress.{reason}")))?;
        let ingress = Link::new(ingress).map_err(|reason| error(&format_args!("ingress.{reason}")))?;
        let capture =
            capture.map(|capture| self.captures.add(&capture)).transpose().map_err(|reason| error(&reason))?;
        let switch_side = switch_side.map(|tap| Device::tap(&tap.device, &tap.netns));
        let switch_side = switch_side.transpose().map_err(|reason| error(&reason))?;
        let index = self.ports.len();
        self.index.insert((switch.to_owned(), number), index);
        self.ports.push(Port { egress, ingress, switch_side, capture, ..ideal_port(node, number, &name, end)? });
        Ok(index)
    }

    fn record(&mut self, nodes: &[Node], frames: &FramesConfig) -> Result<(), StartError> {
        for (number, interface) in (0..).zip(&frames.interfaces) {
            let node = nodes.iter().find(|node| node.name() == interface.switch);
            let index = node.and_then(|node| node.port(interface.port));
            let Some(port) = index.and_then(|index| self.ports.get_mut(index)) else {
                let reason = "its frames are to be recorded, but it does not exist";
                return Err(port_error(&interface.switch, interface.port, reason));
            };
            match (interface.end, &port.end) {
                (LinkEnd::Switch, _) => port.recorded.switch = Some(number),
                (LinkEnd::Neighbour, End::Device(_)) => port.recorded.neighbour = Some(number),
                (LinkEnd::Neighbour, _) => {
                    let reason = "frames are to be recorded at its neighbour, which is no device";
                    return Err(port_error(&interface.switch, interface.port, reason));
                }
            }
        }
        Ok(())
    }

    fn join_peers(&mut self) -> Result<(), StartError> {
        let named: HashMap<_, _> = self.peers.iter().cloned().collect();
        for (port, peer) in &self.peers {
            let (Some(from), Some(to)) = (self.index.get(port), self.index.get(peer)) else {
                let reason = format!("its peer is port {} of switch {:?}, which does not exist", peer.1, peer.0);
                return Err(port_error(&port.0, port.1, reason));
            };
            if named.get(peer) != Some(port) {
                let reason =
                    format!("port {} of switch {:?} does not name this port as its peer in turn", peer.1, peer.0);
                return Err(port_error(&port.0, port.1, reason));
            }
            if let Some(port) = self.ports.get_mut(*from) {
                port.end = End::Peer(*to);
            }
        }
        Ok(())
    }
}

fn ideal_port(node: usize, number: u16, name: &str, end: End) -> Result<Port, StartError> {
    Port::ideal(node, number, name, end).map_err(|error| StartError::Config(error.to_string()))
}

fn check_unique(config: &EngineConfig) -> Result<(), StartError> {
    let (mut names, mut ids) = (HashSet::new(), HashSet::new());
    for switch in &config.switches {
        if !names.insert(&switch.name) {
            return Err(StartError::Config(format!("two switches are called {:?}", switch.name)));
        }
        if !ids.insert(switch.device_id) {
            return Err(StartError::Config(format!("two switches have device id {}", switch.device_id)));
        }
        let mut numbers = HashSet::new();
        for port in &switch.ports {
            if !numbers.insert(port.port) {
                return Err(port_error(&switch.name, port.port, "this port number is used twice"));
            }
        }
    }
    Ok(())
}

fn port_error(switch: &str, port: u16, reason: impl std::fmt::Display) -> StartError {
    StartError::Port { switch: switch.to_owned(), port, reason: reason.to_string() }
}
