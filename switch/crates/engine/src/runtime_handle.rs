//! [`RuntimeHandle`]: how BMv2's Thrift services reach one switch of a running engine.

use std::sync::Arc;

use bmv2_runtime::{PortLine, QueueChange, Runtime};
use v1model::{Program, Switch};

use crate::control_plane::EngineError;
use crate::handle::EngineHandle;

/// BMv2's control plane on one switch; for threads outside an async runtime.
#[derive(Debug, Clone)]
pub struct RuntimeHandle {
    engine: EngineHandle,
    device_id: u64,
}

/// The answer to a change of queues or interfaces: done, or the reason why not.
pub type Answer = Result<(), String>;

impl RuntimeHandle {
    /// Of the switch with this device id.
    #[must_use]
    pub fn new(engine: EngineHandle, device_id: u64) -> Self {
        Self { engine, device_id }
    }

    /// The switch's device id.
    #[must_use]
    pub fn device_id(&self) -> u64 {
        self.device_id
    }

    /// Runs `f` between two packets; nothing, if the switch has no program.
    ///
    /// # Errors
    /// The engine has stopped, or has no such switch.
    pub fn call<R: Send + 'static>(
        &self,
        f: impl FnOnce(&mut Runtime<'_>) -> R + Send + 'static,
    ) -> Result<Option<R>, EngineError> {
        let id = self.device_id;
        self.engine.call_core(move |core, now_ns| core.with_runtime(id, now_ns, f))?
    }

    /// Gives the switch another program.
    ///
    /// # Errors
    /// The engine has stopped, or has no such switch.
    pub fn load(&self, program: Arc<Program>) -> Result<(), EngineError> {
        self.engine.call_blocking(self.device_id, move |switch: &mut Switch, _| switch.load(program))
    }

    /// Microseconds since the switch started.
    ///
    /// # Errors
    /// The engine has stopped, or has no such switch.
    pub fn time_elapsed_us(&self) -> Result<u64, EngineError> {
        self.engine
            .call_blocking(self.device_id, |switch, at| at.now_ns.saturating_sub(switch.config().epoch_ns) / 1000)
    }

    /// Changes queues.
    ///
    /// # Errors
    /// The engine has stopped, or has no such switch.
    pub fn set_queues(&self, change: QueueChange) -> Result<Answer, EngineError> {
        let id = self.device_id;
        self.engine.call_core(move |core, now_ns| Ok(core.set_queues(core.index_of(id)?, change, now_ns)))?
    }

    /// The ports in the order of their numbers.
    ///
    /// # Errors
    /// The engine has stopped, or has no such switch.
    pub fn ports(&self) -> Result<Vec<PortLine>, EngineError> {
        let id = self.device_id;
        self.engine.call_core(move |core, _| Ok(core.port_lines(core.index_of(id)?)))?
    }

    /// Makes an interface a port.
    ///
    /// # Errors
    /// The engine has stopped, or has no such switch.
    pub fn add_port(&self, number: u16, interface: String) -> Result<Answer, EngineError> {
        let id = self.device_id;
        match self.engine.call_core(move |core, _| Ok(core.want_port(core.index_of(id)?, number, interface)))?? {
            Ok(wanted) => self.engine.add_port(wanted),
            Err(why) => Ok(Err(why)),
        }
    }

    /// Takes a port away.
    ///
    /// # Errors
    /// The engine has stopped, or has no such switch.
    pub fn remove_port(&self, number: u16) -> Result<Answer, EngineError> {
        let id = self.device_id;
        self.engine.call_core(move |core, _| Ok(core.detach(core.index_of(id)?, number)))?
    }
}
