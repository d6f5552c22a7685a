//! Arbitrary and damaged P4Runtime requests, and arbitrary bytes, at a running server of this process.
//!
//! A find is a panic anywhere in the process, a request without an answer, or a status that tells of a fault.

use std::net::SocketAddr;
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use engine::{Engine, EngineConfig, SwitchConfig};
use p4runtime::{ServerConfig, ServerHandle, serve};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, Value};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};

use crate::calls::call;
use crate::messages::{damage, fill};
use crate::random::Random;
use crate::{Find, Limits, rounds};

pub(crate) const DEVICE: u64 = 1;
/// The RPCs, with the messages they take; some come more often.
const RPCS: [(&str, &str); 9] = [
    ("Write", "WriteRequest"),
    ("Write", "WriteRequest"),
    ("Write", "WriteRequest"),
    ("Read", "ReadRequest"),
    ("Read", "ReadRequest"),
    ("StreamChannel", "StreamMessageRequest"),
    ("SetForwardingPipelineConfig", "SetForwardingPipelineConfigRequest"),
    ("GetForwardingPipelineConfig", "GetForwardingPipelineConfigRequest"),
    ("Capabilities", "CapabilitiesRequest"),
];

static PANICS: AtomicU64 = AtomicU64::new(0);

/// A program: BMv2 JSON and P4Info as text.
#[derive(Debug, Clone)]
pub struct Config {
    /// BMv2 JSON.
    pub json: String,
    /// P4Info in protobuf's text format.
    pub p4info: String,
}

impl Config {
    /// Compiles a P4 program.
    ///
    /// # Errors
    /// The compiler's messages.
    pub fn compile(name: &str, source: &str) -> Result<Self, String> {
        use p4c_driver::compile::{Settings, Verdict, text};
        let compilation = text(name, source, &Settings::default());
        let Verdict::Compiled(program) = compilation.verdict else { return Err(compilation.messages) };
        let p4info = p4_bmv2::p4info::text(&program.control_plane).map_err(|error| error.to_string())?;
        Ok(Self { json: p4_bmv2::json::program(&program).to_string(), p4info })
    }
}

/// The input of a round.
#[derive(Debug, Clone)]
enum Input {
    /// Messages of one RPC; only a stream takes more than one.
    Rpc(&'static str, Vec<Bytes>),
    /// Bytes on a connection of its own.
    Bytes(Vec<u8>),
}

/// Sends requests to a server that runs the program.
///
/// # Errors
/// The first find, or a server that does not start. A find depends on the rounds before it: repeat all of them.
pub fn run(config: &Config, seed: u64, limits: &Limits) -> Result<u64, Find> {
    let fault = |what: String| Find { round: limits.rounds.start, what, input: String::new() };
    let maker = Maker::new(config).map_err(fault)?;
    let runtime = Runtime::new().map_err(|error| fault(error.to_string()))?;
    let target = runtime.block_on(Target::start()).map_err(fault)?;
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        previous(info);
    }));
    let round = |number: u64| {
        let before = PANICS.load(Ordering::Relaxed);
        let result = runtime.block_on(async {
            if number.is_multiple_of(64) {
                // Others do not get far without a program.
                target.call("SetForwardingPipelineConfig", vec![maker.good.encode_to_vec().into()]).await?;
            }
            match maker.input(seed, number) {
                Input::Rpc(rpc, messages) => target.call(rpc, messages).await?,
                Input::Bytes(bytes) => target.bytes(&bytes).await?,
            }
            target.call("Capabilities", vec![Bytes::new()]).await
        });
        match PANICS.load(Ordering::Relaxed) - before {
            0 => result,
            count => Err(format!("{count} panics (their messages are above)")),
        }
    };
    let result = rounds(limits, round, |number| format!("{:?}", maker.input(seed, number)));
    let _ = panic::take_hook();
    runtime.block_on(target.server.shutdown());
    result
}

/// Makes requests.
pub(crate) struct Maker {
    /// The types of messages.
    pub(crate) pool: DescriptorPool,
    /// A request that sets the program.
    pub(crate) good: DynamicMessage,
    /// The ids of the program's objects.
    pub(crate) ids: Vec<u32>,
}

impl Maker {
    pub(crate) fn new(config: &Config) -> Result<Self, String> {
        let pool = DescriptorPool::decode(p4runtime_proto::DESCRIPTORS).map_err(|e| e.to_string())?;
        let message = |name: &str| pool.get_message_by_name(name).ok_or_else(|| format!("there is no message {name}"));
        let p4info = DynamicMessage::parse_text_format(message("p4.config.v1.P4Info")?, &config.p4info);
        let p4info = p4info.map_err(|error| format!("the P4Info cannot be read: {error}"))?;
        let mut ids = Vec::new();
        preamble_ids(&Value::Message(p4info.clone()), &mut ids);
        let mut pipeline = DynamicMessage::new(message("p4.v1.ForwardingPipelineConfig")?);
        pipeline.set_field_by_name("p4info", Value::Message(p4info));
        pipeline.set_field_by_name("p4_device_config", Value::Bytes(config.json.clone().into()));
        let mut good = DynamicMessage::new(message("p4.v1.SetForwardingPipelineConfigRequest")?);
        good.set_field_by_name("device_id", Value::U64(DEVICE));
        good.set_field_by_name("action", Value::EnumNumber(3));
        good.set_field_by_name("config", Value::Message(pipeline));
        Ok(Self { pool, good, ids })
    }

