//! Ports that come and go while the switch runs (`port_add` and `port_remove` of `simple_switch_CLI`).

use links::{Link, LinkConfigError};
use ports::Device;

use super::{Core, DeviceChange};
use crate::config::{AddedPorts, ReceiveBy};
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

impl Wanted {
    /// Opens the interface.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub(crate) fn open(&self) -> Result<Device, String> {
        let ring_bytes = (self.like.receive_by == ReceiveBy::Ring).then_some(self.ring_bytes);
        Device::interface(&self.interface, self.like.hear_outgoing, ring_bytes).map_err(|reason| reason.to_string())
    }
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
        match node.ports.get(number) {
            Some(_) => Err(format!("there is a port {number} already")),
            None => Ok(()),
        }
    }

    /// Gives an opened interface to the switch.
    ///
    /// # Errors
    /// Why the switch cannot have it.
    pub(crate) fn attach(&mut self, wanted: Wanted, device: Device) -> Result<(), String> {
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
        let removed = if state.cpu_port == Some(number) { None } else { state.ports.remove(number) };
        let index = removed.ok_or_else(|| format!("there is no port {number}"))?;
        state.switch.set_port_up(number, false);
        self.ports[index].end = End::Nowhere;
        self.let_go(index, ports::clock::monotonic_ns());
        self.ports_changed(DeviceChange::Went(index));
        Ok(())
    }
}
