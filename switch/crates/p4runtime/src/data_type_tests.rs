#![allow(clippy::unwrap_used)]

use super::*;

fn bits(value: &[u8]) -> P4Data {
    P4Data { data: Some(p4_data::Data::Bitstring(Bytes::copy_from_slice(value))) }
}

fn none() -> Translations {
    Translations::default()
}

#[test]
fn leaves_are_read_and_written() {
    let cases = [
        (DataType::Bit(9), bits(b"\x01\xff"), vec![0x01, 0xff]),
        (DataType::Int(12), bits(b"\xff"), vec![0x0f, 0xff]),
        (DataType::Bool, P4Data { data: Some(p4_data::Data::Bool(true)) }, vec![1]),
        (
            DataType::Enum(vec!["A".into(), "B".into()]),
            P4Data { data: Some(p4_data::Data::Enum("B".into())) },
            vec![0, 0, 0, 1],
        ),
    ];
    for (kind, data, pattern) in cases {
        assert_eq!(kind.read_leaf(&data, 0, &none()).unwrap(), pattern);
        assert_eq!(kind.write(&mut std::iter::once(Leaf::plain(&pattern)), &none()), data);
    }
}

#[test]
fn values_of_another_type_are_refused() {
    let wrong = P4Data { data: Some(p4_data::Data::Bool(true)) };
    for (kind, data) in
        [(DataType::Bit(8), &wrong), (DataType::Bool, &bits(b"\x01")), (DataType::Bit(8), &P4Data::default())]
    {
        assert_eq!(kind.read_leaf(data, 0, &none()).unwrap_err().code, tonic::Code::InvalidArgument);
    }
    assert_eq!(DataType::Bit(8).read_leaf(&bits(b"\x01\x00"), 0, &none()).unwrap_err().code, tonic::Code::OutOfRange);
}

#[test]
fn structures_take_their_leaves_in_order() {
    let kind = DataType::Struct(vec![DataType::Bit(8), DataType::Header(vec![DataType::Bit(16), DataType::Bit(8)])]);
    assert_eq!(kind.widths(), [8, 16, 8].map(Some));
    let leaves: [&[u8]; 3] = [b"\x01", b"\x00\x02", b"\x03"];
    let header =
        P4Header { is_valid: true, bitstrings: vec![Bytes::from_static(b"\x02"), Bytes::from_static(b"\x03")] };
    let members = vec![bits(b"\x01"), P4Data { data: Some(p4_data::Data::Header(header)) }];
    let expected = P4Data { data: Some(p4_data::Data::Struct(P4StructLike { members })) };
    assert_eq!(kind.write(&mut leaves.into_iter().map(Leaf::plain), &none()), expected);
}

#[test]
fn a_type_that_contains_itself_is_refused() {
    let of = |spec| Some(config::P4DataTypeSpec { type_spec: Some(spec) });
    let itself = || p4_data_type_spec::TypeSpec::Struct(config::P4NamedType { name: "loop".into() });
    let member = config::p4_struct_type_spec::Member { name: "again".into(), type_spec: of(itself()) };
    let spec = config::P4StructTypeSpec { members: vec![member], ..Default::default() };
    let type_info = config::P4TypeInfo { structs: [("loop".to_owned(), spec)].into(), ..Default::default() };
    let p4info = P4Info { type_info: Some(type_info), ..Default::default() };
    assert!(DataType::new(of(itself()).as_ref(), &p4info).is_err());
}

