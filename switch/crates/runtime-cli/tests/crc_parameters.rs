//! `set_crc16_parameters` and `set_crc32_parameters`: the hashes that the program computes afterwards.

#![allow(clippy::unwrap_used)] // a failing test may panic

mod switch;

use switch::Switch;

/// The two hashes over the first bytes of a packet go out in front of it.
const PROGRAM: &str = "#include <core.p4>
#include <v1model.p4>
header data_t { bit<72> text; }
header result_t { bit<16> small; bit<32> large; }
struct headers_t { result_t result; data_t data; }
struct meta_t { }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.data); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.result.setValid();
        hash(hdr.result.small, HashAlgorithm.crc16_custom, 16w0, { hdr.data.text }, 32w0x10000);
        hash(hdr.result.large, HashAlgorithm.crc32_custom, 32w0, { hdr.data.text }, 64w0x100000000);
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
";

fn hashes(switch: &mut Switch) -> (u16, u32) {
    let sent = switch.simulator.send(0, b"123456789", 1_000);
    let [a, b, c, d, e, f, ..] = sent[0].data[..] else { panic!("{sent:?}") };
    (u16::from_be_bytes([a, b]), u32::from_be_bytes([c, d, e, f]))
}

#[test]
fn parameters_count_from_the_next_packet_on() {
    let mut switch = Switch::new(PROGRAM);
    assert_eq!(hashes(&mut switch), (0xbb3d, 0xcbf4_3926));
    assert_eq!(switch.run("set_crc16_parameters calc 0x1021 0xffff 0x0000 false false"), "");
    assert_eq!(hashes(&mut switch), (0x29b1, 0xcbf4_3926), "CRC-16/IBM-3740, the other as before");
    assert_eq!(switch.run("set_crc32_parameters calc_0 0x1EDC6F41 4294967295 0xffffffff True 1"), "");
    assert_eq!(hashes(&mut switch), (0x29b1, 0xe306_9283), "CRC-32/ISCSI");
    assert_eq!(switch.run("set_crc16_parameters calc 0x8005 0 0 true true"), "");
    assert_eq!(hashes(&mut switch), (0xbb3d, 0xe306_9283), "as at first");
}

#[test]
fn refusals_change_nothing() {
    let mut switch = Switch::new(PROGRAM);
    for (line, answer) in [
        ("set_crc16_parameters calc_0 1 0 0 0 0", "Error: Invalid crc16_custom name (calc_0)\n"),
        ("set_crc32_parameters calc 1 0 0 0 0", "Error: Invalid crc32_custom name (calc)\n"),
        ("set_crc16_parameters none 1 0 0 0 0", "Error: Invalid crc16_custom name (none)\n"),
        ("set_crc16_parameters calc 0x10000 0 0 0 0", "Error: Integer cannot fit within 16 bits\n"),
        ("set_crc32_parameters calc_0 0 0 0x100000000 0 0", "Error: Integer cannot fit within 32 bits\n"),
        ("set_crc16_parameters calc poly 0 0 0 0", "Error: Bad format for polynomial, expected integer\n"),
        ("set_crc16_parameters calc 1 0 0 yes 0", "Error: Invalid bool parameter\n"),
        ("set_crc16_parameters calc 1 0 0 0", "Error: Wrong number of args, expected 6 but got 5\n"),
    ] {
        assert_eq!(switch.run(line), answer, "{line}");
    }
    assert_eq!(hashes(&mut switch), (0xbb3d, 0xcbf4_3926));
}

#[test]
fn the_clock_counts_from_1970() {
    let microseconds: u64 = Switch::new(PROGRAM).run("get_time_since_epoch").trim_end().parse().unwrap();
    assert!(microseconds > 1_700_000_000_000_000);
}
