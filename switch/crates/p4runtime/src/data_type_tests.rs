#![allow(clippy::unwrap_used)]

use super::*;

fn bits(value: &[u8]) -> P4Data {
    P4Data { data: Some(p4_data::Data::Bitstring(Bytes::copy_from_slice(value))) }
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
        assert_eq!(kind.read_leaf(&data).unwrap(), pattern);
        assert_eq!(kind.write(&mut std::iter::once(pattern.as_slice())), data);
    }
}

#[test]
fn values_of_another_type_are_refused() {
    let wrong = P4Data { data: Some(p4_data::Data::Bool(true)) };
    for (kind, data) in
        [(DataType::Bit(8), &wrong), (DataType::Bool, &bits(b"\x01")), (DataType::Bit(8), &P4Data::default())]
    {
        assert_eq!(kind.read_leaf(data).unwrap_err().code, tonic::Code::InvalidArgument);
    }
    assert_eq!(DataType::Bit(8).read_leaf(&bits(b"\x01\x00")).unwrap_err().code, tonic::Code::OutOfRange);
}

#[test]
fn structures_take_their_leaves_in_order() {
    let kind = DataType::Struct(vec![DataType::Bit(8), DataType::Header(vec![DataType::Bit(16), DataType::Bit(8)])]);
    assert_eq!(kind.widths(), [8, 16, 8]);
    let leaves: [&[u8]; 3] = [b"\x01", b"\x00\x02", b"\x03"];
    let header =
        P4Header { is_valid: true, bitstrings: vec![Bytes::from_static(b"\x02"), Bytes::from_static(b"\x03")] };
    let members = vec![bits(b"\x01"), P4Data { data: Some(p4_data::Data::Header(header)) }];
    let expected = P4Data { data: Some(p4_data::Data::Struct(P4StructLike { members })) };
    assert_eq!(kind.write(&mut leaves.into_iter()), expected);
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
