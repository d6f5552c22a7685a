//! Arbitrary packets into programs.

use v1model::Program;

use crate::random::Random;
use crate::rig::Rig;
use crate::{Find, Limits, rounds};

/// Longest frame.
const LONGEST: usize = 256;
/// Frames in a round; entries are made anew for each.
const FRAMES: usize = 50;

/// Beginnings of frames that programs tend to look for: Ethernet with IPv4, IPv6, ARP, a VLAN tag; IPv4 alone.
const BEGINNINGS: [&[u8]; 5] = [
    &[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0, 40, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2],
    &[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd, 0x60, 0, 0, 0, 0, 8, 17, 64],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 2, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1],
    &[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0, 0, 5, 8, 0, 0x46],
    &[0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2],
];

/// A frame: bytes, or a usual beginning with some bytes changed.
pub fn frame(random: &mut Random) -> Vec<u8> {
    let length = random.below(LONGEST);
    let mut frame = random.bytes(length);
    if !random.one_in(3) {
        let beginning = BEGINNINGS[random.below(BEGINNINGS.len())];
        let count = beginning.len().min(frame.len());
        frame[..count].copy_from_slice(&beginning[..count]);
        for _ in 0..random.below(4) {
            let at = random.below(frame.len());
            if let Some(byte) = frame.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
    } else if let Some(first) = frame.first_mut() {
        *first %= 20;
    }
    frame
}

/// A port: mostly a small one.
pub fn port(random: &mut Random) -> u16 {
    if random.one_in(8) { 510 } else { random.below(8) as u16 }
}

/// Sends frames into the programs (name and JSON), in turn.
///
/// # Errors
/// The first find, or a program that does not load.
pub fn run(programs: &[(String, String)], seed: u64, limits: &Limits) -> Result<u64, Find> {
    let of_round = |round: u64| programs.get((round % programs.len().max(1) as u64) as usize);
    let round = |number: u64| {
        let Some((name, json)) = of_round(number) else { return Ok(()) };
        let program = Program::from_json(json).map_err(|error| format!("{name} does not load: {error}"))?;
        let mut random = Random::of_round(seed, number);
        let mut rig = Rig::new(program);
        rig.fill(&mut random);
        for _ in 0..FRAMES {
            let frame = frame(&mut random);
            rig.send(&frame, port(&mut random));
        }
        Ok(())
    };
    rounds(limits, round, |number| {
        of_round(number).map_or_else(String::new, |(name, _)| format!("packets into {name}"))
    })
}
