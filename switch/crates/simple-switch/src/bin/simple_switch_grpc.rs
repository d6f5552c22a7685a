//! BMv2's `simple_switch_grpc` command line, for scripts that start it.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use engine::{Attachment, CaptureConfig, LinkConfig, PortConfig};
use p4runtime::TlsConfig;
use simple_switch::launch::{Plan, SwitchPlan};
use simple_switch::{LaunchError, TracePlan, error, logging, program};
use v1model::TraceFilter;

/// A v1model P4 switch with P4Runtime, with the command line of BMv2's simple_switch_grpc.
#[derive(Debug, Parser)]
#[command(name = "simple_switch_grpc", version, after_help = "Options of the target come after `--`; see `-- --help`.")]
struct Arguments {
    /// Connects an existing network interface to a port; may be given several times.
    #[arg(short = 'i', long = "interface", value_name = "PORT@INTERFACE", value_parser = parse_interface)]
    interfaces: Vec<(u16, String)>,
    /// P4Runtime device id.
    #[arg(long, default_value_t = 0)]
    device_id: u64,
    /// Starts without a program; P4Runtime sets it.
    #[arg(long)]
    no_p4: bool,
    /// Logs to the console (standard error).
    #[arg(long)]
    log_console: bool,
    /// Logs to a file.
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
    /// Least important level that is logged.
    #[arg(short = 'L', long, default_value = "info", value_parser = ["trace", "debug", "info", "warn", "error", "off"])]
    log_level: String,
    /// Accepted; log messages are always written at once.
    #[arg(long)]
    log_flush: bool,
    /// Writes what goes through each interface to DIR/INTERFACE_in.pcap and DIR/INTERFACE_out.pcap.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
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
    /// Accepted and ignored: there is no Thrift server, use P4Runtime.
    #[arg(long, value_name = "PORT")]
    thrift_port: Option<u16>,
    /// Accepted and ignored.
    #[arg(long, value_name = "ADDRESS")]
    nanolog: Option<String>,
    /// Accepted and ignored.
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
    #[arg(long, value_name = "MEGABYTES")]
    log_file_max_size: Option<u64>,
    /// Accepted and ignored.
    #[arg(long, value_name = "COUNT")]
    log_file_max_files: Option<u64>,
    /// Accepted and ignored.
    #[arg(long, value_name = "FILE")]
    restore_state: Option<PathBuf>,
    /// The program: BMv2 JSON.
    #[arg(value_name = "FILE.json")]
    program: Option<PathBuf>,
    /// Ignored, as by BMv2.
    #[arg(hide = true)]
    more: Vec<String>,
    /// Options of the target.
    #[arg(last = true, value_name = "TARGET OPTIONS")]
    target: Vec<String>,
}

/// Options after `--`.
#[derive(Debug, Parser)]
#[command(name = "simple_switch_grpc [...] --", version)]
struct TargetArguments {
    /// Where the P4Runtime server listens.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9559", value_parser = parse_address)]
    grpc_server_addr: SocketAddr,
    /// The port that leads to the controller; without it there are no packet-ins and packet-outs.
    #[arg(long, value_name = "PORT")]
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
    #[arg(long, requires = "grpc_server_cacert")]
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

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let program_name = "simple_switch_grpc [...] --".to_owned();
    let target = TargetArguments::parse_from(std::iter::once(program_name).chain(arguments.target.iter().cloned()));
    error::conclude("simple_switch_grpc", run(arguments, &target))
}

fn run(arguments: Arguments, target: &TargetArguments) -> Result<(), LaunchError> {
    let quiet = !arguments.log_console && arguments.log_file.is_none();
    logging::start(if quiet { "warn" } else { &arguments.log_level }, arguments.log_file.as_deref())?;
    if let Some(port) = arguments.thrift_port {
        tracing::warn!(port, "--thrift-port is ignored: there is no Thrift server; use P4Runtime");
    }
    for word in &arguments.more {
        tracing::warn!(word, "ignored: there is one program; each interface needs its own -i");
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
    let link = LinkConfig { priorities: target.priority_queues, ..LinkConfig::default() };
    let ports = arguments.interfaces.iter().map(|(port, interface)| PortConfig {
        port: *port,
        name: interface.clone(),
        // As BMv2: test frameworks write frames to the very interface that the switch has.
        attachment: Attachment::Interface { name: interface.clone(), hear_outgoing: true },
        egress: link.clone(),
        ingress: LinkConfig::default(),
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
        tls: target.tls(),
        cpu_port: target.cpu_port,
        drop_port: target.drop_port,
        seed: 0,
        program,
        ports: ports.collect(),
    };
    let trace = arguments.trace.map(|filter| TracePlan { filter, file: arguments.trace_file });
    let plan = Plan { switches: vec![switch], management_socket: arguments.management_socket, samples: None, trace };
    plan.run(|| {
        tracing::info!(address = %target.grpc_server_addr, "ready");
    })
}

fn parse_interface(text: &str) -> Result<(u16, String), String> {
    let (port, interface) = text.split_once('@').ok_or("expected PORT@INTERFACE, such as 1@veth1")?;
    let port = port.parse().map_err(|_| format!("{port:?} is not a port number"))?;
    if interface.is_empty() {
        return Err("the interface name is missing".into());
    }
    Ok((port, interface.to_owned()))
}

fn parse_address(text: &str) -> Result<SocketAddr, String> {
    // Host names such as localhost are taken, as gRPC takes them.
    let mut addresses = text.to_socket_addrs().map_err(|_| "expected ADDRESS:PORT, such as 127.0.0.1:9559")?;
    addresses.next().ok_or_else(|| "this name has no address".into())
}
