//! The real BMv2 as a test's switch: `simple_switch_grpc` from PATH, table entries and the like by P4Runtime.
//!
//! Packets go in and come out by its data plane gRPC service, so neither interfaces nor root are needed, and packets may
//! have any length. When the client closes its half of a packet stream, BMv2 finishes all packets before it ends the
//! stream: one stream a packet gives exactly what came of it.

use std::fs::File;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use p4runtime_proto::config::P4Info;
use p4runtime_proto::runtime::{self as p4, entity::Entity, update::Type};
use p4sim::Sent;
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};
use v1model::{
    ActionCall, ActionSpec, CloneSession, CounterId, CounterValue, MeterConfig, MeterId, MulticastGroup, RegisterId,
    TableEntry, TableInfo,
};

use crate::bmv2_messages as messages;
use crate::compile::Compiled;
use crate::target::Target;

const DEVICE_ID: u64 = 1;
const START: Duration = Duration::from_secs(20);
const ANSWER: Duration = Duration::from_secs(20);
const WAIT: Duration = Duration::from_secs(1);
const PACKET_STREAM: &str = "/p4.bm.DataplaneInterface/PacketStream";

/// A running `simple_switch_grpc` with the test's program. It ends when this is dropped.
pub struct Bmv2 {
    process: Child,
    runtime: Runtime,
    control: p4::p4_runtime_client::P4RuntimeClient<Channel>,
    data: Channel,
    /// Keeps this client the primary one.
    _stream: tokio::sync::mpsc::Sender<p4::StreamMessageRequest>,
    _answers: tonic::Streaming<p4::StreamMessageResponse>,
    info: P4Info,
    program: std::sync::Arc<v1model::Program>,
    members: u32,
    _folder: tempfile::TempDir,
}

/// A packet of the data plane service, either way.
#[derive(Clone, PartialEq, prost::Message)]
struct Packet {
    #[prost(uint64, tag = "2")]
    device_id: u64,
    #[prost(uint32, tag = "3")]
    port: u32,
    #[prost(bytes = "vec", tag = "4")]
    packet: Vec<u8>,
}

/// Ends the process if the start fails half way.
struct Started(Option<Child>);

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(process) = &mut self.0 {
            end(process);
        }
    }
}

impl Bmv2 {
    /// Starts BMv2 and puts the program in.
    ///
    /// # Errors
    /// It is not on PATH, does not start, or refuses the program; for people.
    pub fn start(compiled: &Compiled) -> Result<Self, String> {
        let info = compiled.p4info.as_deref();
        let info = info.ok_or("BMv2 is set up by P4Runtime, which needs a P4Info: give the P4 source, or put PROGRAM.p4info.txtpb beside PROGRAM.json")?;
        let info = messages::parse_p4info(info)?;
        let command = find()?;
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let log = folder.path().join("bmv2.log");
        let open = || File::create(&log).map_err(|e| e.to_string());
        let (control, data) = (free_address()?, free_address()?);
        let process = Command::new(&command)
            .args(["--no-p4", "--log-level", "off", "--device-id", &DEVICE_ID.to_string(), "--"])
            .args(["--grpc-server-addr", &control, "--dp-grpc-server-addr", &data])
            .stdin(Stdio::null())
            .stdout(open()?)
            .stderr(Stdio::null())
            .spawn();
        let process = process.map_err(|e| format!("cannot run {}: {e}", command.display()))?;
        let mut started = Started(Some(process));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
        let connect = |address: &str| runtime.block_on(connect(format!("http://{address}")));
        let (control, data) = (connect(&control)?, connect(&data)?);
        let mut control = p4::p4_runtime_client::P4RuntimeClient::new(control);
        let (stream, requests) = tokio::sync::mpsc::channel(1);
        let config = p4::ForwardingPipelineConfig {
            p4info: Some(info.clone()),
            p4_device_config: compiled.json.clone().into_bytes().into(),
            cookie: None,
        };
        let answers = runtime.block_on(async {
            let arbitration = p4::MasterArbitrationUpdate {
                device_id: DEVICE_ID,
                election_id: election_id(),
                ..p4::MasterArbitrationUpdate::default()
            };
            let update = Some(p4::stream_message_request::Update::Arbitration(arbitration));
            let _ = stream.send(p4::StreamMessageRequest { update }).await;
            let requests = tokio_stream::wrappers::ReceiverStream::new(requests);
            let mut answers = control.stream_channel(requests).await.map_err(said)?.into_inner();
            answers.message().await.map_err(said)?.ok_or("BMv2 closed the P4Runtime stream")?;
            let request = p4::SetForwardingPipelineConfigRequest {
                device_id: DEVICE_ID,
                election_id: election_id(),
                action: p4::set_forwarding_pipeline_config_request::Action::VerifyAndCommit.into(),
                config: Some(config),
                ..p4::SetForwardingPipelineConfigRequest::default()
            };
            let set = control.set_forwarding_pipeline_config(request).await;
            set.map_err(|e| format!("BMv2 refuses the program: {}", said(e)))?;
            Ok::<_, String>(answers)
        })?;
        let process = started.0.take().ok_or("BMv2 has gone")?;
        let program = std::sync::Arc::clone(&compiled.program);
        let (_stream, _answers, _folder) = (stream, answers, folder);
        Ok(Self { process, runtime, control, data, _stream, _answers, info, program, members: 0, _folder })
    }

