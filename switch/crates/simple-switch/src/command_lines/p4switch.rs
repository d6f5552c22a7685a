//! `p4switch run NETWORK.json`: the switches of a whole topology in one process. `p4switch links NETWORK.json`: its links
//! alone, between the interfaces of switches that are processes of their own. On a virtual machine, either needs `p4switch
//! keep-awake`, and `p4switch watch-processors` tells how well that went.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::network::{self, SwitchesAre};
use crate::{LaunchError, TracePlan, TraceTo, client, error, launch::Plan, logging};
use clap::{CommandFactory, Parser, Subcommand};
use v1model::TraceFilter;

/// Shorter ones change no measured value.
const NOTED_STANDSTILL: Duration = Duration::from_millis(1);

/// Runs P4 switches (BMv2 JSON, v1model) joined by modelled links.
#[derive(Debug, Parser)]
#[command(name = "p4switch", version = concat!(env!("CARGO_PKG_VERSION"), " (Nodectl P4 toolchain)"))]
struct Arguments {
    /// Log messages of this level and above, on standard error.
    #[arg(long, global = true, default_value = "info", value_parser = ["trace", "debug", "info", "warn", "error", "off"])]
    log_level: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs all switches of a network description until SIGINT or SIGTERM. Prints {"event":"ready"} when all ports are
    /// open and all P4Runtime servers listen.
    Run {
        /// The network description (JSON).
        network: PathBuf,
        /// Traces packets that a filter chooses at every switch, such as "dst 10.0.0.0/24 udp count 5 brief", on standard
        /// error.
        #[arg(long, value_name = "FILTER", num_args = 0..=1, require_equals = true, default_missing_value = "")]
        trace: Option<TraceFilter>,
        /// Writes the trace to a file for each switch; JSON, one event a line, if its name ends in .json or .jsonl.
        #[arg(long, value_name = "FILE", requires = "trace")]
        trace_file: Option<PathBuf>,
    },
    /// Shows something of a running switch: switches, tables, table NAME, registers, register NAME, counters, counter NAME,
    /// meters, meter NAME, multicast, clones, queues, links, statistics.
    Show {
        /// The switch process's management socket.
        socket: PathBuf,
        /// The thing to show.
        what: String,
        /// Name of the table, register, counter or meter; the end of it is enough.
        name: Option<String>,
        /// First cell. Without, all cells that are not empty.
        first: Option<usize>,
        /// Number of cells.
        count: Option<usize>,
        /// Name of the switch; not needed if there is only one.
        #[arg(long)]
        switch: Option<String>,
        /// As JSON: a list of objects.
        #[arg(long)]
        json: bool,
    },
    /// Traces packets of a running switch: parser, tables, actions, statements, deparser. Ends when it has seen as many as
    /// the filter says (10).
    Trace {
        /// The switch process's management socket.
        socket: PathBuf,
        /// Which packets: in PORT, src|dst|host ADDRESS[/LENGTH], ip|ip6|arp|ethertype N, tcp|udp|icmp|proto N,
        /// sport|dport|port N, count N, brief (nothing that only computes).
        filter: Vec<String>,
        /// Name of the switch; not needed if there is only one.
        #[arg(long)]
        switch: Option<String>,
        /// As JSON, one event a line.
        #[arg(long)]
        json: bool,
        /// Writes it to a file as well, as JSON; the first 8 MB.
        #[arg(long, value_name = "FILE")]
        record: Option<PathBuf>,
    },
    /// Runs the links of a network description alone until SIGINT or SIGTERM. Its switches are processes of their own, BMv2
    /// for example. Each of their ports has opened the interface of a TAP device named as the port's "switch_side". Samples,
    /// management socket and the line {"event":"ready"} are those of `run`.
    Links {
        /// The network description (JSON).
        network: PathBuf,
    },
    /// Keeps all processors busy with nothing, at a priority below everybody's, until standard input ends or SIGINT or
    /// SIGTERM: a virtual machine's processors wake up late. Prints {"event":"ready"} when they are.
    KeepAwake,
    /// Writes a line (time_ns,processor,standstill_us) whenever a processor stood still for a millisecond or longer, until standard
    /// input ends or SIGINT or SIGTERM. Prints {"event":"ready"} when all are watched.
    WatchProcessors {
        /// CSV file; its former contents are lost.
        file: PathBuf,
    },
    /// Checks a network description, and the programs it names, without opening anything.
    Check {
        /// The network description (JSON).
        network: PathBuf,
    },
}

/// The declaration of its options.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    error::conclude("p4switch", run(&arguments))
}

fn run(arguments: &Arguments) -> Result<(), LaunchError> {
    logging::start(&arguments.log_level, None)?;
    match &arguments.command {
        Command::KeepAwake => keep_awake(),
        Command::WatchProcessors { file } => watch_processors(file),
        Command::Check { network } => Plan::of(&network::read(network, SwitchesAre::Ours)?).map(drop),
        Command::Links { network } => Plan::of(&network::read(network, SwitchesAre::Elsewhere)?)?.run(tell_ready),
        Command::Show { socket, what, name, first, count, switch, json } => {
            let (switch, what, name) = (switch.clone(), what.clone(), name.clone());
            client::show(socket, &client::Question { switch, what, name, first: *first, count: *count }, *json)
        }
        Command::Trace { socket, filter, switch, json, record } => {
            client::trace(socket, switch.as_deref(), &filter.join(" "), *json, record.as_deref())
        }
        Command::Run { network, trace, trace_file } => {
            let trace = trace.clone().map(|filter| TracePlan { filter, to: TraceTo::of(trace_file.clone()) });
            Plan { trace, ..Plan::of(&network::read(network, SwitchesAre::Ours)?)? }.run(tell_ready)
        }
    }
}

fn keep_awake() -> Result<(), LaunchError> {
    engine::keep_awake().map_err(|source| LaunchError::System { what: "cannot keep the processors awake", source })?;
    tell_ready();
    wait_for_end_of_input()
}

fn watch_processors(file: &Path) -> Result<(), LaunchError> {
    let failed = |source| LaunchError::File { path: file.to_owned(), source };
    let mut rows = File::create(file).map_err(failed)?;
    writeln!(rows, "time_ns,processor,standstill_us").map_err(failed)?;
    let is_over = Arc::new(AtomicBool::new(false));
    let standstills = engine::watch_processors(NOTED_STANDSTILL, &is_over)
        .map_err(|source| LaunchError::System { what: "cannot watch the processors", source })?;
    let writing = thread::spawn(move || {
        for one in standstills {
            let row = format!("{},{},{}\n", one.since_ns, one.processor, one.lasted_ns / 1000);
            if rows.write_all(row.as_bytes()).is_err() {
                return; // a full disk: there is nobody to tell, and what watches ends with this
            }
        }
    });
    tell_ready();
    wait_for_end_of_input()?;
    // A processor that stands still at this moment has yet to report it.
    is_over.store(true, Ordering::Relaxed);
    writing.join().map_err(|_| failed(io::Error::other("the thread that writes has ended")))
}

/// The process that started this has gone when its end of the pipe is closed.
fn wait_for_end_of_input() -> Result<(), LaunchError> {
    io::copy(&mut io::stdin().lock(), &mut io::sink())
        .map(drop)
        .map_err(|source| LaunchError::System { what: "cannot read standard input", source })
}

fn tell_ready() {
    let mut out = io::stdout().lock();
    // If nobody reads it, nobody waits for it.
    let _ = writeln!(out, r#"{{"event":"ready"}}"#);
    let _ = out.flush();
}
