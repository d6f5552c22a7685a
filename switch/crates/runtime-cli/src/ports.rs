//! `port_add`, `port_remove` and `show_ports`: read here, done by the owner of the interfaces.

use num_traits::ToPrimitive;

use crate::arguments::{at_least, exactly};
use crate::commands::Done;
use crate::failure::{Failure, usage};
use crate::integer::decimal;
use crate::{Command, Outcome};

fn number(text: &str) -> Result<u16, Failure> {
    let port = decimal(text).ok_or_else(|| usage("Bad format for port_num, must be an integer"))?;
    port.to_u16().ok_or_else(|| usage(format!("port_num must be 0 to {}, not {port}", u16::MAX)))
}

pub(crate) fn add(_: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 2)?;
    if args.len() > 2 {
        return Err(usage("Frames of a port that is added are not recorded: leave the path out"));
    }
    Ok(Some(Outcome::AddPort { interface: args[0].to_owned(), number: number(args[1])? }))
}

pub(crate) fn remove(_: &mut Command<'_>, args: &[&str]) -> Done {
    let [port] = exactly(args)?;
    Ok(Some(Outcome::RemovePort { number: number(port)? }))
}

pub(crate) fn show(_: &mut Command<'_>, args: &[&str]) -> Done {
    let [] = exactly(args)?;
    Ok(Some(Outcome::ShowPorts))
}
