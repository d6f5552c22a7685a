//! Starting everything, and ending it in order.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use engine::{
    AddedPorts, Engine, EngineConfig, EngineHandle, ManagementSocket, PortConfig, SamplesConfig, SwitchConfig, clock,
};
use p4runtime::{ServeError, ServerConfig, ServerHandle, TlsConfig};
use tokio::net::TcpSocket;
use tokio::signal::unix::{Signal, SignalKind, signal};
use v1model::{Program, Switch};

use crate::LaunchError;
use crate::network::Network;
use crate::program;
use crate::thrift_port::{Listener, ThriftPort};
use crate::tracing_file::TracePlan;

/// Everything one process runs.
#[derive(Debug)]
pub struct Plan {
    /// Its switches.
    pub switches: Vec<SwitchPlan>,
    /// Unix sockets for statistics, link changes and the commands of `simple_switch_CLI`.
    pub management_sockets: Vec<PathBuf>,
    /// The number by which `simple_switch_CLI` and Thrift's clients find it, of a process with one switch.
    pub thrift_port: Option<ThriftPort>,
    /// Where its digests are published for Thrift's clients; BMv2's address without.
    pub notifications: Option<String>,
    /// Counters over time.
    pub samples: Option<SamplesConfig>,
    /// Packets to trace from the start.
    pub trace: Option<TracePlan>,
}

/// One switch.
#[derive(Debug)]
pub struct SwitchPlan {
    /// Unique name.
    pub name: String,
    /// P4Runtime device id.
    pub device_id: u64,
    /// Where P4Runtime listens.
    pub grpc_addr: Option<SocketAddr>,
    /// Where Thrift's clients find it, in a process with several switches.
    pub thrift_port: Option<u16>,
    /// Certificates for it; plain text without.
    pub tls: Option<TlsConfig>,
    /// The port that leads to the controller.
    pub cpu_port: Option<u16>,
    /// The port number that means "drop".
    pub drop_port: u16,
    /// Seed of `random()`.
    pub seed: u64,
    /// The program that it runs at the start.
    pub program: Option<Arc<Program>>,
    /// Its ports.
    pub ports: Vec<PortConfig>,
    /// Properties of ports that come while it runs, if they may.
    pub added_ports: Option<AddedPorts>,
}

impl Plan {
    /// The plan of a network description; loads the programs.
    ///
    /// # Errors
    /// A program cannot be loaded.
    pub fn of(network: &Network) -> Result<Self, LaunchError> {
        let switch_plan = |switch: &crate::network::SwitchDescription| {
            Ok(SwitchPlan {
                name: switch.name.clone(),
                device_id: switch.device_id,
                grpc_addr: switch.grpc_addr,
                thrift_port: switch.thrift_port,
                tls: None,
                cpu_port: switch.cpu_port,
                drop_port: switch.drop_port,
                seed: switch.seed,
                program: switch.program.as_deref().map(program::load).transpose()?,
                ports: switch.ports.iter().map(|port| port.to_config(&switch.name)).collect(),
                added_ports: None,
            })
        };
        Ok(Self {
            switches: network.switches.iter().map(switch_plan).collect::<Result<_, LaunchError>>()?,
            management_sockets: network.management_socket.iter().cloned().collect(),
            thrift_port: None,
            notifications: None,
            samples: network.samples.as_ref().map(crate::network::SamplesDescription::to_config),
            trace: None,
        })
    }

    /// Runs until SIGINT, SIGTERM or a shutdown by the management socket. Calls `ready` when all ports are open and all
    /// servers listen.
    ///
    /// # Errors
    /// Something could not be started, or failed while running. Everything is closed by then.
    pub fn run(self, ready: impl FnOnce()) -> Result<(), LaunchError> {
        self.run_with(p4runtime::serve_on, ready)
    }

    /// The same for switches none of which serves P4Runtime: a program that calls only this has no gRPC server in it.
    ///
    /// # Errors
    /// As those of [`Plan::run`].
    pub fn run_without_p4runtime(mut self, ready: impl FnOnce()) -> Result<(), LaunchError> {
        self.switches.iter_mut().for_each(|switch| switch.grpc_addr = None);
        self.run_with(|_, _, _| std::future::pending(), ready)
    }

