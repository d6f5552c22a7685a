//! Reading STF files.
//!
//! One statement a line; `#` begins a comment. Numbers may be decimal, `0x…`, `0b…` or `0o…`. `*` stands for any digit in
//! keys and expected packets. `$` at the end of an expected packet asks for exactly that length.

/// A statement and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Line in the file, from 1.
    pub line: usize,
    /// The operation that it asks for.
    pub command: Command,
}

/// The operation that a statement asks for. Numbers in keys and arguments stay text until the field's width is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A packet comes in.
    Packet {
        /// Port.
        port: u16,
        /// Bytes.
        data: Vec<u8>,
    },
    /// A packet must come out of the port; without data: any packets may.
    Expect {
        /// Port.
        port: u16,
        /// Hexadecimal digits and `*`.
        pattern: Option<Pattern>,
    },
    /// No packet must have come out that was not expected before.
    NoPacket,
    /// Adds a table entry.
    Add {
        /// Table name or the end of it.
        table: String,
        /// Larger is more urgent.
        priority: Option<i32>,
        /// Key fields with their values.
        keys: Vec<(String, String)>,
        /// Its action.
        action: ActionText,
    },
    /// Sets a default action.
    SetDefault {
        /// Table name or the end of it.
        table: String,
        /// The action.
        action: ActionText,
    },
    /// Removes all entries of all tables.
    RemoveAll,
    /// Compares a counter cell.
    CheckCounter {
        /// Counter name.
        counter: String,
        /// Cell.
        index: usize,
        /// `bytes` instead of `packets`.
        bytes: bool,
        /// The comparison.
        check: Check,
    },
    /// Compares a register cell (not in p4c's STF).
    CheckRegister {
        /// Register name.
        register: String,
        /// Cell.
        index: usize,
        /// The comparison.
        check: Check,
    },
    /// Makes a multicast group.
    McGroupCreate(u16),
    /// Makes a replication node: id and ports. Nodes are numbered from 0.
    McNodeCreate(u16, Vec<u16>),
    /// Changes a node's ports.
    McNodeUpdate(usize, Vec<u16>),
    /// Puts a node into a group.
    McNodeAssociate(u16, usize),
    /// Clones of the session go to a port.
    MirroringAdd(u32, u16),
    /// Clones of the session go to a multicast group.
    MirroringAddMc(u32, u16),
    /// Removes a session.
    MirroringDelete(u32),
    /// Writes a counter cell: packets and bytes.
    CounterWrite(String, usize, u64, u64),
    /// Writes a register cell.
    RegisterWrite(String, usize, String),
    /// Sets a register to zero.
    RegisterReset(String),
    /// Sets rates (units a microsecond) and bursts of one cell, or of all.
    MeterSetRates(String, Option<usize>, Vec<(Rate, u64)>),
    /// Time passes.
    Wait,
    /// Prints something in the real test runner; nothing here.
    Show,
}

/// A decimal fraction, kept as text so that statements can be compared.
pub type Rate = String;

/// An action with named arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionText {
    /// Name or the end of it.
    pub name: String,
    /// Arguments.
    pub args: Vec<(String, String)>,
}

/// An expected packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Hexadecimal digits in upper case, and `*`.
    pub digits: String,
    /// The packet must not be longer.
    pub exact: bool,
}

/// A comparison with a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// `==`, `!=`, `<`, `<=`, `>`, `>=`.
    pub operator: String,
    /// The number.
    pub value: u128,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct StfError {
    /// Line, from 1.
    pub line: usize,
    /// The error in words.
    pub message: String,
}

/// Reads a whole file.
pub fn parse(text: &str) -> Result<Vec<Statement>, StfError> {
    let mut statements = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let command = command(line).map_err(|message| StfError { line: index + 1, message })?;
        statements.push(Statement { line: index + 1, command });
    }
    Ok(statements)
}

