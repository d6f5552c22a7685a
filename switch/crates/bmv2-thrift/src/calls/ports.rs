//! Ports that come and go.

use bmv2_runtime::{Code, Kind, Refusal};

use super::{Answer, Call, outside};
use crate::Services;
use crate::fault::Fault;
use crate::value::{Fields, Value, structs, text};

pub(super) const CALLS: &[Call] = &[
    outside("bm_dev_mgr_add_port", add),
    outside("bm_dev_mgr_remove_port", remove),
    outside("bm_dev_mgr_show_ports", show),
];

fn refused(why: impl Into<String>) -> Fault {
    Refusal::explained(Kind::Port, Code::Error, why).into()
}

fn add(services: &Services, given: &Fields) -> Answer {
    let number = given.u16(2, Kind::Port, "port_num")?;
    // It may be left out.
    if given.get(3).is_some() && !given.bytes(3)?.is_empty() {
        return Err(refused("frames of a port that is added are not recorded: leave the path out"));
    }
    services.switch.add_port(number, given.text(1)?.to_owned())?.map_err(refused)?;
    Ok(Value::Void)
}

fn remove(services: &Services, given: &Fields) -> Answer {
    services.switch.remove_port(given.u16(1, Kind::Port, "port_num")?)?.map_err(refused)?;
    Ok(Value::Void)
}

fn show(services: &Services, _: &Fields) -> Answer {
    let ports = services.switch.ports()?;
    Ok(structs(ports.into_iter().map(|port| {
        Fields::of([
            (1, Value::I32(port.number.into())),
            (2, text(port.interface)),
            (3, Value::Bool(port.is_up)),
            (4, Value::TextMap(vec![])),
        ])
    })))
}