#[test]
fn unions_and_stacks_show_what_is_valid() {
    let header = |widths: &[u32]| DataType::Header(widths.iter().map(|w| DataType::Bit(*w)).collect());
    let union = DataType::Union(vec![("a".into(), header(&[8])), ("b".into(), header(&[8, 16]))]);
    let leaf = |pattern: &'static [u8], valid| Leaf { pattern, valid };
    let only_b = [leaf(b"\x01", false), leaf(b"\x02", true), leaf(b"\x00\x03", true)];
    let none = only_b.map(|leaf| Leaf { valid: false, ..leaf });
    let shown = |kind: &DataType, leaves: &[Leaf]| {
        kind.write(&mut leaves.iter().copied(), &Translations::default()).data.unwrap()
    };
    let b = P4Header { is_valid: true, bitstrings: vec![Bytes::from_static(b"\x02"), Bytes::from_static(b"\x03")] };
    let with_b = P4HeaderUnion { valid_header_name: "b".into(), valid_header: Some(b) };
    assert_eq!(shown(&union, &only_b), p4_data::Data::HeaderUnion(with_b.clone()));
    assert_eq!(shown(&union, &none), p4_data::Data::HeaderUnion(P4HeaderUnion::default()));
    let stack = DataType::Stack(Box::new(union), 2);
    assert_eq!(stack.widths(), [8, 8, 16, 8, 8, 16].map(Some));
    let entries = vec![P4HeaderUnion::default(), with_b];
    let expected = p4_data::Data::HeaderUnionStack(P4HeaderUnionStack { entries });
    assert_eq!(shown(&stack, &[none, only_b].concat()), expected);
    let stack = DataType::Stack(Box::new(header(&[8])), 2);
    let entries = vec![P4Header { is_valid: true, bitstrings: vec![Bytes::from_static(b"\x01")] }, P4Header::default()];
    let expected = p4_data::Data::HeaderStack(P4HeaderStack { entries });
    assert_eq!(shown(&stack, &[leaf(b"\x01", true), leaf(b"\x02", false)]), expected);
    let varbit = p4_data::Data::Varbit(P4Varbit { bitstring: Bytes::from_static(b"\x07"), bitwidth: 16 });
    assert_eq!(shown(&DataType::Varbit(320), &[leaf(b"\x00\x07", true)]), varbit);
}

#[test]
fn translated_values_look_as_the_controller_wants_them() {
    use config::{
        P4NewTypeSpec, P4NewTypeTranslation, p4_new_type_spec::Representation, p4_new_type_translation::SdnType,
    };
    let translated = |sdn_type, annotations: &[&str]| P4NewTypeSpec {
        representation: Some(Representation::TranslatedType(P4NewTypeTranslation {
            sdn_type: Some(sdn_type),
            ..Default::default()
        })),
        annotations: annotations.iter().map(|text| (*text).to_owned()).collect(),
        ..Default::default()
    };
    let text = SdnType::SdnString(config::p4_new_type_translation::SdnString {});
    let mapping = "@p4runtime_translation_mappings({{\"uplink\", 5}})";
    let new_types = [
        ("port".to_owned(), translated(SdnType::SdnBitwidth(32), &[])),
        ("port_name".to_owned(), translated(text, &[mapping])),
    ];
    let type_info = config::P4TypeInfo { new_types: new_types.into(), ..Default::default() };
    let p4info = P4Info { type_info: Some(type_info), ..Default::default() };
    let translations = Translations::new(&p4info);
    let kind = |name: &str| {
        let spec = p4_data_type_spec::TypeSpec::NewType(config::P4NamedType { name: name.to_owned() });
        DataType::new(Some(&config::P4DataTypeSpec { type_spec: Some(spec) }), &p4info).unwrap()
    };
    for (name, value) in [("port", b"\x05".as_slice()), ("port_name", b"uplink")] {
        assert_eq!(kind(name).widths(), [None]);
        assert_eq!(kind(name).read_leaf(&bits(value), 9, &translations).unwrap(), [0, 5]);
        assert_eq!(kind(name).write(&mut std::iter::once(Leaf::plain(&[0, 5])), &translations), bits(value));
    }
    let too_large = kind("port").read_leaf(&bits(b"\x02\x00"), 9, &translations).unwrap_err();
    assert_eq!(too_large.code, tonic::Code::OutOfRange);
}
