//! The RPCs.

use std::pin::Pin;
use std::sync::Arc;

use p4runtime_proto::runtime::{
    CapabilitiesRequest, CapabilitiesResponse, Entity, ForwardingPipelineConfig, GetForwardingPipelineConfigRequest,
    GetForwardingPipelineConfigResponse, ReadRequest, ReadResponse, SetForwardingPipelineConfigRequest,
    SetForwardingPipelineConfigResponse, StreamMessageRequest, Uint128, WriteRequest, WriteResponse,
    get_forwarding_pipeline_config_request::ResponseType, p4_runtime_server::P4Runtime,
    set_forwarding_pipeline_config_request::Action,
};
use tokio::sync::OwnedMutexGuard;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use v1model::Switch;

use crate::extras::Extras;
use crate::failure::{Failure, Outcome, batch_status};
use crate::pipeline::{Pipeline, Pipelines, Saved, commit, reconcile};
use crate::read::{Query, fetch, plan as plan_read, render};
use crate::role::{Access, RoleKey};
use crate::server::{Outgoing, Server};
use crate::write::{Atomicity, Context, apply_batch, plan as plan_write};

/// The version of the specification this server follows.
const API_VERSION: &str = "1.5.0";
/// Updates that run between the same two packets where the batch need not be atomic.
const UPDATES_AT_ONCE: usize = 256;
/// Entities in one ReadResponse.
const ENTITIES_AT_ONCE: usize = 512;

/// The service of one endpoint.
#[derive(Clone)]
pub struct Service(pub Arc<Server>);

impl Service {
    fn check_device(&self, device_id: u64) -> Result<(), Status> {
        if device_id == self.0.device_id {
            return Ok(());
        }
        Err(Status::not_found(format!("there is no device {device_id}: this is device {}", self.0.device_id)))
    }

    /// Waits for its turn, then checks that the client is (still) primary.
    async fn as_primary(
        &self,
        role: &RoleKey,
        election: Option<&Uint128>,
    ) -> Result<(OwnedMutexGuard<Pipelines>, Access), Status> {
        let pipelines = Arc::clone(&self.0.pipelines).lock_owned().await;
        let access = self.0.arbiter().check(role, election)?.clone();
        Ok((pipelines, access))
    }

