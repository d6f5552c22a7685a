//! The steps of every packet in the log, in BMv2's words, as `--log-console` and `--log-file` have them at the levels `trace` and `debug`.

use tracing::Level;
use v1model::{TraceEvent, TraceStep};

/// Logs a step of a packet.
pub(crate) fn log(event: &TraceEvent) {
    for (level, line) in lines(&event.step) {
        let packet = event.packet.saturating_sub(1);
        if level == Level::DEBUG {
            tracing::debug!(target: "bmv2", "[{packet}.0] [cxt 0] {line}");
        } else {
            tracing::trace!(target: "bmv2", "[{packet}.0] [cxt 0] {line}");
        }
    }
}

/// The lines that BMv2 logs of a step, each with its level.
fn lines(step: &TraceStep) -> Vec<(Level, String)> {
    let debug = |line: String| (Level::DEBUG, line);
    let trace = |line: String| (Level::TRACE, line);
    match step {
        TraceStep::Received { port, .. } => vec![
            debug(format!("Processing packet received on port {port}")),
            debug("Parser 'parser': start".to_owned()),
        ],
        TraceStep::ParserState { state, extracted, next, error, .. } => {
            let mut all = vec![debug(format!("Parser 'parser' entering state '{state}'"))];
            all.extend(extracted.iter().map(|header| debug(format!("Extracting header '{}'", header.header))));
            match (error, next.as_deref()) {
                (Some(error), _) => all.push(debug(format!("Parser '{state}': error {error}"))),
                (None, Some("accept")) => all.push(debug("Parser 'parser': end".to_owned())),
                _ => {}
            }
            all
        }
        TraceStep::ChecksumsVerified { ok } => vec![debug(format!("Verified checksums: {ok}"))],
        TraceStep::Ingress => vec![debug("Pipeline 'ingress': start".to_owned())],
        TraceStep::Egress { enq_qdepth, deq_timedelta_us, .. } => vec![
            trace(format!("Out of the queue after {deq_timedelta_us} us, behind {enq_qdepth} packets")),
            debug("Pipeline 'egress': start".to_owned()),
        ],
        TraceStep::Table { table, key, hit, action, data, .. } => {
            let mut all = vec![trace(format!("Applying table '{table}'")), debug("Looking up key:".to_owned())];
            all.extend(key.iter().map(|field| debug(format!("* {:20}: {}", field.name, field.value))));
            all.push(debug(format!("Table '{table}': {}", if *hit { "hit" } else { "miss" })));
            let action = action.as_deref().unwrap_or("NULL");
            let data: Vec<&str> = data.iter().map(|value| &value.value[..]).collect();
            all.push(debug(format!("Action entry is {action} - {}", data.join(","))));
            all
        }
        TraceStep::Condition { result, source } => {
            let place = source.as_ref().map(|source| format!("{}({}) ", source.file, source.line)).unwrap_or_default();
            let text = source.as_ref().map_or("", |source| &source.text);
            vec![trace(format!("{place}Condition \"{text}\" is {result}"))]
        }
        TraceStep::Statement { op, source, .. } => vec![trace(match source {
            Some(source) => format!("{}({}) Primitive {}", source.file, source.line, source.text),
            None => format!("Primitive {op}"),
        })],
        TraceStep::Copied { kind, id, ports } => {
            let asked =
                if kind == "clone session" { "Cloning packet to session" } else { "Multicast requested for group" };
            let copies = ports.iter().map(|port| debug(format!("Replicating packet on port {port}")));
            std::iter::once(debug(format!("{asked} {id}"))).chain(copies).collect()
        }
        TraceStep::Digest { name } => vec![debug(format!("Digest '{name}' for the controller"))],
        TraceStep::Again { kind } => {
            vec![debug(format!("{} packet", if kind == "resubmit" { "Resubmitting" } else { "Recirculating" }))]
        }
        TraceStep::Enqueued { port, .. } => vec![debug(format!("Egress port is {port}"))],
        TraceStep::Deparsed { headers, .. } => {
            let all = headers.iter().map(|header| debug(format!("Deparsing header '{header}'")));
            std::iter::once(debug("Deparser 'deparser': start".to_owned())).chain(all).collect()
        }
        TraceStep::Sent { port, length, .. } => {
            vec![debug(format!("Transmitting packet of size {length} out of port {port}"))]
        }
        TraceStep::Dropped { reason } => vec![debug(format!("Dropping packet {reason}"))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(step: &TraceStep) -> String {
        lines(step).into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn steps_are_in_the_words_that_scripts_look_for() {
        assert!(
            text(&TraceStep::Received { port: 3, length: 60, data: String::new() })
                .starts_with("Processing packet received on port 3")
        );
        let table = TraceStep::Table {
            table: "MyIngress.t".to_owned(),
            key: vec![],
            hit: false,
            entry: vec![],
            priority: None,
            via: None,
            action: Some("NoAction".to_owned()),
            data: vec![],
            source: None,
        };
        assert_eq!(
            text(&table),
            "Applying table 'MyIngress.t'; Looking up key:; Table 'MyIngress.t': miss; Action entry is NoAction - "
        );
        assert_eq!(text(&TraceStep::Enqueued { port: 2, priority: 0, rank: None }), "Egress port is 2");
        let sent = TraceStep::Sent { port: 2, length: 42, data: String::new() };
        assert_eq!(text(&sent), "Transmitting packet of size 42 out of port 2");
        let dropped = TraceStep::Dropped { reason: "at the end of ingress: egress_spec is the drop port".to_owned() };
        assert!(text(&dropped).starts_with("Dropping packet at the end of ingress"));
    }
}
