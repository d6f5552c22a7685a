//! BMv2's `simple_switch_grpc` command line, for scripts that start it.

use std::ffi::OsString;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::launch::{Plan, SwitchPlan};
use crate::thrift_port::ThriftPort;
use crate::{LaunchError, TracePlan, TraceTo, error, logging, program};
use clap::{CommandFactory, Parser, ValueEnum};
use engine::{AddedPorts, Attachment, CaptureConfig, LinkConfig, PortConfig, QueueLimit, ReceiveBy};
use p4runtime::TlsConfig;
use v1model::TraceFilter;

/// As in BMv2, so many packets of each priority wait at a port.
const QUEUE_PACKETS: u64 = 64;

/// A v1model P4 switch with P4Runtime, with the command line of BMv2's simple_switch_grpc.
#[derive(Debug, Parser)]
#[command(name = "simple_switch_grpc", disable_version_flag = true, infer_long_args = true)]
#[command(after_help = "Options of the target come after `--`; see `--no-p4 -- --help`.")]
pub(super) struct Arguments {
    /// Prints the version.
    #[arg(short = 'v', long)]
    version: bool,
    /// Prints the newest version of BMv2 JSON that is understood.
    #[arg(long)]
    json_version: bool,
    /// Connects an existing network interface to a port; may be given several times.
    #[arg(short = 'i', long = "interface", value_name = "PORT@INTERFACE", value_parser = parse_interface)]
    interfaces: Vec<(u16, String)>,
    /// P4Runtime device id.
    #[arg(long, default_value_t = 0)]
    device_id: u64,
    /// Starts without a program; P4Runtime sets it.
    #[arg(long)]
    pub(super) no_p4: bool,
    /// Logs to the console (standard error).
    #[arg(long)]
    log_console: bool,
    /// Logs to a file.
    #[arg(long, value_name = "FILE", conflicts_with = "log_console")]
    log_file: Option<PathBuf>,
    /// Least important level that is logged: `trace` and `debug` have the steps of every packet. Without, all steps of packets, and
    /// other messages from `info` on.
    #[arg(short = 'L', long, value_parser = ["trace", "debug", "info", "warn", "error", "off"])]
    log_level: Option<String>,
    /// Accepted; log messages are always written at once.
    #[arg(long)]
    log_flush: bool,
    /// Writes the frames of each interface to DIR/INTERFACE_in.pcap and DIR/INTERFACE_out.pcap; the next word is the
    /// directory unless it is an option, and without one it is the current directory.
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", value_parser = parse_directory)]
    pcap: Option<PathBuf>,
    /// Traces packets that a filter chooses, such as "in 1 dst 10.0.0.0/24 udp count 5 brief", on standard error.
    #[arg(long, value_name = "FILTER", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    trace: Option<TraceFilter>,
    /// Writes the trace to a file; JSON, one event a line, if its name ends in .json or .jsonl.
    #[arg(long, value_name = "FILE", requires = "trace")]
    trace_file: Option<PathBuf>,
    /// A Unix socket for `p4switch show` and `p4switch trace`.
    #[arg(long, value_name = "PATH")]
    management_socket: Option<PathBuf>,
    /// How frames are taken from interfaces. A ring falls back to messages where the kernel has none.
    #[arg(long, value_name = "WAY", value_enum, default_value_t)]
    receive_by: Receiving,
    /// The port of the Thrift services at 127.0.0.1, by which `simple_switch_CLI --thrift-port` finds this switch; by default 9090,
    /// if that is free.
    #[arg(long, value_name = "PORT")]
    pub(super) thrift_port: Option<u16>,
    /// Accepted and ignored.
    #[arg(long, value_name = "ADDRESS")]
    nanolog: Option<String>,
    /// Where digests are published for clients of --thrift-port, by nanomsg: ipc:///PATH.
    #[arg(long, value_name = "ADDRESS")]
    notifications_addr: Option<String>,
    /// Accepted and ignored.
    #[arg(long)]
    debugger: bool,
    /// Accepted and ignored.
    #[arg(long, value_name = "ADDRESS")]
    debugger_addr: Option<String>,
    /// Accepted and ignored.
    #[arg(long, value_name = "BYTES")]
    dump_packet_data: Option<u64>,
    /// Accepted and ignored.
    #[arg(long, value_name = "COUNT")]
    max_port_count: Option<u32>,
    /// Accepted and ignored.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    log_file_max_size: Option<u64>,
    /// Accepted and ignored.
    #[arg(long, value_name = "COUNT")]
    log_file_max_files: Option<u64>,
    /// Refused: only BMv2 reads the state that BMv2 has written.
    #[arg(long, value_name = "FILE", hide = true)]
    restore_state: Option<PathBuf>,
    /// Refused: `p4sim` and `p4test` take packets from files.
    #[arg(long, value_name = "SECONDS", hide = true)]
    use_files: Option<String>,
    /// Refused: `p4sim` takes packets from programs.
    #[arg(long, value_name = "ADDRESS", hide = true)]
    packet_in: Option<String>,
    /// The program: BMv2 JSON.
    #[arg(value_name = "FILE.json")]
    program: Option<PathBuf>,
    /// Ignored, as by BMv2.
    #[arg(hide = true)]
    more: Vec<String>,
    /// Options of the target.
    #[arg(last = true, value_name = "TARGET OPTIONS")]
    pub(super) target: Vec<String>,
}