    /// Runs `f` on the live switch, with the pipelines at hand.
    async fn on_live<R: Send + 'static>(
        &self,
        mut pipelines: OwnedMutexGuard<Pipelines>,
        f: impl FnOnce(&mut Switch, &mut Pipelines, u64) -> R + Send + 'static,
    ) -> Result<(OwnedMutexGuard<Pipelines>, R), Status> {
        let call = self.0.device.call(move |switch, now_ns| {
            let result = f(switch, &mut pipelines, now_ns);
            (pipelines, result)
        });
        call.await
    }

    async fn set_pipeline(
        &self,
        pipelines: OwnedMutexGuard<Pipelines>,
        action: Action,
        config: Option<ForwardingPipelineConfig>,
    ) -> Result<(), Status> {
        if action == Action::Commit {
            return self.commit(pipelines, config).await;
        }
        // Milliseconds of work: not on a thread that others wait for.
        let verified = tokio::task::spawn_blocking(move || Pipeline::verify(config)).await;
        let pipeline = verified.map_err(|_| Status::internal("checking the pipeline failed"))??;
        match action {
            Action::Unspecified => Err(Status::invalid_argument("the action is not set")),
            Action::Verify | Action::Commit => Ok(()),
            Action::VerifyAndSave => {
                let (mut pipelines, config) = self.on_live(pipelines, |switch, _, _| switch.config().clone()).await?;
                let mut switch = Switch::new(config);
                switch.load(Arc::clone(&pipeline.program));
                pipelines.saved = Some(Saved { pipeline, switch, extras: Extras::default() });
                Ok(())
            }
            Action::VerifyAndCommit => {
                let (schema, program) = (Arc::clone(&pipeline.schema), Arc::clone(&pipeline.program));
                let (mut pipelines, ()) = self.on_live(pipelines, |switch, _, _| switch.load(program)).await?;
                *pipelines = Pipelines { active: Some(pipeline), ..Pipelines::default() };
                self.0.set_active_schema(schema);
                Ok(())
            }
            Action::ReconcileAndCommit => {
                let schema = Arc::clone(&pipeline.schema);
                let (mut pipelines, extras) = self
                    .on_live(pipelines, move |switch, pipelines, now_ns| -> Outcome<_> {
                        let extras = match &pipelines.active {
                            Some(old) => reconcile(switch, &pipelines.extras, old, &pipeline, now_ns)?,
                            None => {
                                switch.load(Arc::clone(&pipeline.program));
                                Extras::default()
                            }
                        };
                        Ok((extras, pipeline))
                    })
                    .await?;
                let (extras, pipeline) = extras?;
                *pipelines = Pipelines { active: Some(pipeline), extras, saved: None };
                self.0.set_active_schema(schema);
                Ok(())
            }
        }
    }

    async fn commit(
        &self,
        pipelines: OwnedMutexGuard<Pipelines>,
        config: Option<ForwardingPipelineConfig>,
    ) -> Result<(), Status> {
        if config.is_some() {
            return Err(Status::invalid_argument("COMMIT takes no config: it commits the saved one"));
        }
        if pipelines.saved.is_none() {
            return Err(Status::not_found("no config is saved: call VERIFY_AND_SAVE first"));
        }
        let (pipelines, done) = self
            .on_live(pipelines, |switch, pipelines, now_ns| {
                let Some(saved) = pipelines.saved.take() else { return Ok(()) };
                pipelines.extras = commit(switch, &saved, now_ns)?;
                pipelines.active = Some(saved.pipeline);
                Ok::<(), Failure>(())
            })
            .await?;
        if let Some(active) = &pipelines.active {
            self.0.set_active_schema(Arc::clone(&active.schema));
        }
        done.map_err(Status::from)
    }

    async fn run_write(
        &self,
        mut pipelines: OwnedMutexGuard<Pipelines>,
        access: &Access,
        request: WriteRequest,
    ) -> Result<Vec<Outcome<()>>, Status> {
        let atomicity = Atomicity::of(request.atomicity)?;
        let schema = Arc::clone(&pipelines.current()?.schema);
        let piece = if atomicity == Atomicity::AllOrNothing { usize::MAX } else { UPDATES_AT_ONCE };
        let mut outcomes = Vec::with_capacity(request.updates.len());
        let mut updates = request.updates;
        while !updates.is_empty() {
            let rest = updates.split_off(piece.min(updates.len()));
            let batch = std::mem::replace(&mut updates, rest);
            let keep = if atomicity == Atomicity::AllOrNothing { batch.clone() } else { Vec::new() };
            let plan = |update| schema.translations.noting(|| plan_write(&schema, access, update));
            let (steps, used): (Vec<_>, Vec<_>) = batch.into_iter().map(plan).unzip();
            let settle = |done: &[Outcome<()>]| {
                let requests = done.iter().map(Result::is_ok).zip(used.iter().map(Vec::as_slice));
                schema.translations.settle(requests);
            };
            if let Some(saved) = &mut pipelines.saved {
                let now_ns = engine::clock::monotonic_ns();
                let mut context =
                    Context { switch: &mut saved.switch, extras: &mut saved.extras, now_ns, restoring: false };
                let done = apply_batch(&mut context, &schema, steps, &keep, atomicity);
                settle(&done);
                outcomes.extend(done);
                continue;
            }
            let plane_schema = Arc::clone(&schema);
            let (back, done) = self
                .on_live(pipelines, move |switch, pipelines, now_ns| {
                    let mut context = Context { switch, extras: &mut pipelines.extras, now_ns, restoring: false };
                    apply_batch(&mut context, &plane_schema, steps, &keep, atomicity)
                })
                .await?;
            pipelines = back;
            settle(&done);
            outcomes.extend(done);
        }
        Ok(outcomes)
    }

    /// Runs the queries of one element of a read request.
    async fn run_queries(
        &self,
        mut pipelines: OwnedMutexGuard<Pipelines>,
        queries: Vec<Query>,
    ) -> Result<(OwnedMutexGuard<Pipelines>, Outcome<Vec<Entity>>), Status> {
        let schema = match pipelines.current() {
            Ok(current) => Arc::clone(&current.schema),
            Err(failure) => return Ok((pipelines, Err(failure))),
        };
        let mut entities = Vec::new();
        for query in queries {
            let (back, query, fetched) = match &pipelines.saved {
                Some(saved) => {
                    let fetched = fetch(&saved.switch, &saved.extras, engine::clock::monotonic_ns(), &query);
                    (pipelines, query, fetched)
                }
                None => {
                    let (back, (query, fetched)) = self
                        .on_live(pipelines, move |switch, pipelines, now_ns| {
                            let fetched = fetch(switch, &pipelines.extras, now_ns, &query);
                            (query, fetched)
                        })
                        .await?;
                    (back, query, fetched)
                }
            };
            pipelines = back;
            match fetched {
                Ok(fetched) => entities.extend(render(&schema, &query, fetched)),
                Err(failure) => return Ok((pipelines, Err(failure))),
            }
        }
        Ok((pipelines, Ok(entities)))
    }
}

/// Finishes a request that has started even if its client goes away: half a request must not stay behind.
async fn to_the_end<T: Send + 'static>(
    request: impl Future<Output = Result<T, Status>> + Send + 'static,
) -> Result<T, Status> {
    tokio::spawn(request).await.unwrap_or_else(|_| Err(Status::internal("handling the request failed")))
}

