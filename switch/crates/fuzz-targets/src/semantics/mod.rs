//! Differential fuzzing of the meaning of programs, as Gauntlet does it. Random well-typed programs
//! ([`fuzz_oracle::generate`]) are compiled and run in the switch with random packets. The packets that come out must
//! be those that the reference interpreter gives for the typed program. The command is `fuzz_p4_semantics`.

mod control_plane;
mod reduce;

use std::fmt::Write;
use std::sync::Arc;

use crate::rounds::{Find, Limits, rounds};
use fuzz_oracle::random::Random;
use fuzz_oracle::reference::{Memory, Sent, Stop};
use p4_syntax::{Diagnostics, Options, SourceMap};
use p4_types::typed;
use p4c_driver::STACK_BYTES;
use p4sim::Simulator;
use serde_json::Value;
use v1model::SwitchConfig;

use control_plane::ControlPlane;
use fuzz_oracle::generate::{self, Features, MAY_BE_REFUSED, REFERENCE};
use fuzz_oracle::layout::Layout;
use fuzz_oracle::sources;
use reduce::reduce;

/// Packets in a round.
const PACKETS: usize = 12;
/// Longest packet: about what the headers of a program have.
const LONGEST: usize = 90;

/// Counts of the programs and packets in the rounds.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Constructs in the programs.
    pub features: Features,
    /// Packets that both ways sent out alike.
    pub sent: u64,
    /// Packets of which both ways sent out several, alike.
    pub copied: u64,
    /// Packets that both ways dropped.
    pub dropped: u64,
    /// Packets whose result depends on something undefined.
    pub undefined: u64,
    /// Programs that the compiler refused, as it may.
    pub refused: u64,
    /// Programs of several files or with macros.
    pub scattered: u64,
    /// Entries that a control plane wrote.
    pub entries: u64,
}

/// Changes the compiled program before it is run: to prove that faults are found.
pub type Tamper<'a> = &'a (dyn Fn(&mut Value) + Sync);

/// Runs rounds.
///
/// # Errors
/// The first find; its input is the program, and before it the least that shows the same, if there is a smaller one.
pub fn run(seed: u64, limits: &Limits, statistics: &mut Statistics, tamper: Tamper<'_>) -> Result<u64, Find> {
    rounds(limits, |number| round(seed, number, statistics, tamper), |number| input(seed, number, tamper))
}

/// As [`run`], but a find has the whole program of its round: making it less takes longer than finding it.
///
/// # Errors
/// As [`run`].
pub fn run_unreduced(seed: u64, limits: &Limits, statistics: &mut Statistics, tamper: Tamper<'_>) -> Result<u64, Find> {
    rounds(limits, |number| round(seed, number, statistics, tamper), |number| program(seed, number))
}

/// Runs packets of that seed through one program both ways.
///
/// # Errors
/// A difference, or the reason why the program does not run.
pub fn check(source: &str, seed: u64) -> Result<(), String> {
    let plain = Layout::plain(source);
    on_own_stack("check", || examine(source, &plain, packets(seed, 0), &mut Statistics::default(), &|_| {}))
}

/// As [`check`], of the program laid out in other ways.
///
/// # Errors
/// As [`check`].
pub fn check_layouts(source: &str, seeds: std::ops::Range<u64>) -> Result<(), String> {
    for seed in seeds {
        let layout = Layout::random(source, &mut Random::of_round(seed, 0));
        let examined = || examine(source, &layout, packets(seed, 0), &mut Statistics::default(), &|_| {});
        on_own_stack("check", examined).map_err(|what| format!("{what}\n{}", layout.shown()))?;
    }
    Ok(())
}

/// The program of a round.
#[must_use]
pub fn program(seed: u64, number: u64) -> String {
    generate::program(Random::of_round(seed, number)).source
}

fn input(seed: u64, number: u64, tamper: Tamper<'_>) -> String {
    let source = program(seed, number);
    let still = |source: &str| {
        let layout = layout(source, seed, number);
        let examined = || examine(source, &layout, packets(seed, number), &mut Statistics::default(), tamper);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| on_own_stack("reduction", examined)));
        matches!(result, Ok(Err(what)) if what.starts_with(DIFFERENT))
    };
    if !still(&source) {
        return layout(&source, seed, number).shown();
    }
    let least = reduce(&source, still);
    format!("{least}\n/* Laid out as:\n{}*/\n/* Reduced from:\n{source}*/\n", layout(&least, seed, number).shown())
}

fn layout(source: &str, seed: u64, number: u64) -> Layout {
    Layout::random(source, &mut Random::of_round(seed.rotate_left(32), number))
}

fn packets(seed: u64, number: u64) -> Random {
    Random::of_round(!seed, number)
}

