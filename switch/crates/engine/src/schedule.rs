//! When the next event of each link is due, and until when it may be put off.

use crate::agenda::{Agenda, NEVER};
use crate::port::{Direction, Port, link_number, link_of};
use crate::slack::{Slack, slack_of};

/// The events of all links.
pub(crate) struct Schedule {
    agenda: Agenda,
    /// Latest time each link's next event may be processed at: model time plus slack.
    deadlines: Vec<u64>,
    slack: Vec<Slack>,
}

impl Schedule {
    /// Without events.
    pub(crate) fn new(ports: &[Port], nodes: usize) -> Self {
        let links = ports.len() * 2;
        Self { agenda: Agenda::new(links), deadlines: vec![NEVER; links], slack: slack_of(ports, nodes) }
    }

    /// The earliest event that is due by `until_ns`: its time, and its link by port and direction.
    pub(crate) fn due(&self, until_ns: u64) -> Option<(u64, usize, Direction)> {
        let (at_ns, link) = self.agenda.due(until_ns)?;
        let (port, direction) = link_of(link);
        Some((at_ns, port, direction))
    }

    /// When something has to be processed at the latest.
    pub(crate) fn deadline_ns(&self) -> u64 {
        self.deadlines.iter().copied().min().unwrap_or(NEVER)
    }

    /// The slack of a port's events.
    pub(crate) fn slack(&self, port: usize) -> Slack {
        self.slack.get(port).copied().unwrap_or_default()
    }

    /// Enters a link's next event, and until when it may be put off.
    pub(crate) fn enter(&mut self, port: &Port, index: usize, direction: Direction) {
        let slack = self.slack(index);
        let ((dequeue, deliver), dequeue_slack, deliver_slack) = match direction {
            Direction::Egress => (port.egress.next_times_ns(), slack.egress_dequeue_ns, slack.egress_deliver_ns),
            Direction::Ingress => (port.ingress.next_times_ns(), slack.ingress_dequeue_ns, slack.ingress_deliver_ns),
        };
        let (dequeue, deliver) = (dequeue.unwrap_or(NEVER), deliver.unwrap_or(NEVER));
        let link = link_number(index, direction);
        self.agenda.set(link, dequeue.min(deliver));
        if let Some(deadline) = self.deadlines.get_mut(link) {
            *deadline = dequeue.saturating_add(dequeue_slack).min(deliver.saturating_add(deliver_slack));
        }
    }

    /// After a link's description has changed, or a port has come.
    pub(crate) fn links_changed(&mut self, ports: &[Port], nodes: usize) {
        while self.deadlines.len() < 2 * ports.len() {
            self.deadlines.push(NEVER);
            self.agenda.add_link();
        }
        self.slack = slack_of(ports, nodes);
        for (index, port) in ports.iter().enumerate() {
            self.enter(port, index, Direction::Egress);
            self.enter(port, index, Direction::Ingress);
        }
    }
}