fn command(line: &str) -> Result<Command, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    Ok(match word.to_ascii_lowercase().as_str() {
        "packet" => {
            let port = number(words.first())?;
            let digits: String = words[1..].concat();
            Command::Packet { port, data: bytes(&digits)? }
        }
        "expect" => {
            let port = number(words.first())?;
            let digits: String = words[1..].concat().to_ascii_uppercase();
            let pattern = if digits.is_empty() { None } else { Some(pattern(&digits)?) };
            Command::Expect { port, pattern }
        }
        "no_packet" => Command::NoPacket,
        "add" => add(rest)?,
        "setdefault" => {
            let (table, action) = rest.split_once(char::is_whitespace).ok_or("expected a table and an action")?;
            Command::SetDefault { table: table.to_owned(), action: action_text(action)? }
        }
        "remove" => Command::RemoveAll,
        "check_counter" => {
            let (counter, index, check, bytes) = check(rest)?;
            Command::CheckCounter { counter, index, bytes, check }
        }
        "check_register" => {
            let (register, index, check, _) = check(rest)?;
            Command::CheckRegister { register, index, check }
        }
        "mc_mgrp_create" => Command::McGroupCreate(number(words.first())?),
        "mc_node_create" => Command::McNodeCreate(number(words.first())?, numbers(&words[1..])?),
        "mc_node_update" => Command::McNodeUpdate(number(words.first())?, numbers(&words[1..])?),
        "mc_node_associate" => Command::McNodeAssociate(number(words.first())?, number(words.get(1))?),
        "mirroring_add" => Command::MirroringAdd(number(words.first())?, number(words.get(1))?),
        "mirroring_add_mc" => Command::MirroringAddMc(number(words.first())?, number(words.get(1))?),
        "mirroring_delete" => Command::MirroringDelete(number(words.first())?),
        "counter_write" => Command::CounterWrite(
            name(words.first())?,
            number(words.get(1))?,
            number(words.get(2))?,
            number(words.get(3))?,
        ),
        "register_write" => Command::RegisterWrite(name(words.first())?, number(words.get(1))?, name(words.get(2))?),
        "register_reset" => Command::RegisterReset(name(words.first())?),
        "meter_set_rates" => {
            Command::MeterSetRates(name(words.first())?, Some(number(words.get(1))?), rates(words.get(2..))?)
        }
        "meter_array_set_rates" => Command::MeterSetRates(name(words.first())?, None, rates(words.get(1..))?),
        "wait" => Command::Wait,
        "mirroring_get" | "counter_read" | "register_read" | "meter_get_rates" => Command::Show,
        other => return Err(format!("unknown statement \"{other}\"")),
    })
}

fn name(word: Option<&&str>) -> Result<String, String> {
    word.map(|w| (*w).to_owned()).ok_or_else(|| "the statement is too short".to_owned())
}

fn number<T: TryFrom<u128>>(word: Option<&&str>) -> Result<T, String> {
    let text = word.ok_or("the statement is too short: expected a number")?;
    let value = crate::value::integer(text).ok_or_else(|| format!("\"{text}\" is not a number"))?;
    T::try_from(value).map_err(|_| format!("{value} is too large"))
}

fn numbers(words: &[&str]) -> Result<Vec<u16>, String> {
    words.iter().map(|w| number(Some(w))).collect()
}

fn rates(words: Option<&[&str]>) -> Result<Vec<(Rate, u64)>, String> {
    let rate = |word: &&str| {
        let (rate, burst) = word.split_once(':').ok_or_else(|| format!("\"{word}\" is not RATE:BURST"))?;
        rate.parse::<f64>().map_err(|_| format!("\"{rate}\" is not a rate"))?;
        Ok((rate.to_owned(), number(Some(&burst))?))
    };
    words.unwrap_or_default().iter().map(rate).collect()
}

fn bytes(digits: &str) -> Result<Vec<u8>, String> {
    if !digits.len().is_multiple_of(2) {
        return Err("a packet needs an even number of hexadecimal digits".to_owned());
    }
    p4sim::requests::from_hex(digits).map_err(|e| e.to_string())
}

