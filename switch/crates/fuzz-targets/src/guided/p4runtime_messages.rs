//! P4Runtime messages at a server without sockets: each is answered, and not with a fault.
//!
//! An input is a number of records. A record has its kind ([`Kind`]), the length in two bytes (the higher one last),
//! and the message. All stream messages of an input come by one stream, which stays open to its end. A client that has
//! become primary therefore writes as primary. Before them the server gets the testbed's program.

use std::sync::OnceLock;

use bytes::Bytes;
use engine::Engine;
use p4runtime::Endpoint;
use p4runtime_proto::runtime;
use prost::Message as _;
use prost_reflect::DynamicMessage;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;

use crate::calls::call;
use crate::grpc::{Config, DEVICE, Maker, SERVER, engine};
use crate::messages::{damage, fill};
use crate::random::Random;

/// Records of one input.
const MOST_RECORDS: usize = 24;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A request of this RPC, with the name of its message.
    Rpc(&'static str, &'static str),
    /// A message of the stream.
    Stream,
    /// Sets the testbed's program; the first byte is the action.
    Program,
}

/// Kinds by their number.
const KINDS: [Kind; 8] = [
    Kind::Rpc("Write", "WriteRequest"),
    Kind::Rpc("Write", "WriteRequest"),
    Kind::Rpc("Read", "ReadRequest"),
    Kind::Rpc("SetForwardingPipelineConfig", "SetForwardingPipelineConfigRequest"),
    Kind::Rpc("GetForwardingPipelineConfig", "GetForwardingPipelineConfigRequest"),
    Kind::Rpc("Capabilities", "CapabilitiesRequest"),
    Kind::Stream,
    Kind::Program,
];

/// Gives the server the input's messages, then looks whether all it has can be read.
pub fn target(data: &[u8]) {
    let bench = bench();
    if let Err(what) = bench.runtime.block_on(bench.run(data)) {
        panic!("{what}");
    }
}

/// An input with some records taken out, repeated, exchanged or put in, or with messages changed field by field.
pub fn mutated(data: &[u8], seed: u32) -> Vec<u8> {
    let maker = &bench().maker;
    let mut random = Random::of_round(seed.into(), 1);
    let mut records: Vec<(u8, Vec<u8>)> = records(data).map(|(number, bytes)| (number, bytes.to_vec())).collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(records.len());
        match (random.below(8), records.get_mut(at)) {
            (0, Some(_)) => drop(records.remove(at)),
            (1, Some(record)) => {
                let copy = record.clone();
                records.push(copy);
            }
            (2, Some(_)) => {
                let other = random.below(records.len());
                records.swap(at, other);
            }
            (3, _) | (_, None) => {
                let number = random.below(KINDS.len()) as u8;
                records.insert(at, (number, message(maker, kind(number), None, &mut random)));
            }
            (_, Some((number, bytes))) => *bytes = message(maker, kind(*number), Some(bytes), &mut random),
        }
    }
    records.iter().flat_map(|(number, bytes)| written(*number, bytes)).collect()
}

/// A record as bytes.
pub fn written(number: u8, message: &[u8]) -> Vec<u8> {
    let length = u16::try_from(message.len()).unwrap_or(u16::MAX);
    let mut record = vec![number];
    record.extend(length.to_le_bytes());
    record.extend(&message[..length.into()]);
    record
}

/// The records of an input; the last one may be cut off.
fn records(mut data: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let next = move || {
        let [number, low, high, rest @ ..] = data else { return None };
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (message, rest) = rest.split_at(length);
        data = rest;
        Some((*number, message))
    };
    std::iter::from_fn(next).take(MOST_RECORDS)
}

fn kind(number: u8) -> Kind {
    KINDS[usize::from(number) % KINDS.len()]
}

