//! A trace as text.

use std::fmt::{self, Display, Formatter};

use super::event::{NamedValue, SourceLine, TraceChange, TraceEvent, TraceStep};

/// `a=1, b=2`
fn list(values: &[NamedValue]) -> String {
    let all: Vec<String> = values.iter().map(|value| format!("{}={}", value.name, value.value)).collect();
    all.join(", ")
}

fn changed(changes: &[TraceChange]) -> String {
    let all: Vec<String> = changes.iter().map(|c| format!("{}: {} → {}", c.field, c.from, c.to)).collect();
    all.join(", ")
}

fn ports(ports: &[u16]) -> String {
    let all: Vec<String> = ports.iter().map(u16::to_string).collect();
    all.join(", ")
}

/// `  (file.p4:12)`
fn place(source: Option<&SourceLine>) -> String {
    source.map_or_else(String::new, |source| format!("  ({}:{})", source.file, source.line))
}

fn code(source: Option<&SourceLine>, otherwise: &str) -> String {
    source.map_or_else(|| otherwise.to_owned(), |source| source.text.clone())
}

fn statement(op: &str, effect: Option<&str>, changes: &[TraceChange], source: Option<&SourceLine>) -> String {
    let mut parts = vec![code(source, op)];
    parts.extend(effect.map(str::to_owned));
    if !changes.is_empty() {
        parts.push(changed(changes));
    }
    format!("    {}{}", parts.join("   ▸ "), place(source))
}

impl Display for TraceStep {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Received { port, length, .. } => write!(f, "received on port {port}: {length} bytes"),
            Self::ParserState { state, extracted, changes, next, error } => {
                let to = match (next, error) {
                    (_, Some(error)) => format!("stops with {error}"),
                    (Some(next), _) => format!("→ {next}"),
                    _ => String::new(),
                };
                write!(f, "  parser {state} {to}")?;
                for header in extracted {
                    write!(f, "\n      {}: {}", header.header, list(&header.fields))?;
                }
                if changes.is_empty() { Ok(()) } else { write!(f, "\n      {}", changed(changes)) }
            }
            Self::ChecksumsVerified { ok } => write!(f, "  checksums {}", if *ok { "right" } else { "wrong" }),
            Self::Ingress => write!(f, "  ingress"),
            Self::Egress { port, enq_qdepth, deq_timedelta_us } => {
                write!(f, "  egress to port {port}: {deq_timedelta_us} µs in the queue behind {enq_qdepth} packets")
            }
            Self::Table { table, key, hit, entry, priority, via, action, data, source } => {
                write!(f, "    table {table}")?;
                if !key.is_empty() {
                    write!(f, " {{{}}}", list(key))?;
                }
                if *hit {
                    write!(f, " hit {}", list(entry))?;
                } else if !key.is_empty() {
                    write!(f, " miss")?;
                }
                if let Some(priority) = priority {
                    write!(f, " priority {priority}")?;
                }
                if let Some(via) = via {
                    write!(f, " → {via}")?;
                }
                match action {
                    Some(action) => write!(f, " → {action}({})", list(data))?,
                    None => write!(f, " → nothing")?,
                }
                write!(f, "{}", place(source.as_ref()))
            }
            Self::Condition { result, source } => {
                let text = code(source.as_ref(), "the condition");
                let text = text.strip_prefix("if (").map_or(&text[..], |text| text.strip_suffix(')').unwrap_or(text));
                write!(f, "    {text} is {result}{}", place(source.as_ref()))
            }
            Self::Statement { op, effect, changes, source } => {
                write!(f, "{}", statement(op, effect.as_deref(), changes, source.as_ref()))
            }
            Self::Copied { kind, id, ports: to } => write!(f, "  {kind} {id}: copies to ports {}", ports(to)),
            Self::Digest { name } => write!(f, "  digest {name} to the controller"),
            Self::Again { kind } => write!(f, "  {kind}: back to the parser"),
            Self::Enqueued { port, priority, rank } => {
                write!(f, "  enqueue port {port}")?;
                if *priority > 0 {
                    write!(f, ", priority {priority}")?;
                }
                rank.map_or(Ok(()), |rank| write!(f, ", rank {rank}"))
            }
            Self::Deparsed { headers, checksums, payload_bytes } => {
                write!(f, "  deparser {}; {payload_bytes} bytes of payload", headers.join(", "))?;
                if checksums.is_empty() { Ok(()) } else { write!(f, "\n      {}", changed(checksums)) }
            }
            Self::Sent { port, length, .. } => write!(f, "sent by port {port}: {length} bytes"),
            Self::Dropped { reason } => write!(f, "dropped {reason}"),
        }
    }
}

impl Display for TraceEvent {
    /// Every line begins with the packet's number.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let seconds = |us: u64| format!("{}.{:06} s", us / 1_000_000, us % 1_000_000);
        let time = match self.step {
            TraceStep::Received { .. } | TraceStep::Egress { .. } | TraceStep::Sent { .. } => {
                format!("  at {}", seconds(self.time_us))
            }
            _ => String::new(),
        };
        let text = format!("{}{time}", self.step);
        for (index, line) in text.lines().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}#{} {line}", self.packet)?;
        }
        Ok(())
    }
}
