#![allow(clippy::unwrap_used)]

use p4runtime_proto::config::{P4NewTypeTranslation, P4TypeInfo, p4_new_type_translation::SdnType};

use super::*;

fn translations(kind: SdnType, annotations: &[&str]) -> Translations {
    let translation = P4NewTypeTranslation { uri: "x".into(), sdn_type: Some(kind) };
    let spec = P4NewTypeSpec {
        representation: Some(p4_new_type_spec::Representation::TranslatedType(translation)),
        annotations: annotations.iter().map(|&a| a.to_owned()).collect(),
        ..Default::default()
    };
    let type_info = P4TypeInfo { new_types: [("t".to_owned(), spec)].into(), ..Default::default() };
    Translations::new(&P4Info { type_info: Some(type_info), ..Default::default() })
}

#[test]
fn numbers_keep_their_value() {
    let wide = translations(SdnType::SdnBitwidth(32), &[]);
    assert!(wide.translates("t"));
    assert_eq!(wide.to_data_plane("t", &Bytes::from_static(b"\x00\x05")).unwrap(), &b"\x05"[..]);
    assert_eq!(wide.to_controller("t", &Bytes::from_static(b"\x00\x05")), &b"\x05"[..]);
    assert!(wide.to_data_plane("t", &Bytes::from_static(b"\x01\x00\x00\x00\x00")).is_err());
}

#[test]
fn strings_become_numbers_and_back() {
    let mapping = r#"@p4runtime_translation_mappings({ {"drop", 511}, {"zero", 0} })"#;
    let names = translations(SdnType::SdnString(Default::default()), &[mapping]);
    let number = |text: &'static str| to_u64(&names.to_data_plane("t", &Bytes::from_static(text.as_bytes())).unwrap());
    assert_eq!(number("drop"), Some(511));
    assert_eq!(number("zero"), Some(0));
    assert_eq!(number("7"), Some(7));
    let other = number("eth0").unwrap();
    assert_eq!(number("eth0"), Some(other));
    assert_eq!(other, 510);
    assert_eq!(names.to_controller("t", &from_u64(other)), "eth0");
    assert_eq!(names.to_controller("t", &from_u64(7)), "7");
    assert_eq!(names.to_controller("t", &from_u64(9)), "9");
    assert!(names.to_data_plane("t", &Bytes::from_static(b"\xff")).is_err());
}

#[test]
fn requests_without_effect_take_no_number() {
    let names = translations(SdnType::SdnString(Default::default()), &[]);
    let uses = |texts: &[&'static str]| {
        names.noting(|| {
            texts.iter().map(|text| to_u64(&names.to_data_plane("t", &Bytes::from(*text)).unwrap())).collect()
        })
    };
    let (first, refused): (Vec<_>, _) = uses(&["a", "b"]);
    assert_eq!(first, [Some(511), Some(510)]);
    let (second, done): (Vec<_>, _) = uses(&["b", "c"]);
    assert_eq!(second, [Some(510), Some(509)]);
    names.settle([(false, refused.as_slice()), (true, done.as_slice())].into_iter());
    assert_eq!(names.to_controller("t", &from_u64(511)), "511", "only a refused request used it");
    assert_eq!(names.to_controller("t", &from_u64(510)), "b", "it is used by one that was done, too");
    let (third, _): (Vec<_>, _) = uses(&["511", "d"]);
    assert_eq!(third, [Some(511), Some(508)]);
}
