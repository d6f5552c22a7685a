//! Talking to a running switch: `p4switch show`, `p4switch trace` and `simple_switch_CLI`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::LaunchError;

/// An open management socket.
struct Client {
    reader: BufReader<UnixStream>,
}

impl Client {
    fn connect(socket: &Path) -> Result<Self, LaunchError> {
        let stream = UnixStream::connect(socket);
        let stream = stream
            .map_err(|error| LaunchError::Usage(format!("no switch answers at {}: {error}", socket.display())))?;
        Ok(Self { reader: BufReader::new(stream) })
    }

    fn ask(&mut self, request: &Value) -> Result<(), LaunchError> {
        let failed = |source| LaunchError::System { what: "the switch does not listen", source };
        self.reader.get_mut().write_all(format!("{request}\n").as_bytes()).map_err(failed)
    }

    fn open(socket: &Path, request: &Value) -> Result<Self, LaunchError> {
        let mut client = Self::connect(socket)?;
        client.ask(request)?;
        Ok(client)
    }

    /// The next line; nothing if the switch has gone. A refusal of the switch is an error.
    fn next(&mut self) -> Result<Option<Value>, LaunchError> {
        let mut line = String::new();
        let failed = |source| LaunchError::System { what: "the switch does not answer", source };
        if self.reader.read_line(&mut line).map_err(failed)? == 0 {
            return Ok(None);
        }
        let value: Value = serde_json::from_str(&line).map_err(|error| failed(error.into()))?;
        match value.get("error").and_then(Value::as_str) {
            Some(error) => Err(LaunchError::Usage(error.to_owned())),
            None => Ok(Some(value)),
        }
    }
}

/// The commands of `simple_switch_CLI`, on one switch.
pub struct Commands {
    client: Client,
    switch: Option<String>,
}

impl Commands {
    /// Connects to a switch; its name is not needed if there is only one.
    ///
    /// # Errors
    /// Nobody answers at the socket.
    pub fn open(socket: &Path, switch: Option<&str>) -> Result<Self, LaunchError> {
        Ok(Self { client: Client::connect(socket)?, switch: switch.map(str::to_owned) })
    }

    /// Runs a line, and gives its output.
    ///
    /// # Errors
    /// The switch has gone, or there is none of that name.
    pub fn run(&mut self, line: &str) -> Result<String, LaunchError> {
        self.client.ask(&json!({"op": "cli", "switch": self.switch, "line": line}))?;
        match self.client.next()? {
            Some(answer) => Ok(answer.get("printed").and_then(Value::as_str).unwrap_or_default().to_owned()),
            None => Err(LaunchError::Usage("the switch has gone".into())),
        }
    }
}

/// Prints one answer; a reader that has gone is nothing to report.
fn print(text: &str) -> bool {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// A question for something to be shown.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Name of the switch; not needed if there is only one.
    pub switch: Option<String>,
    /// `tables`, `table`, …
    pub what: String,
    /// Name of the table, register, counter or meter.
    pub name: Option<String>,
    /// First cell.
    pub first: Option<usize>,
    /// Number of cells.
    pub count: Option<usize>,
}

/// Shows something of a running switch, as aligned text or as JSON.
///
/// # Errors
/// Nobody answers at the socket, or the switch has no such thing.
pub fn show(socket: &Path, question: &Question, as_json: bool) -> Result<(), LaunchError> {
    let Question { switch, what, name, first, count } = question;
    let request = json!({"op": "show", "switch": switch, "what": what, "name": name, "first": first, "count": count});
    let answer = Client::open(socket, &request)?.next()?.unwrap_or_default();
    let list = |key: &str| answer.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let columns: Vec<String> = list("columns").iter().map(shown).collect();
    let rows: Vec<Vec<Value>> = list("rows").iter().map(|row| row.as_array().cloned().unwrap_or_default()).collect();
    if as_json {
        let objects = rows.into_iter().map(|row| columns.iter().cloned().zip(row).collect::<Map<_, _>>());
        print(&format!("{}\n", Value::from_iter(objects)));
    } else {
        print(&aligned(&columns, &rows));
    }
    Ok(())
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Columns side by side; numbers to the right.
fn aligned(columns: &[String], rows: &[Vec<Value>]) -> String {
    let mut widths: Vec<usize> = columns.iter().map(|column| column.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(shown(cell).chars().count());
        }
    }
    let line = |cells: Vec<(String, bool)>| {
        let cells = cells.into_iter().zip(&widths).map(|((text, right), width)| {
            let fill = " ".repeat(width - text.chars().count().min(*width));
            if right { format!("{fill}{text}") } else { format!("{text}{fill}") }
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    let numeric =
        |index: usize| !rows.is_empty() && rows.iter().all(|row| row.get(index).is_some_and(Value::is_number));
    let head = columns.iter().enumerate().map(|(index, column)| (column.clone(), numeric(index)));
    let mut text = line(head.collect());
    text.push_str(&line(widths.iter().map(|width| ("-".repeat(*width), false)).collect()));
    for row in rows {
        text.push_str(&line(row.iter().map(|cell| (shown(cell), cell.is_number())).collect()));
    }
    if rows.is_empty() {
        text.push_str("(nothing)\n");
    }
    text
}

/// Traces packets of a running switch until as many have been seen as the filter says.
///
/// # Errors
/// Nobody answers at the socket, or the switch refuses the filter.
pub fn trace(
    socket: &Path,
    switch: Option<&str>,
    filter: &str,
    as_json: bool,
    record: Option<&Path>,
) -> Result<(), LaunchError> {
    let mut record = record.map(Record::create).transpose()?;
    let mut client = Client::open(socket, &json!({"op": "trace", "switch": switch, "filter": filter}))?;
    client.next()?;
    while let Some(mut event) = client.next()? {
        if event.get("ended").is_some() {
            break;
        }
        let text = event.as_object_mut().and_then(|event| event.shift_remove("text"));
        if let Some(record) = &mut record {
            record.write(&event)?;
        }
        let line = if as_json { event.to_string() } else { text.as_ref().map(shown).unwrap_or_default() };
        if !print(&format!("{line}\n")) {
            break;
        }
    }
    Ok(())
}

/// A trace in a file, one event a line.
struct Record<'a> {
    path: &'a Path,
    file: File,
    /// Bytes that there is still room for.
    room: usize,
}

impl<'a> Record<'a> {
    /// Of a file.
    const MOST_BYTES: usize = 8 << 20;

    fn create(path: &'a Path) -> Result<Self, LaunchError> {
        let file = File::create(path).map_err(|source| LaunchError::File { path: path.into(), source })?;
        Ok(Self { path, file, room: Self::MOST_BYTES })
    }

    /// An event that there is no room for, and all after it, are left out.
    fn write(&mut self, event: &Value) -> Result<(), LaunchError> {
        let line = format!("{event}\n");
        self.room = self.room.saturating_sub(line.len());
        if self.room == 0 {
            return Ok(());
        }
        self.file.write_all(line.as_bytes()).map_err(|source| LaunchError::File { path: self.path.into(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let columns = ["table".to_owned(), "entries".to_owned()];
        let rows = vec![vec![json!("ipv4_lpm"), json!(7)], vec![json!("µ"), json!(1024)]];
        let expected = "table     entries\n--------  -------\nipv4_lpm        7\nµ            1024\n";
        assert_eq!(aligned(&columns, &rows), expected);
        assert!(aligned(&columns, &[]).ends_with("(nothing)\n"));
    }
}