/// A message of this kind: arbitrary, or the given one changed.
fn message(maker: &Maker, kind: Kind, old: Option<&[u8]>, random: &mut Random) -> Vec<u8> {
    let name = match kind {
        Kind::Rpc(_, name) => name,
        Kind::Stream => "StreamMessageRequest",
        Kind::Program => return vec![random.below(6) as u8],
    };
    let Some(descriptor) = maker.pool.get_message_by_name(&format!("p4.v1.{name}")) else { return Vec::new() };
    let old = old.and_then(|bytes| DynamicMessage::decode(descriptor.clone(), bytes).ok());
    let mut message = match old {
        Some(mut message) => {
            damage(&mut message, &maker.ids, random, 0);
            message
        }
        None => fill(&descriptor, &maker.ids, random, 0),
    };
    if !random.one_in(16) {
        // Else nearly all end at the first check. A stream message has no such field.
        let _ = message.try_set_field_by_name("device_id", prost_reflect::Value::U64(DEVICE));
    }
    message.encode_to_vec()
}

/// The objects that are made once for all inputs.
struct Bench {
    runtime: Runtime,
    engine: Engine,
    maker: Maker,
}

/// It cannot be made in a test only if the testbed's program is wrong.
fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let program = include_str!("../../../../../tests/p4runtime/testbed.p4");
        let make = || {
            let config = Config::compile("testbed.p4", program)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
            Ok::<_, String>(Bench {
                runtime: runtime.map_err(|error| error.to_string())?,
                engine: engine()?,
                maker: Maker::new(&config)?,
            })
        };
        make().unwrap_or_else(|why| panic!("the server does not start: {why}"))
    })
}

impl Bench {
    /// The request that sets the testbed's program with this action.
    fn program(&self, action: u8) -> Bytes {
        let mut request = self.maker.good.clone();
        request.set_field_by_name("action", prost_reflect::Value::EnumNumber(action.into()));
        request.encode_to_vec().into()
    }

    async fn run(&self, data: &[u8]) -> Result<(), String> {
        let endpoint = Endpoint::new(&SERVER, self.engine.handle()).map_err(|error| error.to_string())?;
        let one = |rpc, message: Bytes| call(endpoint.service(), rpc, tokio_stream::iter([message]));
        let commit = runtime::set_forwarding_pipeline_config_request::Action::VerifyAndCommit as u8;
        let set = one("SetForwardingPipelineConfig", self.program(commit)).await?;
        set.map_err(|status| format!("the program is refused: {status:?}"))?;
        let (sender, receiver) = mpsc::unbounded_channel();
        let stream = tokio::spawn(call(endpoint.service(), "StreamChannel", UnboundedReceiverStream::new(receiver)));
        for (number, message) in records(data) {
            let message = Bytes::copy_from_slice(message);
            match kind(number) {
                Kind::Rpc(rpc, _) => drop(one(rpc, message).await?),
                // A stream that has been ended by the server takes nothing more.
                Kind::Stream => drop(sender.send(message)),
                Kind::Program => {
                    let action = message.first().copied().unwrap_or(commit);
                    drop(one("SetForwardingPipelineConfig", self.program(action)).await?);
                }
            }
            // The stream has its turn, too.
            drop(one("Capabilities", Bytes::new()).await?);
        }
        let read = one("Read", everything()).await?;
        drop(sender);
        drop(stream.await.map_err(|error| error.to_string())??);
        read.map(drop).map_err(|status| format!("not everything can be read: {status:?}"))
    }
}

/// Asks for all entities of the kinds that can be asked for so.
fn everything() -> Bytes {
    use runtime::entity::Entity;
    let entities = [
        Entity::TableEntry(runtime::TableEntry::default()),
        Entity::ActionProfileMember(runtime::ActionProfileMember::default()),
        Entity::ActionProfileGroup(runtime::ActionProfileGroup::default()),
        Entity::CounterEntry(runtime::CounterEntry::default()),
        Entity::MeterEntry(runtime::MeterEntry::default()),
        Entity::RegisterEntry(runtime::RegisterEntry::default()),
    ];
    let entities = entities.into_iter().map(|entity| runtime::Entity { entity: Some(entity) }).collect();
    runtime::ReadRequest { device_id: DEVICE, entities, ..Default::default() }.encode_to_vec().into()
}
