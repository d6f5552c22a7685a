//! Ports that come and go while the switch runs (`port_add` and `port_remove` of `simple_switch_CLI`).

use links::{Link, LinkConfigError};
use ports::Device;

use crate::config::{AddedPorts, ReceiveBy};
use crate::core::Core;
use crate::handle::{EngineError, EngineHandle};
use crate::port::{End, Port};

/// Why no port comes or goes where none may.
const FIXED: &str = "the ports of this switch are those of the network's description";

/// A port that is wanted; the interface is not open yet.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// The switch, as an index.
    node: usize,
    number: u16,
    interface: String,
    like: AddedPorts,
    ring_bytes: usize,
}

/// What the loop has to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceChange {
    /// The port of this index has a device.
    Came(usize),
    /// It has one no more.
    Went(usize),
}

impl Core {
    /// Whether the switch can have that port.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn want_port(&self, node: usize, number: u16, interface: String) -> Result<Wanted, String> {
        let like = self.nodes[node].added_ports.as_ref().ok_or(FIXED)?;
        self.check_is_free(node, number)?;
        let is_it = |port: &&Port| matches!(&port.end, End::Device(device) if device.name() == interface);
        if let Some(port) = self.ports.iter().find(is_it) {
            return Err(format!("{interface} is port {} already", port.number));
        }
        let interfaces = self.ports.iter().filter(|port| matches!(port.end, End::Device(_))).count();
        let ring_bytes = ports::ring_bytes(interfaces + 1);
        Ok(Wanted { node, number, interface, like: like.clone(), ring_bytes })
    }

    fn check_is_free(&self, node: usize, number: u16) -> Result<(), String> {
        let node = &self.nodes[node];
        if node.cpu_port == Some(number) {
            return Err(format!("port {number} is the CPU port"));
        }
        match node.ports.by_number.get(usize::from(number)).copied().flatten() {
            Some(_) => Err(format!("there is a port {number} already")),
            None => Ok(()),
        }
    }

    fn attach(&mut self, wanted: Wanted, device: Device) -> Result<(), String> {
        let Wanted { node, number, interface, like, .. } = wanted;
        self.check_is_free(node, number)?;
        let impossible = |error: LinkConfigError| error.to_string();
        let egress = self.nodes[node].queues.added_to(number, like.egress);
        let port = Port {
            egress: Link::new(egress).map_err(impossible)?,
            ingress: Link::new(like.ingress).map_err(impossible)?,
            ..Port::ideal(node, number, &interface, End::Device(device)).map_err(impossible)?
        };
        let is_free = |port: &Port| port.node == node && port.number == number && matches!(port.end, End::Nowhere);
        let index = match self.ports.iter().position(is_free) {
            Some(index) => {
                self.ports[index] = port;
                index
            }
            None => {
                self.ports.push(port);
                self.ports.len() - 1
            }
        };
        self.nodes[node].ports.enter(number, index);
        self.ports_changed(DeviceChange::Came(index));
        Ok(())
    }

    /// Takes a port with an interface away from the switch.
    ///
    /// # Errors
    /// There is none, or it may not go.
    pub(crate) fn detach(&mut self, node: usize, number: u16) -> Result<(), String> {
        let state = &mut self.nodes[node];
        state.added_ports.as_ref().ok_or(FIXED)?;
        let slot = state.ports.by_number.get_mut(usize::from(number)).filter(|_| state.cpu_port != Some(number));
        let index = slot.and_then(Option::take).ok_or_else(|| format!("there is no port {number}"))?;
        state.switch.set_port_up(number, false);
        self.ports[index].end = End::Nowhere;
        self.let_go(index, ports::clock::monotonic_ns());
        self.ports_changed(DeviceChange::Went(index));
        Ok(())
    }
}

impl EngineHandle {
    /// Opens the interface here, so that packets go on meanwhile, and gives it to the switch.
    pub(crate) fn add_port(&self, wanted: Wanted) -> Result<Result<(), String>, EngineError> {
        let ring_bytes = (wanted.like.receive_by == ReceiveBy::Ring).then_some(wanted.ring_bytes);
        match Device::interface(&wanted.interface, wanted.like.hear_outgoing, ring_bytes) {
            Ok(device) => self.call_core(move |core, _| core.attach(wanted, device)),
            Err(reason) => Ok(Err(reason.to_string())),
        }
    }
}