fn pattern(digits: &str) -> Result<Pattern, String> {
    let (digits, exact) = match digits.strip_suffix('$') {
        Some(digits) => (digits, true),
        None => (digits, false),
    };
    match digits.chars().find(|c| !c.is_ascii_hexdigit() && *c != '*') {
        Some(wrong) => Err(format!("'{wrong}' in a packet")),
        None => Ok(Pattern { digits: digits.to_owned(), exact }),
    }
}

/// `table [priority] key:value… action(name:value, …) [= id]`
fn add(text: &str) -> Result<Command, String> {
    let open = text.find('(').ok_or("expected an action with arguments in parentheses")?;
    let before: Vec<&str> = text[..open].split_whitespace().collect();
    let (table, keys, action) = match before.as_slice() {
        [table, keys @ .., action] => (*table, keys, *action),
        _ => return Err("expected a table, a key and an action".to_owned()),
    };
    let (priority, keys) = match keys {
        [first, rest @ ..] if first.bytes().all(|b| b.is_ascii_digit()) => (Some(number(Some(first))?), rest),
        keys => (None, keys),
    };
    let priority = priority.map(|p: u32| i32::try_from(p).map_err(|_| "the priority is too large")).transpose()?;
    let pair = |text: &&str| {
        let (key, value) = text.split_once(':').ok_or_else(|| format!("\"{text}\" is not KEY:VALUE"))?;
        Ok::<_, String>((key.to_owned(), value.to_owned()))
    };
    let keys = keys.iter().map(pair).collect::<Result<_, _>>()?;
    let action = action_text(&format!("{action}{}", &text[open..]))?;
    Ok(Command::Add { table: table.to_owned(), priority, keys, action })
}

/// `name(arg:value, …)`
fn action_text(text: &str) -> Result<ActionText, String> {
    let (name, rest) = text.split_once('(').ok_or("expected an action with arguments in parentheses")?;
    let (args, _) = rest.split_once(')').ok_or("there is no closing parenthesis")?;
    let arg = |text: &str| {
        let (name, value) = text.split_once(':').ok_or_else(|| format!("\"{text}\" is not NAME:VALUE"))?;
        Ok::<_, String>((name.trim().to_owned(), value.trim().to_owned()))
    };
    let args = args.split(',').map(str::trim).filter(|a| !a.is_empty()).map(arg).collect::<Result<_, _>>()?;
    Ok(ActionText { name: name.trim().to_owned(), args })
}

/// `name(index) [packets|bytes] == number`
fn check(text: &str) -> Result<(String, usize, Check, bool), String> {
    let (name, rest) = text.split_once('(').ok_or("expected NAME(INDEX)")?;
    let (index, rest) = rest.split_once(')').ok_or("there is no closing parenthesis")?;
    let index = number(Some(&index.trim()))?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (bytes, words) = match words.as_slice() {
        [kind, rest @ ..] if kind.eq_ignore_ascii_case("bytes") => (true, rest),
        [kind, rest @ ..] if kind.eq_ignore_ascii_case("packets") => (false, rest),
        words => (false, words),
    };
    let check = match words {
        [] => Check { operator: "==".to_owned(), value: 0 },
        [operator, value] => Check { operator: (*operator).to_owned(), value: number(Some(value))? },
        _ => return Err("expected a comparison: == NUMBER".to_owned()),
    };
    Ok((name.trim().to_owned(), index, check, bytes))
}

impl Check {
    /// Whether a number passes; nothing if the operator is unknown.
    #[must_use]
    pub fn holds(&self, actual: u128) -> Option<bool> {
        Some(match self.operator.as_str() {
            "==" => actual == self.value,
            "!=" => actual != self.value,
            "<" => actual < self.value,
            "<=" => actual <= self.value,
            ">" => actual > self.value,
            ">=" => actual >= self.value,
            _ => return None,
        })
    }
}
