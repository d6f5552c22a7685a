//! [`Device`]: the live switch, run by the engine.

use engine::{ControlCtx, EngineError, EngineHandle};
use tonic::Status;
use v1model::Switch;

/// One switch of the engine.
#[derive(Clone)]
pub struct Device {
    engine: EngineHandle,
    id: u64,
}

impl Device {
    /// The switch with this device id.
    pub fn new(engine: EngineHandle, id: u64) -> Self {
        Device { engine, id }
    }

    /// Runs `f` on the switch between two packets.
    ///
    /// # Errors
    /// UNAVAILABLE if the engine has ended.
    pub async fn call<R, F>(&self, f: F) -> Result<R, Status>
    where
        R: Send + 'static,
        F: FnOnce(&mut Switch, u64) -> R + Send + 'static,
    {
        let call = self.engine.call(self.id, move |switch: &mut Switch, ctx: &ControlCtx| f(switch, ctx.now_ns));
        call.await.map_err(|error: EngineError| Status::unavailable(error.to_string()))
    }

    /// Lets a frame come in by the CPU port.
    ///
    /// # Errors
    /// UNAVAILABLE if the engine has ended.
    pub fn packet_out(&self, frame: Vec<u8>) -> Result<(), Status> {
        self.engine.packet_out(self.id, frame).map_err(|error| Status::unavailable(error.to_string()))
    }
}