    fn write(&mut self, kind: Type, entity: Entity) -> Result<(), String> {
        let entity = Some(p4::Entity { entity: Some(entity) });
        let request = p4::WriteRequest {
            device_id: DEVICE_ID,
            election_id: election_id(),
            updates: vec![p4::Update { r#type: kind.into(), entity }],
            ..p4::WriteRequest::default()
        };
        self.runtime.block_on(self.control.write(request)).map(drop).map_err(said)
    }

    fn replace(&mut self, entity: &Entity) -> Result<(), String> {
        // An entity that is not there yet cannot be deleted, and that is no mistake.
        let _ = self.write(Type::Delete, entity.clone());
        self.write(Type::Insert, entity.clone())
    }

    fn read(&mut self, entity: Entity) -> Result<Vec<Entity>, String> {
        let entities = vec![p4::Entity { entity: Some(entity) }];
        let request = p4::ReadRequest { device_id: DEVICE_ID, entities, ..p4::ReadRequest::default() };
        self.runtime.block_on(async {
            let mut found = Vec::new();
            let mut answers = self.control.read(request).await.map_err(said)?.into_inner();
            while let Some(answer) = answers.message().await.map_err(said)? {
                found.extend(answer.entities.into_iter().filter_map(|entity| entity.entity));
            }
            Ok(found)
        })
    }

    fn table_id(&self, table: &TableInfo) -> Result<u32, String> {
        messages::id(&self.info.tables, |t| t.preamble.as_ref(), &table.name)
    }

    /// The action of an entry: itself, or as a member of the table's action profile.
    fn table_action(&mut self, table: &TableInfo, call: &ActionCall) -> Result<p4::TableAction, String> {
        let action = messages::action(&self.info, &self.program, call)?;
        let described = self.info.tables.iter().find(|t| t.preamble.as_ref().is_some_and(|p| p.name == table.name));
        let profile = described.map_or(0, |table| table.implementation_id);
        if profile == 0 {
            return Ok(p4::TableAction { r#type: Some(p4::table_action::Type::Action(action)) });
        }
        self.members += 1;
        let member =
            p4::ActionProfileMember { action_profile_id: profile, member_id: self.members, action: Some(action) };
        self.write(Type::Insert, Entity::ActionProfileMember(member))?;
        Ok(p4::TableAction { r#type: Some(p4::table_action::Type::ActionProfileMemberId(self.members)) })
    }

    fn counter_entry(&self, counter: CounterId, index: usize) -> Result<p4::CounterEntry, String> {
        let known = self.program.counters().get(counter.0 as usize).ok_or("there is no such counter")?;
        let counter_id = messages::id(&self.info.counters, |c| c.preamble.as_ref(), &known.name);
        let counter_id = counter_id.map_err(|e| format!("{e} (a direct counter has no cells by index)"))?;
        Ok(p4::CounterEntry { counter_id, index: cell(index), data: None })
    }
}

impl Target for Bmv2 {
    fn packet(&mut self, port: u16, data: &[u8]) -> Result<Vec<Sent>, String> {
        let packet = Packet { device_id: DEVICE_ID, port: port.into(), packet: data.to_vec() };
        let exchange = async {
            let mut client = tonic::client::Grpc::new(self.data.clone());
            client.ready().await.map_err(|e| e.to_string())?;
            let mut answers = loop {
                let request = tonic::Request::new(tokio_stream::once(packet.clone()));
                let path = tonic::codegen::http::uri::PathAndQuery::from_static(PACKET_STREAM);
                let codec = tonic_prost::ProstCodec::<Packet, Packet>::default();
                match client.streaming(request, path, codec).await {
                    Ok(answers) => break answers.into_inner(),
                    // It listens before it is ready for packets, and has then not taken this one.
                    Err(status) if status.code() == tonic::Code::Unavailable => {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        client.ready().await.map_err(|e| e.to_string())?;
                    }
                    Err(status) => return Err(said(status)),
                }
            };
            let mut sent = Vec::new();
            while let Some(packet) = answers.message().await.map_err(said)? {
                sent.push(Sent { port: u16::try_from(packet.port).unwrap_or(u16::MAX), data: packet.packet });
            }
            Ok::<_, String>(sent)
        };
        let limited = async { tokio::time::timeout(ANSWER, exchange).await };
        let answer = self.runtime.block_on(limited);
        answer.map_err(|_| "BMv2 has not finished the packet in time (does it go round for ever?)".to_owned())?
    }

    fn insert(&mut self, table: &TableInfo, entry: TableEntry) -> Result<(), String> {
        let ActionSpec::Call(call) = &entry.action else { return Err("the entry has no action".into()) };
        let message = p4::TableEntry {
            table_id: self.table_id(table)?,
            r#match: messages::key(&self.info, table, &entry.key)?,
            action: Some(self.table_action(table, call)?),
            // P4Runtime wants a priority above 0 where there are priorities, and none where there are none.
            priority: if table.has_priority { entry.priority.max(1) } else { 0 },
            ..p4::TableEntry::default()
        };
        self.write(Type::Insert, Entity::TableEntry(message))
    }

    fn set_default(&mut self, table: &TableInfo, call: ActionCall) -> Result<(), String> {
        let message = p4::TableEntry {
            table_id: self.table_id(table)?,
            action: Some(self.table_action(table, &call)?),
            is_default_action: true,
            ..p4::TableEntry::default()
        };
        self.write(Type::Modify, Entity::TableEntry(message))
    }

    fn clear(&mut self, table: &TableInfo) -> Result<(), String> {
        let all = p4::TableEntry { table_id: self.table_id(table)?, ..p4::TableEntry::default() };
        for entity in self.read(Entity::TableEntry(all))? {
            if !matches!(&entity, Entity::TableEntry(entry) if entry.is_const || entry.is_default_action) {
                self.write(Type::Delete, entity)?;
            }
        }
        Ok(())
    }

    fn counter(&mut self, counter: CounterId, index: usize) -> Result<CounterValue, String> {
        let wanted = Entity::CounterEntry(self.counter_entry(counter, index)?);
        let found = self.read(wanted)?.into_iter().find_map(|entity| match entity {
            Entity::CounterEntry(entry) => entry.data,
            _ => None,
        });
        let data = found.ok_or("BMv2 gives no value")?;
        let number = |value: i64| u64::try_from(value).unwrap_or_default();
        Ok(CounterValue { packets: number(data.packet_count), bytes: number(data.byte_count) })
    }

    fn set_counter(&mut self, counter: CounterId, index: usize, value: CounterValue) -> Result<(), String> {
        let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let mut entry = self.counter_entry(counter, index)?;
        entry.data = Some(p4::CounterData { byte_count: number(value.bytes), packet_count: number(value.packets) });
        self.write(Type::Modify, Entity::CounterEntry(entry))
    }

    fn register(&mut self, _: RegisterId, _: usize) -> Result<Vec<u8>, String> {
        Err(NO_REGISTERS.into())
    }

    fn set_register(&mut self, _: RegisterId, _: usize, _: &[u8]) -> Result<(), String> {
        Err(NO_REGISTERS.into())
    }

    fn clear_register(&mut self, _: RegisterId) -> Result<(), String> {
        Err(NO_REGISTERS.into())
    }

    fn set_meter(&mut self, meter: MeterId, index: usize, config: MeterConfig) -> Result<(), String> {
        let known = self.program.meters().get(meter.0 as usize).ok_or("there is no such meter")?;
        let meter_id = messages::id(&self.info.meters, |m| m.preamble.as_ref(), &known.name)
            .map_err(|e| format!("{e} (a direct meter has no cells by index)"))?;
        let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let config = p4::MeterConfig {
            cir: number(config.cir),
            cburst: number(config.cburst),
            pir: number(config.pir),
            pburst: number(config.pburst),
            ..p4::MeterConfig::default()
        };
        let entry = p4::MeterEntry { meter_id, index: cell(index), config: Some(config), counter_data: None };
        self.write(Type::Modify, Entity::MeterEntry(entry))
    }

    fn set_group(&mut self, group: MulticastGroup) -> Result<(), String> {
        let entry = p4::MulticastGroupEntry {
            multicast_group_id: group.id.into(),
            replicas: replicas(&group.replicas),
            ..p4::MulticastGroupEntry::default()
        };
        let entry = p4::packet_replication_engine_entry::Type::MulticastGroupEntry(entry);
        self.replace(&Entity::PacketReplicationEngineEntry(p4::PacketReplicationEngineEntry { r#type: Some(entry) }))
    }

    fn set_session(&mut self, session: CloneSession) -> Result<(), String> {
        self.replace(&clone_session(session.id, replicas(&session.replicas)))
    }

    fn delete_session(&mut self, session: u32) -> Result<(), String> {
        self.write(Type::Delete, clone_session(session, Vec::new()))
    }

    fn wait(&mut self) {
        std::thread::sleep(WAIT);
    }
}

impl Drop for Bmv2 {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

const NO_REGISTERS: &str = "BMv2 has no access to registers over P4Runtime, so this cannot be done on it";

fn clone_session(session_id: u32, replicas: Vec<p4::Replica>) -> Entity {
    let entry = p4::CloneSessionEntry { session_id, replicas, ..p4::CloneSessionEntry::default() };
    let entry = p4::packet_replication_engine_entry::Type::CloneSessionEntry(entry);
    Entity::PacketReplicationEngineEntry(p4::PacketReplicationEngineEntry { r#type: Some(entry) })
}

// The newer field for ports as bytes is unknown to BMv2.
#[allow(deprecated)]
fn replicas(replicas: &[v1model::Replica]) -> Vec<p4::Replica> {
    let replica = |replica: &v1model::Replica| p4::Replica {
        instance: replica.rid.into(),
        port_kind: Some(p4::replica::PortKind::EgressPort(replica.port.into())),
        ..p4::Replica::default()
    };
    replicas.iter().map(replica).collect()
}

fn cell(index: usize) -> Option<p4::Index> {
    Some(p4::Index { index: i64::try_from(index).unwrap_or(i64::MAX) })
}

fn election_id() -> Option<p4::Uint128> {
    Some(p4::Uint128 { high: 0, low: 1 })
}

/// A gRPC status for people; P4Runtime hides the reason of a refused update in the details.
fn said(status: tonic::Status) -> String {
    use prost::Message as _;
    let details = p4runtime_proto::RpcStatus::decode(status.details()).map(|status| status.details).unwrap_or_default();
    let errors = details.iter().filter_map(|detail| p4::Error::decode(detail.value.as_slice()).ok());
    let texts: Vec<String> = errors
        .filter(|error| error.canonical_code != 0)
        .map(|error| format!("{}{}", tonic::Code::from(error.canonical_code), with_colon(&error.message)))
        .collect();
    let text =
        if texts.is_empty() { format!("{}{}", status.code(), with_colon(status.message())) } else { texts.join("; ") };
    format!("BMv2 says: {text}")
}

fn with_colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

/// The first `simple_switch_grpc` on PATH that is not the embedded one.
fn find() -> Result<PathBuf, String> {
    let ours = std::env::current_exe().ok().and_then(|exe| exe.parent().map(PathBuf::from));
    let folders = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let is_ours = |folder: &PathBuf| folder.canonicalize().ok() == ours.as_ref().and_then(|o| o.canonicalize().ok());
    let candidates = folders.unwrap_or_default().into_iter().filter(|folder| !is_ours(folder));
    let found = candidates.map(|folder| folder.join("simple_switch_grpc")).find(|path| path.is_file());
    found.ok_or_else(|| "BMv2 is not installed: there is no simple_switch_grpc on PATH".to_owned())
}

fn free_address() -> Result<String, String> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener.map(|address| address.to_string()).map_err(|e| format!("no free TCP port: {e}"))
}

async fn connect(address: String) -> Result<Channel, String> {
    let endpoint = Endpoint::from_shared(address).map_err(|e| e.to_string())?;
    let deadline = Instant::now() + START;
    loop {
        match endpoint.connect().await {
            Ok(channel) => return Ok(channel),
            Err(error) if Instant::now() > deadline => return Err(format!("BMv2 does not listen: {error}")),
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

fn end(process: &mut Child) {
    // Nothing of it is needed any more, so it need not be asked.
    let _ = process.kill();
    let _ = process.wait();
}
