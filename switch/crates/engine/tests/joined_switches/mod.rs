//! Two switches joined in memory by a link between their ports 2, for every test of the engine. Switch s1 sends packets
//! from its controller to s2, and s2 sends packets from s1 to its controller.

use std::sync::Arc;

use v1model::{Program, Switch};

// The tests within the crate and those outside name these types each in their own way.
use super::{Attachment, LinkConfig, PortConfig, SwitchConfig};

/// A program that swaps ports 1 and 2; see the file.
const CROSS: &str = include_str!("../../../simple-switch/tests/cross.json");
pub const CPU_PORT: u16 = 510;

/// s1 (device 1) and s2 (device 2), with this link from s1 to s2 and a plain one back.
pub fn joined_switches(link: LinkConfig) -> Vec<SwitchConfig> {
    let to_peer = CROSS.replace(r#""key": "0x0001""#, r#""key": "0x01fe""#);
    let to_controller = CROSS.replace(r#""action_data": ["0x1"]"#, r#""action_data": ["0x1fe"]"#);
    assert!(to_peer != CROSS && to_controller != CROSS);
    vec![switch("s1", 1, "s2", &to_peer, link), switch("s2", 2, "s1", &to_controller, LinkConfig::default())]
}

fn switch(name: &str, device_id: u64, peer: &str, program: &str, egress: LinkConfig) -> SwitchConfig {
    let config = v1model::SwitchConfig { cpu_port: Some(CPU_PORT), ..v1model::SwitchConfig::default() };
    let mut switch = Switch::new(config);
    switch.load(Arc::new(Program::from_json(program).expect("a good program")));
    let port = PortConfig {
        port: 2,
        name: format!("{name}-{peer}"),
        attachment: Attachment::Peer { switch: peer.into(), port: 2 },
        egress,
        ingress: LinkConfig::default(),
        switch_side: None,
        capture: None,
    };
    SwitchConfig {
        name: name.into(),
        device_id,
        cpu_port: Some(CPU_PORT),
        switch,
        ports: vec![port],
        added_ports: None,
    }
}