fn round(seed: u64, number: u64, statistics: &mut Statistics, tamper: Tamper<'_>) -> Result<(), String> {
    let generated = generate::program(Random::of_round(seed, number));
    for (feature, count) in generated.features {
        *statistics.features.entry(feature).or_default() += count;
    }
    let name = format!("round {number} of seed {seed}");
    let layout = layout(&generated.source, seed, number);
    statistics.scattered += u64::from(layout.main != generated.source);
    on_own_stack(&name, || examine(&generated.source, &layout, packets(seed, number), statistics, tamper))
}

/// Works in a thread that has as much stack as the compiler gives itself. Should that not be enough, the message that
/// ends the process has the thread's name in it.
fn on_own_stack<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work) {
            Ok(working) => working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => panic!("no thread for {name}: {error}"),
        }
    })
}

/// How a find of the comparison begins.
pub const DIFFERENT: &str = "different results";

/// Compiles a layout of a program, and holds it against the program.
fn examine(
    source: &str,
    layout: &Layout,
    mut random: Random,
    statistics: &mut Statistics,
    tamper: Tamper<'_>,
) -> Result<(), String> {
    let typed = interpreted(source)?;
    let mut simulator = match compile(layout, tamper) {
        Ok(simulator) => simulator,
        // A compiler may refuse this program, or compute the right result.
        Err(Failure::Refused(_)) if source.contains(MAY_BE_REFUSED) => {
            statistics.refused += 1;
            return Ok(());
        }
        Err(Failure::Refused(what) | Failure::Other(what)) => return Err(what),
    };
    let mut memory = Memory::default();
    let control_plane = ControlPlane::set_up(&typed, &mut random, &mut simulator.switch, &mut memory)?;
    statistics.entries += control_plane.entries() as u64;
    for _ in 0..PACKETS {
        let length = random.below(LONGEST);
        let frame = random.bytes(length);
        let port = random.below(8) as u16;
        let expected = match fuzz_oracle::reference::run_with(&typed, &mut memory, port, &frame) {
            Ok(expected) => expected,
            Err(Stop::Undefined(_)) => {
                // The switch does not see it either.
                statistics.undefined += 1;
                continue;
            }
            Err(Stop::Unsupported(what)) => return Err(format!("the reference does not know {what}")),
        };
        let found = simulator.send(port, &frame, 1_000);
        let found: Vec<Sent> = found.into_iter().map(|sent| Sent { port: sent.port, data: sent.data }).collect();
        match expected.len() {
            0 => statistics.dropped += 1,
            1 => statistics.sent += 1,
            _ => statistics.copied += 1,
        }
        if found != expected {
            return Err(format!(
                "{DIFFERENT}\n  packet:    port {port}, {}\n  reference: {}\n  switch:    {}",
                hex(&frame),
                shown(&expected),
                shown(&found)
            ));
        }
    }
    control_plane.compare(&mut simulator.switch, &memory)
}

/// Why a program does not run.
enum Failure {
    /// The compiler gives errors.
    Refused(String),
    /// It should not be so.
    Other(String),
}

/// The typed program that the interpreter runs.
fn interpreted(source: &str) -> Result<typed::Program, String> {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
    let options = Options { defines: vec![(REFERENCE.to_owned(), "1".to_owned())], ..Options::default() };
    let tree = p4_syntax::parse_text("fuzz.p4", source, &options, &mut sources, &mut diagnostics);
    let typed = p4_types::check(&tree, &mut diagnostics);
    typed.ok_or_else(|| format!("the compiler refuses the program:\n{}", diagnostics.render(&sources)))
}

fn compile(layout: &Layout, tamper: Tamper<'_>) -> Result<Simulator, Failure> {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
    let tree = sources::parse(layout, &mut sources, &mut diagnostics)
        .map_err(|error| Failure::Other(format!("the program cannot be written: {error}")))?;
    let typed = p4_types::check(&tree, &mut diagnostics);
    let lowered = typed.as_ref().and_then(|typed| {
        p4_midend::lower(typed, &sources, "fuzz.p4", p4_midend::Settings::default(), &mut diagnostics)
    });
    let Some(lowered) = lowered else {
        return Err(Failure::Refused(format!("the compiler refuses the program:\n{}", diagnostics.render(&sources))));
    };
    let text = p4_bmv2::json::program(&lowered);
    let mut json = serde_json::to_value(&text).map_err(|error| Failure::Other(error.to_string()))?;
    tamper(&mut json);
    let program = v1model::Program::from_json(&json.to_string())
        .map_err(|error| Failure::Other(format!("the switch refuses the compiled program: {error}")))?;
    Ok(Simulator::new(Arc::new(program), SwitchConfig::default()))
}

fn shown(sent: &[Sent]) -> String {
    if sent.is_empty() {
        return "dropped".to_owned();
    }
    let each = sent.iter().map(|Sent { port, data }| format!("port {port}, {}", hex(data)));
    each.collect::<Vec<_>>().join("\n             ")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
