//! The forwarding thread's state.

use tokio::sync::mpsc;

use crate::handle::{ControlCtx, EngineError, SwitchEvent};
use crate::standin as v1model;

/// Everything the forwarding thread owns.
pub(crate) struct Core;

impl Core {
    pub(crate) fn packet_out(&mut self, _device_id: u64, _frame: Vec<u8>) {}
    pub(crate) fn subscribe_packet_in(&mut self, _device_id: u64, _sender: mpsc::Sender<Vec<u8>>) {}
    pub(crate) fn subscribe_events(&mut self, _device_id: u64, _sender: mpsc::Sender<SwitchEvent>) {}
    pub(crate) fn stop(&mut self) {}
    pub(crate) fn with_switch<R>(
        &mut self,
        device_id: u64,
        _f: impl FnOnce(&mut v1model::Switch, &ControlCtx) -> R,
    ) -> Result<R, EngineError> {
        Err(EngineError::UnknownDevice(device_id))
    }
}