    fn input(&self, seed: u64, round: u64) -> Input {
        let mut random = Random::of_round(seed, round);
        if random.one_in(16) {
            return Input::Bytes(connection(&mut random));
        }
        let (rpc, kind) = RPCS[random.below(RPCS.len())];
        let count = if rpc == "StreamChannel" { 1 + random.below(8) } else { 1 };
        Input::Rpc(rpc, (0..count).map(|nth| self.message(kind, nth, &mut random)).collect())
    }

    fn message(&self, kind: &str, nth: usize, random: &mut Random) -> Bytes {
        let Some(descriptor) = self.pool.get_message_by_name(&format!("p4.v1.{kind}")) else { return Bytes::new() };
        let mut message = if kind.starts_with("SetForwarding") && !random.one_in(8) {
            let mut message = self.good.clone();
            (0..random.below(4)).for_each(|_| damage(&mut message, &self.ids, random, 0));
            message
        } else {
            fill(&descriptor, &self.ids, random, 0)
        };
        if !random.one_in(16) {
            // Else nearly all end at the first checks.
            message.try_set_field_by_name("device_id", Value::U64(DEVICE)).unwrap_or_default();
            message.clear_field_by_name("role_id");
            message.clear_field_by_name("role");
            message.clear_field_by_name("election_id");
        }
        if nth == 0 && kind == "StreamMessageRequest" && !random.one_in(4) {
            return primary();
        }
        let mut bytes = message.encode_to_vec();
        if random.one_in(6) {
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
        bytes.into()
    }
}

/// Asks to be primary with the highest election id.
fn primary() -> Bytes {
    use p4runtime_proto::runtime;
    let election_id = Some(runtime::Uint128 { high: u64::MAX, low: u64::MAX });
    let update = runtime::MasterArbitrationUpdate { device_id: DEVICE, election_id, ..Default::default() };
    let update = Some(runtime::stream_message_request::Update::Arbitration(update));
    runtime::StreamMessageRequest { update }.encode_to_vec().into()
}

/// All ids in preambles.
fn preamble_ids(value: &Value, ids: &mut Vec<u32>) {
    match value {
        Value::Message(message) => {
            for (field, inner) in message.fields() {
                match inner {
                    Value::U32(id) if field.name() == "id" => ids.push(*id),
                    inner => preamble_ids(inner, ids),
                }
            }
        }
        Value::List(items) => items.iter().for_each(|item| preamble_ids(item, ids)),
        _ => {}
    }
}

/// Bytes from a client of no known protocol, or from one that begins with HTTP/2's preface and settings.
fn connection(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    if !random.one_in(3) {
        bytes.extend(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    }
    for _ in 0..random.below(6) {
        // A frame: length, type, flags, stream.
        let length = random.below(40);
        let kind = random.below(11) as u8;
        bytes.extend([0, 0, length as u8, kind, random.draw() as u8, 0, 0, 0, random.below(4) as u8]);
        bytes.extend(random.bytes(length));
    }
    bytes
}

/// The configuration of the server.
pub(crate) const SERVER: ServerConfig = ServerConfig { device_id: DEVICE, cpu_port: CPU_PORT, tls: None };
const CPU_PORT: Option<u16> = Some(510);

/// A switch without ports.
pub(crate) fn engine() -> Result<Engine, String> {
    let settings = v1model::SwitchConfig { cpu_port: CPU_PORT, ..v1model::SwitchConfig::default() };
    let switch = v1model::Switch::new(settings);
    let name = "s1".to_owned();
    let switch =
        SwitchConfig { name, device_id: DEVICE, cpu_port: CPU_PORT, switch, ports: Vec::new(), added_ports: None };
    let config = EngineConfig { switches: vec![switch], samples: None, realtime: false };
    Engine::start(config).map_err(|error| error.to_string())
}

/// The server and a client of it.
struct Target {
    server: ServerHandle,
    channel: Channel,
    address: SocketAddr,
    /// Runs as long as it is kept.
    _engine: Engine,
}

impl Target {
    async fn start() -> Result<Self, String> {
        let engine = engine()?;
        let server = serve(SocketAddr::from(([127, 0, 0, 1], 0)), SERVER, engine.handle()).await;
        let server = server.map_err(|error| error.to_string())?;
        let address = server.local_addr();
        let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(|error| error.to_string())?;
        let channel = endpoint.connect().await.map_err(|error| error.to_string())?;
        Ok(Self { server, channel, address, _engine: engine })
    }

    async fn call(&self, rpc: &'static str, messages: Vec<Bytes>) -> Result<(), String> {
        call(self.channel.clone(), rpc, tokio_stream::iter(messages)).await.map(drop)
    }

    /// Sends bytes on a new connection and takes what comes until a moment later.
    async fn bytes(&self, bytes: &[u8]) -> Result<(), String> {
        let mut stream = TcpStream::connect(self.address).await.map_err(|error| error.to_string())?;
        // The server may have closed the connection already.
        let _ = stream.write_all(bytes).await;
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let _ = tokio::time::timeout(Duration::from_millis(20), stream.read_to_end(&mut answer)).await;
        Ok(())
    }
}