/// The means by which frames come in.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Receiving {
    /// Memory shared with the kernel: 16 MiB for all interfaces, 1 to 8 for each.
    #[default]
    Ring,
    /// System calls, many frames each.
    Messages,
}

impl From<Receiving> for ReceiveBy {
    fn from(receiving: Receiving) -> Self {
        match receiving {
            Receiving::Ring => Self::Ring,
            Receiving::Messages => Self::Messages,
        }
    }
}

/// Options after `--`.
#[derive(Debug, Parser)]
#[command(name = "simple_switch_grpc [...] --", disable_version_flag = true, args_override_self = true)]
pub(super) struct TargetArguments {
    /// Where the P4Runtime server listens.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9559", value_parser = parse_address)]
    grpc_server_addr: SocketAddr,
    /// The port that leads to the controller; without it there are no packet-ins and packet-outs.
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    cpu_port: Option<u16>,
    /// The port number that means "drop".
    #[arg(long, value_name = "PORT", default_value_t = 511)]
    drop_port: u16,
    /// Number of strict-priority queues of each port.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    priority_queues: u8,
    /// Serves P4Runtime over TLS.
    #[arg(long, requires = "grpc_server_cert", requires = "grpc_server_key")]
    grpc_server_ssl: bool,
    /// The server's certificate (PEM).
    #[arg(long, value_name = "FILE")]
    grpc_server_cert: Option<PathBuf>,
    /// The server's private key (PEM).
    #[arg(long, value_name = "FILE")]
    grpc_server_key: Option<PathBuf>,
    /// Certificates of the authorities that sign clients' certificates (PEM).
    #[arg(long, value_name = "FILE")]
    grpc_server_cacert: Option<PathBuf>,
    /// Clients must show a certificate.
    #[arg(long)]
    grpc_server_with_client_auth: bool,
    /// Accepted and ignored: P4Runtime can always load another program.
    #[arg(long)]
    enable_swap: bool,
    /// Accepted and ignored.
    #[arg(long)]
    disable_swap: bool,
    /// Accepted and ignored: there is no such limit.
    #[arg(long, value_name = "COUNT")]
    max_mc_groups: Option<u32>,
    /// Accepted and ignored: there is no such limit.
    #[arg(long, value_name = "COUNT")]
    max_l1_entries: Option<u32>,
    /// Accepted and ignored: there is no such limit.
    #[arg(long, value_name = "COUNT")]
    max_l2_entries: Option<u32>,
    /// Accepted and ignored: there are no modules to load.
    #[arg(long, value_name = "FILE,...")]
    load_modules: Option<String>,
    /// Refused: packets come and go by interfaces.
    #[arg(long, value_name = "ADDRESS:PORT", hide = true)]
    dp_grpc_server_addr: Option<String>,
    /// Ignored, as by BMv2.
    #[arg(hide = true)]
    more: Vec<String>,
}