    fn run_with<F>(
        self,
        serve: impl Fn(TcpSocket, ServerConfig, EngineHandle) -> F,
        ready: impl FnOnce(),
    ) -> Result<(), LaunchError>
    where
        F: Future<Output = Result<ServerHandle, ServeError>>,
    {
        let system = |what| move |source| LaunchError::System { what, source };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("p4runtime")
            .enable_all()
            .build()
            .map_err(system("cannot start the control threads"))?;
        runtime.block_on(self.run_async(serve, ready))
    }

    async fn run_async<F>(
        self,
        serve: impl Fn(TcpSocket, ServerConfig, EngineHandle) -> F,
        ready: impl FnOnce(),
    ) -> Result<(), LaunchError>
    where
        F: Future<Output = Result<ServerHandle, ServeError>>,
    {
        let system = |what| move |source| LaunchError::System { what, source };
        let mut interrupt = signal(SignalKind::interrupt()).map_err(system("cannot handle SIGINT"))?;
        let mut terminate = signal(SignalKind::terminate()).map_err(system("cannot handle SIGTERM"))?;

        let mut endpoints = Vec::new();
        let mut switches = Vec::new();
        let mut thrift_ports = Vec::new();
        let first_device_id = self.switches.first().map_or(0, |switch| switch.device_id);
        let names: Vec<String> = self.switches.iter().map(|switch| switch.name.clone()).collect();
        for plan in self.switches {
            if let Some(address) = plan.grpc_addr {
                let (device_id, cpu_port, tls) = (plan.device_id, plan.cpu_port, plan.tls.clone());
                // Bound first, so that a port that is taken is known before anything else has been touched.
                endpoints.push((p4runtime::bind(address)?, ServerConfig { device_id, cpu_port, tls }));
            }
            thrift_ports.extend(plan.thrift_port.map(|port| (port, plan.device_id)));
            switches.push(plan.into_switch());
        }
        let engine = Engine::start(EngineConfig { switches, samples: self.samples, realtime: true })?;
        let handle = engine.handle();
        let mut tracers = Vec::new();
        if let Some(trace) = self.trace {
            let handle = handle.clone();
            let start = tokio::task::spawn_blocking(move || trace.start(&handle, &names)).await;
            let ended =
                |error: tokio::task::JoinError| LaunchError::System { what: "cannot trace", source: error.into() };
            tracers = start.map_err(ended)??;
        }
        // After the traces: a client that waits for the socket before it sends packets finds them traced.
        let open = |path| ManagementSocket::open(path, &handle).map_err(LaunchError::Management);
        let management = self.management_sockets.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
        let mut servers = Vec::new();
        for (listener, config) in endpoints {
            servers.push(serve(listener, config, handle.clone()).await?);
        }
        // Last, since scripts take it for ready when somebody listens there.
        let thrift = self.thrift_port.map(|port| port.open(&handle, first_device_id, self.notifications.as_deref()));
        let thrift = thrift.transpose()?;
        let listeners =
            thrift_ports.into_iter().map(|(port, device_id)| Listener::open(port, &handle, device_id, None));
        let listeners = listeners.collect::<Result<Vec<_>, _>>()?;
        ready();
        tokio::select! {
            () = signalled(&mut interrupt, &mut terminate) => {}
            // Asked for by the management socket, or a failure: join tells.
            () = handle.stopped() => {}
        }
        drop((management, thrift, listeners));
        for server in servers {
            server.shutdown().await;
        }
        handle.shutdown();
        let join = move || {
            let clean = engine.join();
            // They end when the forwarding thread has let go of them.
            tracers.into_iter().for_each(|tracer| drop(tracer.join()));
            clean
        };
        let clean = tokio::task::spawn_blocking(join).await.unwrap_or(false);
        if clean { Ok(()) } else { Err(LaunchError::ForwardingFailed) }
    }
}

async fn signalled(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

impl SwitchPlan {
    fn into_switch(self) -> SwitchConfig {
        let mut switch = Switch::new(v1model::SwitchConfig {
            cpu_port: self.cpu_port,
            drop_port: self.drop_port,
            // In virtual time, the times that a program reads must not depend on the start of its switch.
            epoch_ns: if clock::is_virtual() { 0 } else { clock::monotonic_ns() },
            seed: self.seed,
            // In a network the highest priority of a link takes those above it too.
            priority_queues: self.added_ports.as_ref().map_or(8, |ports| ports.egress.priorities),
        });
        if let Some(program) = self.program {
            switch.load(program);
        }
        SwitchConfig {
            name: self.name,
            device_id: self.device_id,
            cpu_port: self.cpu_port,
            switch,
            ports: self.ports,
            added_ports: self.added_ports,
        }
    }
}
