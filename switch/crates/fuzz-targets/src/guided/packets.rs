//! Arbitrary packets at arbitrary ports of loaded programs: two equal switches treat the same packets alike.
//!
//! An input is the number of a program, a seed of its entries, and a number of frames: port, length, bytes.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use p4c_driver::compile::{self, Compilation, Settings, Verdict};
use v1model::Program;

use crate::random::Random;
use crate::rig::Rig;

/// Frames of one input.
const MOST_FRAMES: usize = 64;
/// The CPU port is this one.
const HIGH_PORT: u8 = 0xff;

/// Programs in one file.
const TEXTS: [(&str, &str); 7] = [
    ("features.p4", include_str!("../../../v1model/tests/programs/features.p4")),
    ("forward.p4", include_str!("../../../v1model/tests/programs/forward.p4")),
    ("headers.p4", include_str!("../../../v1model/tests/programs/headers.p4")),
    ("testbed.p4", include_str!("../../../../../tests/p4runtime/testbed.p4")),
    ("extras.p4", include_str!("../../../../../tests/p4runtime/extras.p4")),
    ("router.p4", include_str!("../../../../../bench/programs/router.p4")),
    ("ipv4.p4", include_str!("../../../../../bench/programs/ipv4.p4")),
];
/// Programs that include others.
const FILES: [&str; 1] = [concat!(env!("CARGO_MANIFEST_DIR"), "/../../../p4src/nodectl.p4")];

/// Sends the input's frames into two switches with the same program.
pub fn target(data: &[u8]) {
    let [program, seed, frames @ ..] = data else { return };
    let programs = programs();
    let Some(program) = programs.get(usize::from(*program) % programs.len()) else { return };
    let [mut first, mut second] = [program, program].map(|program| {
        let mut rig = Rig::new(Arc::clone(program));
        rig.fill(&mut Random::of_round(u64::from(*seed), 0));
        rig
    });
    for (port, frame) in self::frames(frames) {
        let sent = first.send(frame, port);
        assert_eq!(sent, second.send(frame, port), "two equal switches differ");
    }
}

/// The frames of an input; the last one may be cut off.
fn frames(mut data: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let next = move || {
        let [port, length, rest @ ..] = data else { return None };
        let (frame, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        data = rest;
        Some((if *port == HIGH_PORT { 510 } else { u16::from(*port) }, frame))
    };
    std::iter::from_fn(next).take(MOST_FRAMES)
}

/// The programs, loaded.
fn programs() -> &'static [Arc<Program>] {
    static PROGRAMS: OnceLock<Vec<Arc<Program>>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let settings = Settings::default();
        let texts = TEXTS.map(|(name, text)| (name, compile::text(name, text, &settings)));
        let files = FILES.map(|file| (file, compile::file(Path::new(file), &settings)));
        let all = texts.into_iter().chain(files);
        all.map(|(name, Compilation { verdict, messages })| match verdict {
            Verdict::Compiled(program) => {
                let loaded = Program::from_json(&p4_bmv2::json::program(&program).to_string());
                Arc::new(loaded.unwrap_or_else(|error| panic!("{name} does not load: {error}")))
            }
            _ => panic!("{name} does not compile: {messages}"),
        })
        .collect()
    })
}