impl TargetArguments {
    fn tls(&self) -> Option<TlsConfig> {
        let (true, Some(certificate), Some(key)) =
            (self.grpc_server_ssl, self.grpc_server_cert.clone(), self.grpc_server_key.clone())
        else {
            return None;
        };
        let client_ca = self.grpc_server_cacert.clone().filter(|_| self.grpc_server_with_client_auth);
        Some(TlsConfig { certificate, key, client_ca })
    }
}

/// The declaration of its options.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// The declaration of the options after `--`.
pub fn target_command() -> clap::Command {
    TargetArguments::command()
}

/// Runs the command.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(said) = arguments.version_asked_for("simple_switch_grpc") {
        println!("{said}");
        return ExitCode::SUCCESS;
    }
    let (words, unknown) = known_words(&target_command(), &arguments.target);
    let program_name = OsString::from("simple_switch_grpc [...] --");
    let target = TargetArguments::parse_from(std::iter::once(program_name).chain(words));
    let run = || {
        let plan = plan(arguments, &target, &unknown)?;
        plan.run(|| tracing::info!(address = %target.grpc_server_addr, "ready"))
    };
    error::conclude("simple_switch_grpc", run())
}

impl Arguments {
    /// The output of `--version` and `--json-version`.
    pub(super) fn version_asked_for(&self, name: &str) -> Option<String> {
        if self.version {
            let own = env!("CARGO_PKG_VERSION");
            return Some(format!("1.15.5 (Nodectl P4 toolchain {own}, in place of p4lang's {name})"));
        }
        self.json_version.then(|| crate::JSON_VERSION.to_owned())
    }
}

/// The words of the target's command line without the options that it does not have, and those: BMv2 ignores them.
pub(super) fn known_words(command: &clap::Command, words: &[String]) -> (Vec<OsString>, Vec<String>) {
    let is_known = |word: &String| {
        let Some(name) = word.strip_prefix("--").map(|name| name.split_once('=').map_or(name, |(name, _)| name)) else {
            return !word.starts_with('-') || word == "-h";
        };
        name == "help" || command.get_arguments().any(|argument| argument.get_long() == Some(name))
    };
    let (known, unknown): (Vec<String>, Vec<String>) = words.iter().cloned().partition(is_known);
    (known.into_iter().map(OsString::from).collect(), unknown)
}

/// Options of BMv2 that change the behaviour of a switch and that this one does not have.
fn refused(arguments: &Arguments, target: &TargetArguments) -> Result<(), LaunchError> {
    let options = [
        (arguments.restore_state.is_some(), "--restore-state", "only BMv2 reads the state that BMv2 has written"),
        (arguments.use_files.is_some(), "--use-files", "p4sim and p4test take packets from files"),
        (
            arguments.packet_in.is_some(),
            "--packet-in",
            "packets come by interfaces (-i); p4sim takes them from programs",
        ),
        (target.dp_grpc_server_addr.is_some(), "--dp-grpc-server-addr", "packets come by interfaces (-i)"),
    ];
    match options.into_iter().find(|(given, ..)| *given) {
        Some((_, option, why)) => Err(LaunchError::Usage(format!("{option} is not supported: {why}"))),
        None if target.grpc_server_ssl
            && target.grpc_server_with_client_auth
            && target.grpc_server_cacert.is_none() =>
        {
            Err(LaunchError::Usage("--grpc-server-with-client-auth needs --grpc-server-cacert".into()))
        }
        None => Ok(()),
    }
}

