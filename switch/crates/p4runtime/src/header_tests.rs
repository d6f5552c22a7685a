#![allow(clippy::unwrap_used)]

use p4runtime_proto::config::{Preamble, controller_packet_metadata::Metadata};
use v1model::HeaderField;

use super::*;

fn header(widths: &[i32]) -> ControllerHeader {
    let metadata = widths
        .iter()
        .zip(1..)
        .map(|(&bitwidth, id)| Metadata { id, name: format!("f{id}"), bitwidth, ..Default::default() })
        .collect();
    let preamble = Some(Preamble { name: "packet_out".to_owned(), ..Default::default() });
    let p4info = P4Info {
        controller_packet_metadata: vec![ControllerPacketMetadata { preamble, metadata }],
        ..Default::default()
    };
    ControllerHeader::find(&p4info, "packet_out", &Translations::default(), &[]).unwrap().unwrap()
}

fn packet(values: &[(u32, &[u8])]) -> PacketOut {
    let metadata = values
        .iter()
        .map(|(metadata_id, value)| PacketMetadata { metadata_id: *metadata_id, value: Bytes::copy_from_slice(value) })
        .collect();
    PacketOut { payload: Bytes::from_static(b"payload"), metadata }
}

#[test]
fn packs_and_unpacks_odd_widths() {
    let header = header(&[9, 1, 6, 16]);
    assert_eq!(header.bytes(), 4);
    let out = packet(&[(1, b"\x01\xff"), (2, b"\x00"), (3, b"\x2a"), (4, b"\x12\x34")]);
    let frame = header.put_on(&out, &Translations::default()).unwrap();
    assert_eq!(frame, b"\xff\xaa\x12\x34payload");
    let back = header.take_off(Bytes::from(frame), &Translations::default()).unwrap();
    assert_eq!(back.payload, out.payload);
    assert_eq!(back.metadata, out.metadata);
}

#[test]
fn fills_up_to_whole_bytes() {
    let header = header(&[9]);
    let frame = header.put_on(&packet(&[(1, b"\x01")]), &Translations::default()).unwrap();
    assert_eq!(frame, b"\x00\x80payload");
}

#[test]
fn order_does_not_matter_but_every_field_must_be_there_once() {
    let header = header(&[8, 8]);
    let frame = header.put_on(&packet(&[(2, b"\x02"), (1, b"\x01")]), &Translations::default()).unwrap();
    assert_eq!(frame, b"\x01\x02payload");
    for wrong in [
        packet(&[(1, b"\x01")]),
        packet(&[(1, b"\x01"), (2, b"\x02"), (7, b"\x02")]),
        packet(&[(1, b"\x01"), (2, b"\x02"), (2, b"\x02")]),
        packet(&[(1, b"\x01\x00"), (2, b"\x02")]),
        packet(&[(1, b""), (2, b"\x02")]),
    ] {
        let failure = header.put_on(&wrong, &Translations::default()).unwrap_err();
        assert_eq!(failure.code, tonic::Code::InvalidArgument, "{failure}");
    }
}

#[test]
fn a_frame_shorter_than_the_header_is_not_a_packet_in() {
    assert_eq!(header(&[32]).take_off(Bytes::from_static(b"abc"), &Translations::default()), None);
}

fn field(name: &str, width: u32) -> HeaderField {
    HeaderField { name: name.into(), width, signed: false, varbit: false, saturating: false }
}

/// A packet-in of a translated port and a reason, in P4Info and in the program.
fn translated() -> (P4Info, [HeaderType; 1]) {
    use p4runtime_proto::config::{P4NamedType, P4NewTypeSpec, P4NewTypeTranslation, P4TypeInfo};
    use p4runtime_proto::config::{p4_new_type_spec::Representation, p4_new_type_translation::SdnType};
    let port = |id, name: &str, bitwidth, translated: bool| Metadata {
        id,
        name: name.to_owned(),
        bitwidth,
        type_name: translated.then(|| P4NamedType { name: "port_t".to_owned() }),
        ..Default::default()
    };
    let translation = P4NewTypeTranslation { uri: String::new(), sdn_type: Some(SdnType::SdnBitwidth(32)) };
    let spec =
        P4NewTypeSpec { representation: Some(Representation::TranslatedType(translation)), ..Default::default() };
    let p4info = P4Info {
        controller_packet_metadata: vec![ControllerPacketMetadata {
            preamble: Some(Preamble { name: "packet_in".to_owned(), ..Default::default() }),
            metadata: vec![port(1, "port", 32, true), port(2, "reason", 7, false)],
        }],
        type_info: Some(P4TypeInfo { new_types: [("port_t".to_owned(), spec)].into(), ..Default::default() }),
        ..Default::default()
    };
    (p4info, [HeaderType { name: "x".into(), fields: vec![field("port", 9), field("reason", 7)] }])
}

#[test]
fn translated_fields_have_the_data_planes_width() {
    let (p4info, types) = translated();
    let translations = Translations::new(&p4info);
    let header = ControllerHeader::find(&p4info, "packet_in", &translations, &types).unwrap().unwrap();
    assert_eq!(header.bytes(), 2);
    let packet = header.take_off(Bytes::from_static(b"\x81\x05x"), &translations).unwrap();
    assert_eq!(packet.metadata[0].value, &b"\x01\x02"[..]);
}

#[test]
fn a_header_that_the_program_never_has_is_on_no_frame() {
    let (p4info, _) = translated();
    let translations = Translations::new(&p4info);
    // The same names, but another width of the fields that are not translated: not this header.
    let other = [HeaderType { name: "y".into(), fields: vec![field("port", 9), field("reason", 15)] }];
    for types in [&[][..], &other[..]] {
        let header = ControllerHeader::find(&p4info, "packet_in", &translations, types).unwrap().unwrap();
        let packet = header.take_off(Bytes::from_static(b"\x81\x05x"), &translations).unwrap();
        assert_eq!(packet.payload, &b"\x81\x05x"[..]);
        let values: Vec<_> = packet.metadata.iter().map(|field| (field.metadata_id, field.value.len())).collect();
        assert_eq!(values, [(1, 0), (2, 0)]);
        let frame = header.put_on(&self::packet(&[(1, b"\x01"), (2, b"\x02")]), &translations).unwrap();
        assert_eq!(frame, b"payload");
        assert!(header.put_on(&self::packet(&[(1, b"\x01")]), &translations).is_err());
    }
}