#[tonic::async_trait]
#[allow(deprecated)]
impl P4Runtime for Service {
    async fn write(&self, request: Request<WriteRequest>) -> Result<Response<WriteResponse>, Status> {
        let request = request.into_inner();
        self.check_device(request.device_id)?;
        let role = RoleKey::new(&request.role, request.role_id);
        let service = self.clone();
        let outcomes = to_the_end(async move {
            let (pipelines, access) = service.as_primary(&role, request.election_id.as_ref()).await?;
            service.run_write(pipelines, &access, request).await
        });
        batch_status("updates", &outcomes.await?)?;
        Ok(Response::new(WriteResponse {}))
    }

    type ReadStream = Pin<Box<dyn Stream<Item = Result<ReadResponse, Status>> + Send>>;

    async fn read(&self, request: Request<ReadRequest>) -> Result<Response<Self::ReadStream>, Status> {
        let request = request.into_inner();
        self.check_device(request.device_id)?;
        let access = match request.role.as_str() {
            "" => Access::Full,
            name => {
                let role = RoleKey::new(name, 0);
                let access = self.0.arbiter().role_access(&role).cloned();
                access.ok_or_else(|| Status::not_found(format!("no client has taken {role}")))?
            }
        };
        let mut pipelines = Arc::clone(&self.0.pipelines).lock_owned().await;
        let schema = Arc::clone(&pipelines.current()?.schema);
        let mut responses = Vec::new();
        let mut outcomes = Vec::with_capacity(request.entities.len());
        for entity in &request.entities {
            let (planned, used) = schema.translations.noting(|| plan_read(&schema, &access, entity));
            schema.translations.settle(std::iter::once((false, used.as_slice())));
            let queries = match planned {
                Ok(queries) => queries,
                Err(failure) => {
                    outcomes.push(Err(failure));
                    continue;
                }
            };
            let (back, found) = self.run_queries(pipelines, queries).await?;
            pipelines = back;
            outcomes.push(found.map(|found| {
                let pieces = found.chunks(ENTITIES_AT_ONCE);
                responses.extend(pieces.map(|piece| Ok(ReadResponse { entities: piece.to_vec() })));
            }));
        }
        drop(pipelines);
        responses.extend(batch_status("requests", &outcomes).err().map(Err));
        Ok(Response::new(Box::pin(tokio_stream::iter(responses))))
    }

    async fn set_forwarding_pipeline_config(
        &self,
        request: Request<SetForwardingPipelineConfigRequest>,
    ) -> Result<Response<SetForwardingPipelineConfigResponse>, Status> {
        let request = request.into_inner();
        self.check_device(request.device_id)?;
        let role = RoleKey::new(&request.role, request.role_id);
        let action = Action::try_from(request.action)
            .map_err(|_| Status::invalid_argument(format!("{} is no action", request.action)))?;
        let service = self.clone();
        to_the_end(async move {
            let (pipelines, access) = service.as_primary(&role, request.election_id.as_ref()).await?;
            if !access.may_set_pipeline() {
                return Err(Status::permission_denied(format!("{role} may not set a pipeline")));
            }
            service.set_pipeline(pipelines, action, request.config).await
        })
        .await?;
        Ok(Response::new(SetForwardingPipelineConfigResponse {}))
    }

    async fn get_forwarding_pipeline_config(
        &self,
        request: Request<GetForwardingPipelineConfigRequest>,
    ) -> Result<Response<GetForwardingPipelineConfigResponse>, Status> {
        let request = request.into_inner();
        self.check_device(request.device_id)?;
        let kind = ResponseType::try_from(request.response_type)
            .map_err(|_| Status::invalid_argument(format!("{} is no response type", request.response_type)))?;
        let current = self.0.pipelines.lock().await.current().map(|pipeline| Arc::clone(&pipeline.config));
        let part = |config: Arc<ForwardingPipelineConfig>| {
            let p4info = matches!(kind, ResponseType::All | ResponseType::P4infoAndCookie);
            let device = matches!(kind, ResponseType::All | ResponseType::DeviceConfigAndCookie);
            ForwardingPipelineConfig {
                p4info: config.p4info.clone().filter(|_| p4info),
                p4_device_config: if device { config.p4_device_config.clone() } else { Default::default() },
                cookie: config.cookie,
            }
        };
        Ok(Response::new(GetForwardingPipelineConfigResponse { config: current.ok().map(part) }))
    }

    type StreamChannelStream = ReceiverStream<Outgoing>;

    async fn stream_channel(
        &self,
        request: Request<Streaming<StreamMessageRequest>>,
    ) -> Result<Response<Self::StreamChannelStream>, Status> {
        let (client, outgoing) = self.0.connect();
        tokio::spawn(crate::stream::run(Arc::clone(&self.0), client, request.into_inner()));
        Ok(Response::new(ReceiverStream::new(outgoing)))
    }

    async fn capabilities(
        &self,
        request: Request<CapabilitiesRequest>,
    ) -> Result<Response<CapabilitiesResponse>, Status> {
        match request.into_inner().device_id {
            0 => {}
            device_id => self.check_device(device_id)?,
        }
        Ok(Response::new(CapabilitiesResponse { p4runtime_api_version: API_VERSION.to_owned(), experimental: None }))
    }
}
