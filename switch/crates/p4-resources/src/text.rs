//! The estimate as text for people.

use crate::{Chain, Estimate, Registers, Table};
use std::fmt::{self, Display, Formatter, Write as _};

/// How a column is aligned.
#[derive(Clone, Copy)]
enum Align {
    Left,
    Right,
}

impl Display for Estimate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: estimated cost on a switch, without a target", self.program)?;
        self.tables(f)?;
        self.registers.text(f)?;
        self.parser_text(f)?;
        writeln!(f, "\nLongest chains of dependent tables")?;
        self.chains.iter().try_for_each(|chain| chain.text(f))
    }
}

impl Estimate {
    fn tables(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nTables: {}", self.tables.len())?;
        let row = |table: &Table| {
            vec![
                table.name.clone(),
                table.kind.to_owned(),
                table.key_bits.to_string(),
                table.entries.to_string(),
                table.action_data_bits.to_string(),
                table.source.clone(),
            ]
        };
        let head = ["table", "match", "key bits", "entries", "action data bits", "declared at"];
        let alignment = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left];
        columns(f, &head, &alignment, self.tables.iter().map(row).collect())?;
        for total in &self.by_match {
            let kind = if total.kind == "none" { "without keys" } else { total.kind };
            let tables = number(total.tables, "table");
            let (matched, data) = (total.match_memory_bits, total.action_data_memory_bits);
            writeln!(f, "  {kind}: {tables}, {matched} bits to match, {data} bits of action data")?;
        }
        Ok(())
    }

    fn parser_text(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parser = &self.parser;
        let headers = number(parser.headers.len(), "header");
        writeln!(f, "\nParser: {}, {headers} of {} bits", number(parser.states, "state"), parser.header_bits)?;
        let row = |header: &crate::Header| vec![header.name.clone(), header.bits.to_string(), header.source.clone()];
        let alignment = [Align::Left, Align::Right, Align::Left];
        columns(f, &["header", "bits", "type declared at"], &alignment, parser.headers.iter().map(row).collect())?;
        let bound = if parser.is_bounded { "" } else { " (without its loops)" };
        let states = number(parser.longest_path.len(), "state");
        writeln!(f, "  longest path: {states}, {} bits{bound}", parser.longest_path_bits)?;
        let row = |state: &crate::State| vec![state.name.clone(), state.source.clone()];
        columns(f, &["state", "declared at"], &alignment[..1], parser.longest_path.iter().map(row).collect())?;
        if parser.most_bits > parser.longest_path_bits {
            writeln!(f, "  most bits on a path: {}", parser.most_bits)?;
        }
        Ok(())
    }
}

impl Registers {
    fn text(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let arrays = number(self.arrays.len(), "array");
        let operations = self.operations_on_a_path;
        writeln!(
            f,
            "\nRegisters: {arrays} of {} bits; at most {operations} reads and writes on a path",
            self.memory_bits
        )?;
        let row = |register: &crate::Register| {
            vec![
                register.name.clone(),
                register.elements.to_string(),
                register.bits.to_string(),
                register.accesses.to_string(),
                if register.is_accessed_twice { "TWICE".to_owned() } else { String::new() },
                register.source.clone(),
            ]
        };
        let head = ["register", "elements", "bits", "accesses", "", "declared at"];
        let alignment = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Left, Align::Left];
        columns(f, &head, &alignment, self.arrays.iter().map(row).collect())?;
        let twice: Vec<_> = self.arrays.iter().filter(|register| register.is_accessed_twice).collect();
        for register in &twice {
            writeln!(f, "  {}: {}", register.name, with_counts(&register.path))?;
        }
        if !twice.is_empty() {
            writeln!(
                f,
                "  TWICE: on some way a packet accesses it several times in one pass; a pipeline in hardware could not."
            )?;
        }
        Ok(())
    }
}

impl Chain {
    fn text(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}: {}", self.pipeline, number(self.length, "table"))?;
        let row = |member: &crate::Member| {
            let needs =
                member.needs.as_ref().map(|needs| format!("{} {}", needs.kind, needs.field).trim_end().to_owned());
            vec![member.table.clone(), needs.unwrap_or_default(), member.source.clone()]
        };
        columns(f, &["table", "needs", "declared at"], &[Align::Left], self.members.iter().map(row).collect())
    }
}

/// Places one after the other; those that are the same are one with their number.
fn with_counts(places: &[String]) -> String {
    let groups = places.chunk_by(|one, other| one == other).map(|group| match group.len() {
        1 => group[0].clone(),
        times => format!("{} ({times} times)", group[0]),
    });
    groups.collect::<Vec<_>>().join(", ")
}

fn number(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Rows under a head, each column as wide as it must be; nothing if there are no rows. Columns without an alignment are
/// left-aligned.
fn columns(f: &mut Formatter<'_>, head: &[&str], alignment: &[Align], rows: Vec<Vec<String>>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let mut all = vec![head.iter().map(|cell| (*cell).to_owned()).collect()];
    all.extend(rows);
    let used = |column: usize| all.iter().skip(1).any(|row| !row[column].is_empty());
    let shown: Vec<usize> = (0..head.len()).filter(|column| used(*column)).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    for row in &all {
        let mut line = String::from("   ");
        for &column in &shown {
            let (cell, width) = (&row[column], widths[column]);
            match alignment.get(column) {
                Some(Align::Right) => write!(line, " {cell:>width$} ")?,
                _ => write!(line, " {cell:<width$} ")?,
            }
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
