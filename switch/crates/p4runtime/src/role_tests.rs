#![allow(clippy::unwrap_used)]

use p4runtime_proto::runtime::{PacketIn, PacketMetadata};

use super::*;

fn access(config: &stratum::P4RoleConfig) -> Access {
    let any =
        prost_types::Any { type_url: "type.googleapis.com/stratum.P4RoleConfig".into(), value: config.encode_to_vec() };
    Access::from_config(Some(&any)).unwrap()
}

#[test]
fn a_role_without_configuration_may_do_everything() {
    let access = Access::from_config(None).unwrap();
    assert!(access.covers(Some(1)) && access.may_set_pipeline() && access.receives(&PacketIn::default()));
}

#[test]
fn a_configured_role_may_do_what_is_listed() {
    let mut config = stratum::P4RoleConfig { exclusive_p4_ids: vec![1], shared_p4_ids: vec![2], ..Default::default() };
    let limited = access(&config);
    assert!(limited.covers(Some(1)) && limited.covers(Some(2)) && limited.covers(None) && !limited.covers(Some(3)));
    assert!(!limited.may_set_pipeline() && !limited.receives(&PacketIn::default()));
    config.receives_packet_ins = true;
    config.packet_in_filter =
        Some(stratum::p4_role_config::PacketFilter { metadata_id: 1, value: Bytes::from_static(b"\x00\x07") });
    let packet = |value: &'static [u8]| PacketIn {
        metadata: vec![PacketMetadata { metadata_id: 1, value: Bytes::from_static(value) }],
        ..Default::default()
    };
    assert!(access(&config).receives(&packet(b"\x07")) && !access(&config).receives(&packet(b"\x08")));
}

#[test]
fn nonsense_is_refused() {
    for (name, value) in [("stratum.P4RoleConfig", vec![0xff]), ("other.Config", vec![])] {
        let any = prost_types::Any { type_url: format!("type.googleapis.com/{name}"), value };
        assert!(Access::from_config(Some(&any)).is_err());
    }
}
