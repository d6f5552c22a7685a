//! Queues of egress ports, and the switch's clock.

use bmv2_runtime::{QueueChange, QueueSetting, time_since_epoch_us};

use super::{Answer, Call, outside};
use crate::Services;
use crate::fault::Fault;
use crate::value::{Fields, Value};

pub(super) const CALLS: &[Call] = &[
    outside("set_egress_priority_queue_depth", |services, given| {
        set(services, depth(given, 3)?, Some(port(given)?), Some(priority(given)?))
    }),
    outside("set_egress_queue_depth", |services, given| set(services, depth(given, 2)?, Some(port(given)?), None)),
    outside("set_all_egress_queue_depths", |services, given| set(services, depth(given, 1)?, None, None)),
    outside("set_egress_priority_queue_rate", |services, given| {
        set(services, rate(given, 3)?, Some(port(given)?), Some(priority(given)?))
    }),
    outside("set_egress_queue_rate", |services, given| set(services, rate(given, 2)?, Some(port(given)?), None)),
    outside("set_all_egress_queue_rates", |services, given| set(services, rate(given, 1)?, None, None)),
    outside("get_time_elapsed_us", |services, _| {
        Ok(Value::I64(i64::try_from(services.switch.time_elapsed_us()?).unwrap_or(i64::MAX)))
    }),
    outside("get_time_since_epoch_us", |_, _| Ok(Value::I64(i64::try_from(time_since_epoch_us()).unwrap_or(i64::MAX)))),
];

/// These calls have no exception of their own; BMv2 says nothing of a queue that is not there.
fn within<T, N: Copy + std::fmt::Display>(number: N, what: &str) -> Result<T, Fault>
where
    T: TryFrom<N>,
{
    T::try_from(number).map_err(|_| Fault::failed(format!("{what} cannot be {number}")))
}

fn port(given: &Fields) -> Result<u16, Fault> {
    within(given.i32(1)?, "the egress port")
}

fn priority(given: &Fields) -> Result<u8, Fault> {
    within(given.i32(2)?, "the priority")
}

fn depth(given: &Fields, number: i16) -> Result<QueueSetting, Fault> {
    Ok(QueueSetting::DepthPackets(within(given.i32(number)?, "a number of packets")?))
}

fn rate(given: &Fields, number: i16) -> Result<QueueSetting, Fault> {
    Ok(QueueSetting::RatePps(within(given.i64(number)?, "a number of packets a second")?))
}

fn set(services: &Services, setting: QueueSetting, port: Option<u16>, priority: Option<u8>) -> Answer {
    services.switch.set_queues(QueueChange { setting, port, priority })?.map_err(Fault::failed)?;
    Ok(Value::I32(0))
}
