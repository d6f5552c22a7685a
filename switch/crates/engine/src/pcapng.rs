//! The blocks of a pcapng file (draft-ietf-opsawg-pcapng) that frames need.

use std::io::{self, Write};

use crate::config::FramesInterface;
use crate::frame_way::Way;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const INTERFACE_DESCRIPTION: u32 = 1;
const INTERFACE_STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;

const END_OF_OPTIONS: u16 = 0;
const SECTION_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_TIME_RESOLUTION: u16 = 9;
const NANOSECONDS: u8 = 9;
const PACKET_FLAGS: u16 = 2;
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;
const STATISTICS_DROPPED: u16 = 5;

/// Type and both lengths of a block.
const BLOCK_BYTES: usize = 12;
const PACKET_FIELDS_BYTES: usize = 20;
/// The flags with their header, and the end of the options.
const PACKET_OPTIONS_BYTES: usize = 12;

/// The number of bytes that [`frame`] writes for a frame of which `kept` bytes are kept.
pub(crate) fn frame_bytes(kept: usize) -> u64 {
    (BLOCK_BYTES + PACKET_FIELDS_BYTES + kept.next_multiple_of(4) + PACKET_OPTIONS_BYTES) as u64
}

/// Section header and interfaces.
pub(crate) fn begin(out: &mut impl Write, interfaces: &[FramesInterface]) -> io::Result<()> {
    let mut section = Vec::new();
    section.extend(BYTE_ORDER.to_ne_bytes());
    section.extend(1u16.to_ne_bytes());
    section.extend(0u16.to_ne_bytes());
    section.extend(u64::MAX.to_ne_bytes()); // a length that is not known
    option(&mut section, SECTION_APPLICATION, b"p4switch");
    option(&mut section, END_OF_OPTIONS, &[]);
    block(out, SECTION_HEADER, &section)?;
    for interface in interfaces {
        let mut body = Vec::new();
        body.extend(interface.link_type.to_ne_bytes());
        body.extend(0u16.to_ne_bytes());
        body.extend(u32::try_from(interface.snap_bytes).unwrap_or(0).to_ne_bytes()); // 0: no limit
        option(&mut body, INTERFACE_NAME, interface.name.as_bytes());
        option(&mut body, INTERFACE_TIME_RESOLUTION, &[NANOSECONDS]);
        option(&mut body, END_OF_OPTIONS, &[]);
        block(out, INTERFACE_DESCRIPTION, &body)?;
    }
    Ok(())
}

/// A frame of `length` bytes, the first of which are `kept`.
pub(crate) fn frame(
    out: &mut impl Write,
    interface: u32,
    way: Way,
    time_ns: u64,
    length: usize,
    kept: &[u8],
) -> io::Result<()> {
    let mut body = [0; PACKET_FIELDS_BYTES];
    body[0..4].copy_from_slice(&interface.to_ne_bytes());
    body[4..12].copy_from_slice(&time(time_ns));
    body[12..16].copy_from_slice(&u32::try_from(kept.len()).unwrap_or(u32::MAX).to_ne_bytes());
    body[16..20].copy_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_ne_bytes());
    let flags = match way {
        Way::In => INBOUND,
        Way::Out => OUTBOUND,
    };
    let mut options = [0; PACKET_OPTIONS_BYTES];
    options[0..2].copy_from_slice(&PACKET_FLAGS.to_ne_bytes());
    options[2..4].copy_from_slice(&4u16.to_ne_bytes());
    options[4..8].copy_from_slice(&flags.to_ne_bytes());
    let total = u32::try_from(frame_bytes(kept.len())).unwrap_or(u32::MAX).to_ne_bytes();
    out.write_all(&ENHANCED_PACKET.to_ne_bytes())?;
    out.write_all(&total)?;
    out.write_all(&body)?;
    out.write_all(kept)?;
    out.write_all(&[0; 3][..padding(kept.len())])?;
    out.write_all(&options)?;
    out.write_all(&total)
}

/// How many frames of an interface are missing.
pub(crate) fn statistics(out: &mut impl Write, interface: u32, time_ns: u64, missed: u64) -> io::Result<()> {
    let mut body = Vec::new();
    body.extend(interface.to_ne_bytes());
    body.extend(time(time_ns));
    option(&mut body, STATISTICS_DROPPED, &missed.to_ne_bytes());
    option(&mut body, END_OF_OPTIONS, &[]);
    block(out, INTERFACE_STATISTICS, &body)
}

/// The upper half comes first, whatever the byte order.
fn time(time_ns: u64) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[0..4].copy_from_slice(&((time_ns >> 32) as u32).to_ne_bytes());
    bytes[4..8].copy_from_slice(&(time_ns as u32).to_ne_bytes());
    bytes
}

fn block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let total = u32::try_from(BLOCK_BYTES + body.len()).unwrap_or(u32::MAX).to_ne_bytes();
    out.write_all(&kind.to_ne_bytes())?;
    out.write_all(&total)?;
    out.write_all(body)?;
    out.write_all(&total)
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_ne_bytes());
    body.extend(u16::try_from(value.len()).unwrap_or(u16::MAX).to_ne_bytes());
    body.extend(value);
    body.resize(body.len() + padding(value.len()), 0);
}

fn padding(length: usize) -> usize {
    length.next_multiple_of(4) - length
}