/// The plan of the switch to run.
pub(super) fn plan(arguments: Arguments, target: &TargetArguments, unknown: &[String]) -> Result<Plan, LaunchError> {
    refused(&arguments, target)?;
    let quiet = !arguments.log_console && arguments.log_file.is_none();
    let level = if quiet { "warn" } else { arguments.log_level.as_deref().unwrap_or(logging::WITH_PACKETS) };
    let logs_packets = matches!(level, "trace" | "debug" | logging::WITH_PACKETS);
    logging::start(level, arguments.log_file.as_deref())?;
    for option in unknown {
        tracing::warn!(option, "ignored: the target has no such option");
    }
    for word in arguments.more.iter().chain(&target.more) {
        tracing::warn!(word, "ignored: there is one program; each interface needs its own -i");
    }
    if let Some(modules) = &target.load_modules {
        tracing::warn!(modules, "--load-modules is ignored: externs of modules are not supported");
    }
    if !target.grpc_server_ssl && (target.grpc_server_cert.is_some() || target.grpc_server_with_client_auth) {
        tracing::warn!("without --grpc-server-ssl there is no TLS, and no client is asked for a certificate");
    }
    let program = match (&arguments.program, arguments.no_p4) {
        (Some(path), false) => Some(program::load(path)?),
        (None, true) => None,
        (Some(path), true) => {
            tracing::warn!(program = %path.display(), "the program is ignored because of --no-p4");
            None
        }
        (None, false) => return Err(LaunchError::Usage("give the program (BMv2 JSON), or --no-p4".into())),
    };
    // As BMv2: test frameworks write frames to the very interface that the switch has.
    let any_port = AddedPorts {
        hear_outgoing: true,
        receive_by: arguments.receive_by.into(),
        egress: LinkConfig {
            priorities: target.priority_queues,
            queue: Some(QueueLimit::packets(QUEUE_PACKETS)),
            ..LinkConfig::default()
        },
        ingress: LinkConfig::default(),
    };
    let ports = arguments.interfaces.iter().map(|(port, interface)| PortConfig {
        port: *port,
        name: interface.clone(),
        attachment: Attachment::Interface {
            name: interface.clone(),
            hear_outgoing: any_port.hear_outgoing,
            receive_by: any_port.receive_by,
        },
        egress: any_port.egress.clone(),
        ingress: any_port.ingress.clone(),
        switch_side: None,
        capture: arguments.pcap.as_deref().map(|directory| CaptureConfig {
            incoming: directory.join(format!("{interface}_in.pcap")),
            outgoing: directory.join(format!("{interface}_out.pcap")),
        }),
    });
    let switch = SwitchPlan {
        name: format!("switch{}", arguments.device_id),
        device_id: arguments.device_id,
        grpc_addr: Some(target.grpc_server_addr),
        thrift_port: None,
        tls: target.tls(),
        cpu_port: target.cpu_port,
        drop_port: target.drop_port,
        seed: 0,
        program,
        ports: ports.collect(),
        added_ports: Some(any_port.clone()),
    };
    let chosen = arguments.trace.map(|filter| TracePlan { filter, to: TraceTo::of(arguments.trace_file) });
    let trace = chosen.or_else(|| logs_packets.then(TracePlan::everything_in_log));
    let thrift_port = Some(arguments.thrift_port.map_or(ThriftPort::Default, ThriftPort::Given));
    let management_sockets = arguments.management_socket.into_iter().collect();
    let notifications = arguments.notifications_addr;
    Ok(Plan { switches: vec![switch], management_sockets, thrift_port, notifications, samples: None, trace })
}

fn parse_interface(text: &str) -> Result<(u16, String), String> {
    let (port, interface) = text.split_once('@').ok_or("expected PORT@INTERFACE, such as 1@veth1")?;
    let port = port.parse().map_err(|_| format!("{port:?} is not a port number"))?;
    if interface.is_empty() {
        return Err("the interface name is missing".into());
    }
    Ok((port, interface.to_owned()))
}

fn parse_directory(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err(format!("the directory {text:?} does not exist")) }
}

fn parse_address(text: &str) -> Result<SocketAddr, String> {
    // Host names such as localhost are taken, as gRPC takes them.
    let mut addresses = text.to_socket_addrs().map_err(|_| "expected ADDRESS:PORT, such as 127.0.0.1:9559")?;
    addresses.next().ok_or_else(|| "this name has no address".into())
}
