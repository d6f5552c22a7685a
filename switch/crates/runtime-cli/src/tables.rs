//! Tables: a list of them, their entries and default actions.

use bmv2_runtime::{Refusal, bmv2_priority, check_direct, with_room, without_zeros};
use num_traits::{ToPrimitive, Zero};
use v1model::{ActionCall, ActionId, ActionSpec, EntryView, KeyInfo, KeyMatch, MatchKind, TableInfo, TableKind};

use crate::Command;
use crate::arguments::{Position, at_least, exactly, position};
use crate::commands::Done;
use crate::failure::{Failure, usage};
use crate::integer::decimal;
use crate::values::{bytes_of, hex, with_colons};

fn kind_name(kind: MatchKind) -> &'static str {
    match kind {
        MatchKind::Exact => "exact",
        MatchKind::Lpm => "lpm",
        // BMv2's JSON has no other name for it.
        MatchKind::Ternary | MatchKind::Optional => "ternary",
        MatchKind::Range => "range",
        MatchKind::Valid => "valid",
    }
}

/// The kind of a whole table.
fn table_kind(info: &TableInfo) -> &'static str {
    let has = |kind: &str| info.keys.iter().any(|key| kind_name(key.kind) == kind);
    ["range", "ternary", "lpm"].into_iter().find(|kind| has(kind)).unwrap_or("exact")
}

fn key_of(keys: &[KeyInfo], words: &[&str]) -> Result<Vec<KeyMatch>, Failure> {
    keys.iter().zip(words).map(|(key, word)| match_of(key, word)).collect()
}

fn match_of(key: &KeyInfo, word: &str) -> Result<KeyMatch, Failure> {
    let value = |text: &str| {
        bytes_of(text, key.width).map_err(|why| Failure::Key(format!("Error while parsing {text} - {why}")))
    };
    let parts = |sign: &str, kind: &str, which: &str| {
        let parts: Vec<&str> = word.split(sign).collect();
        match parts[..] {
            [first, second] => Ok((first.to_owned(), second.to_owned())),
            _ => Err(Failure::Key(format!("Invalid {kind} value {word}, use '{sign}' to separate {which}"))),
        }
    };
    Ok(match key.kind {
        MatchKind::Exact => KeyMatch::Exact(value(word)?),
        MatchKind::Lpm => {
            let (prefix, length) = parts("/", "LPM", "prefix and length")?;
            let value = value(&prefix)?;
            let length = decimal(&length).ok_or_else(|| Failure::Key(format!("Invalid LPM length {length}")))?;
            // The switch refuses a length that is out of range.
            KeyMatch::Lpm { value, prefix_len: length.to_u32().unwrap_or(u32::MAX) }
        }
        MatchKind::Ternary => {
            let (text, mask) = parts("&&&", "ternary", "key and mask")?;
            KeyMatch::Ternary { value: value(&text)?, mask: value(&mask)? }
        }
        MatchKind::Optional => {
            let (text, mask) = parts("&&&", "ternary", "key and mask")?;
            let mask = value(&mask)?;
            let ones: u32 = mask.iter().map(|byte| byte.count_ones()).sum();
            match ones {
                0 => KeyMatch::Optional(None),
                _ if ones == key.width => KeyMatch::Optional(Some(value(&text)?)),
                _ => return Err(Failure::Key(format!("{} takes one value or any, not a mask", key.name))),
            }
        }
        MatchKind::Range => {
            let (low, high) = parts("->", "range", "range start and range end")?;
            let (low, high) = (value(&low)?, value(&high)?);
            if low > high {
                return Err(Failure::Key(format!("start is less than end in expression {word}")));
            }
            KeyMatch::Range { low, high }
        }
        MatchKind::Valid => {
            let wrong = || Failure::Key(format!("Invalid value {word}: 1 for a valid header, 0 for one that is not"));
            KeyMatch::Valid(!decimal(word).ok_or_else(wrong)?.is_zero())
        }
    })
}

/// `LPM-0a:00:01:00/24`
fn key_text(key: &KeyMatch, separated: fn(&[u8]) -> String) -> String {
    match key {
        KeyMatch::Exact(value) => separated(value),
        KeyMatch::Lpm { value, prefix_len } => format!("{}/{prefix_len}", separated(value)),
        KeyMatch::Ternary { value, mask } => format!("{} &&& {}", separated(value), separated(mask)),
        KeyMatch::Optional(Some(value)) => {
            format!("{} &&& {}", separated(value), separated(&vec![0xff; value.len()]))
        }
        KeyMatch::Optional(None) => format!("{0} &&& {0}", separated(&[0])),
        KeyMatch::Range { low, high } => format!("{} -> {}", separated(low), separated(high)),
        KeyMatch::Valid(valid) => if *valid { "01" } else { "00" }.to_owned(),
    }
}

impl Command<'_> {
    /// One of a table's actions.
    fn action_of(&self, info: &TableInfo, table: &str, name: &str) -> Result<ActionId, Failure> {
        let action = self.runtime.action_among(&info.actions, name);
        action.ok_or_else(|| usage(format!("Table {table} has no action {name}")))
    }

    /// An action with its parameters; `name` is for the message.
    pub(crate) fn call(&self, action: ActionId, name: &str, words: &[&str]) -> Result<Given<ActionCall>, Failure> {
        let widths = || self.runtime.widths_of(action);
        if widths().len() != words.len() {
            return Err(usage(format!("Action {name} needs {} parameters", widths().len())));
        }
        let value = |(word, width): (&&str, u32)| {
            bytes_of(word, width).map_err(|why| Failure::Data(format!("Error while parsing {word} - {why}")))
        };
        let read: Vec<Vec<u8>> = words.iter().zip(widths()).map(value).collect::<Result<_, _>>()?;
        let data: Vec<String> = read.iter().map(|bytes| with_colons(bytes)).collect();
        let params = read.into_iter().zip(widths()).map(|(bytes, width)| with_room(bytes, width)).collect();
        Ok(Given { what: ActionCall { action, params }, shown: data.join("\t") })
    }

    fn print_data(&mut self, name: &str, data: &str) {
        self.print(format!("{:20} {name}", "action:"));
        self.print(format!("{:20} {data}", "runtime data:"));
    }

    /// Adds an entry and says its handle.
    fn add(&mut self, info: &TableInfo, key: Vec<KeyMatch>, priority: i32, action: ActionSpec) -> Result<(), Failure> {
        let handle = self.runtime.add_entry(info, key, priority, action)?;
        self.print(format!("Entry has been added with handle {handle}"));
        Ok(())
    }

    /// The action with its parameters, as numbers of as few bytes as they need.
    pub(crate) fn action_line(&self, call: &ActionCall) -> String {
        let data: Vec<String> = call.params.iter().map(|param| hex(without_zeros(param))).collect();
        format!("{} - {}", self.runtime.action_name(call.action), data.join(", "))
    }

    fn print_action(&mut self, action: Option<&ActionSpec>) {
        let line = match action {
            None => "EMPTY".to_owned(),
            Some(ActionSpec::Call(call)) => format!("Action entry: {}", self.action_line(call)),
            Some(ActionSpec::Member(member)) => format!("Index: member({member})"),
            Some(ActionSpec::Group(group)) => format!("Index: group({group})"),
            Some(ActionSpec::OneShot(set)) => format!("Index: a set of {} actions", set.actions.len()),
        };
        self.print(line);
    }

    fn print_entry(&mut self, info: &TableInfo, handle: u64, view: &EntryView) {
        self.print(format!("Dumping entry 0x{handle:x}"));
        self.print("Match key:");
        let width = info.keys.iter().map(|key| key.field.chars().count()).max().unwrap_or(0).max(20);
        for (key, value) in info.keys.iter().zip(&view.entry.key) {
            let kind = kind_name(key.kind).to_uppercase();
            self.print(format!("* {:width$}: {kind:10}{}", key.field, key_text(value, hex)));
        }
        if info.has_priority {
            self.print(format!("Priority: {}", bmv2_priority(view.entry.priority)));
        }
        self.print_action(Some(&view.entry.action));
        if view.entry.idle_timeout_ns > 0 {
            let since = self.runtime.now_ns.saturating_sub(view.last_hit_ns) / 1_000_000;
            let timeout = view.entry.idle_timeout_ns / 1_000_000;
            self.print(format!("Life: {since}ms since hit, timeout is {timeout}ms"));
        }
    }

    fn table_line(&self, info: &TableInfo) -> String {
        let implementation = match info.kind {
            TableKind::Direct => "None",
            TableKind::Profile(id) | TableKind::Selector(id) => {
                self.runtime.profile_of(id).map_or("None", |profile| &profile.name)
            }
        };
        let key = |key: &KeyInfo| format!("{}({}, {})", key.field, kind_name(key.kind), key.width);
        let keys: Vec<String> = info.keys.iter().map(key).collect();
        format!("{:30} [implementation={implementation}, mk={}]", info.name, keys.join(",\t"))
    }

    fn action_lines(&self, actions: impl Iterator<Item = ActionId>) -> Vec<String> {
        let all = self.runtime.program.actions();
        let infos = actions.filter_map(|id| all.get(id.0 as usize));
        let mut lines: Vec<String> = infos
            .map(|info| {
                let params: Vec<String> = info.params.iter().map(|p| format!("{}({})", p.name, p.width)).collect();
                format!("{:30} [{}]", info.name, params.join(",\t"))
            })
            .collect();
        lines.sort();
        lines.dedup();
        lines
    }
}

/// The value that words say, and how BMv2's command shows them.
pub(crate) struct Given<T> {
    pub(crate) what: T,
    pub(crate) shown: String,
}

/// Key words, the words behind `=>`, and the priority, which tables with masks or ranges have at the end.
struct Sides<'a> {
    key: Vec<&'a str>,
    behind: Vec<&'a str>,
    priority: i32,
}

pub(crate) fn priority_of(info: &TableInfo, words: &mut Vec<&str>) -> Result<i32, Failure> {
    if !info.has_priority {
        return Ok(0);
    }
    let found = words.pop().and_then(decimal);
    let priority = found.ok_or_else(|| usage("Table is ternary, but could not extract a valid priority from args"))?;
    let range = || usage(format!("Priorities are 0 to {}, the most urgent first, not {priority}", i32::MAX - 1));
    priority.to_i32().filter(|priority| (0..i32::MAX).contains(priority)).ok_or_else(range)
}

fn sides_of<'a>(info: &TableInfo, words: &[&'a str]) -> Result<Sides<'a>, Failure> {
    let mut words = words.to_vec();
    let priority = priority_of(info, &mut words)?;
    // BMv2 takes the last word for the arrow where there is none.
    let arrow = words.iter().position(|word| *word == "=>").or_else(|| words.len().checked_sub(1));
    let arrow = arrow.ok_or_else(|| usage("Insufficient number of args"))?;
    Ok(Sides { key: words[..arrow].to_vec(), behind: words[arrow + 1..].to_vec(), priority })
}

/// The key, if it has as many fields as the table.
pub(crate) fn whole_key(info: &TableInfo, name: &str, words: &[&str]) -> Result<Vec<KeyMatch>, Failure> {
    check_count(info, name, words)?;
    key_of(&info.keys, words)
}

fn check_count(info: &TableInfo, name: &str, words: &[&str]) -> Result<(), Failure> {
    if words.len() != info.keys.len() {
        return Err(usage(format!("Table {name} needs {} key fields", info.keys.len())));
    }
    Ok(())
}

fn handle(text: &str) -> Result<Position, Failure> {
    position(text, "entry handle")
}

/// Commands about members are for tables with a profile, those about groups for such with a selector.
pub(crate) fn check_indirect(info: &TableInfo, with_groups: bool) -> Result<(), Failure> {
    bmv2_runtime::check_indirect(info, with_groups).map_err(|_| {
        usage(if with_groups {
            "Cannot run this command on non-indirect table, or on indirect table with no selector"
        } else {
            "Cannot run this command on non-indirect table"
        })
    })
}

pub(crate) fn show_tables(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [] = exactly(args)?;
    for info in work.sorted_tables() {
        work.print(work.table_line(&info));
    }
    Ok(None)
}

pub(crate) fn show_actions(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [] = exactly(args)?;
    let all: Vec<ActionId> = work.sorted_tables().into_iter().flat_map(|info| info.actions).collect();
    work.action_lines(all.into_iter()).into_iter().for_each(|line| work.print(line));
    Ok(None)
}

pub(crate) fn table_show_actions(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.table(name)?;
    work.action_lines(info.actions.into_iter()).into_iter().for_each(|line| work.print(line));
    Ok(None)
}

pub(crate) fn table_info(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.table(name)?;
    work.print(work.table_line(&info));
    work.print("*".repeat(80));
    table_show_actions(work, args)
}

pub(crate) fn table_add(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 3)?;
    let (name, action) = (args[0], args[1]);
    let info = work.table(name)?;
    let id = work.action_of(&info, name, action)?;
    let given = sides_of(&info, &args[2..])?;
    check_count(&info, name, &given.key)?;
    let call = work.call(id, work.runtime.action_name(id), &given.behind)?;
    let key = key_of(&info.keys, &given.key)?;
    work.print(format!("Adding entry to {} match table {name}", table_kind(&info)));
    let shown: Vec<String> = info
        .keys
        .iter()
        .zip(&key)
        .map(|(field, value)| format!("{}-{}", kind_name(field.kind).to_uppercase(), key_text(value, with_colons)))
        .collect();
    work.print(format!("{:20} {}", "match key:", shown.join("\t")));
    work.print_data(action, &call.shown);
    work.add(&info, key, given.priority, ActionSpec::Call(call.what))?;
    Ok(None)
}

pub(crate) fn table_modify(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 3)?;
    let (name, action) = (args[0], args[1]);
    let info = work.table(name)?;
    let id = work.action_of(&info, name, action)?;
    let number = handle(args[2])?;
    let words = args[3..].strip_prefix(&["=>"]).unwrap_or(&args[3..]);
    let call = work.call(id, work.runtime.action_name(id), words)?;
    work.print(format!("Modifying entry {} for {} match table {name}", number.shown, table_kind(&info)));
    work.runtime.modify_entry(&info, number.number, ActionSpec::Call(call.what))?;
    Ok(None)
}

pub(crate) fn table_delete(work: &mut Command<'_>, args: &[&str]) -> Done {
    delete(work, args, check_direct)
}

pub(crate) fn table_indirect_delete(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, _] = exactly(args)?;
    check_indirect(&work.table(name)?, false)?;
    delete(work, args, |_| Ok(()))
}

fn delete(work: &mut Command<'_>, args: &[&str], check: fn(&TableInfo) -> Result<(), Refusal>) -> Done {
    let [name, number] = exactly(args)?;
    let info = work.table(name)?;
    let number = handle(number)?;
    work.print(format!("Deleting entry {} from {name}", number.shown));
    check(&info)?;
    work.runtime.delete_entry(&info, number.number)?;
    Ok(None)
}

pub(crate) fn table_set_timeout(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, number, timeout] = exactly(args)?;
    let info = work.table(name)?;
    if !info.support_timeout {
        return Err(usage(format!("Table {name} does not support entry timeouts")));
    }
    let number = handle(number)?;
    let timeout = position(timeout, "timeout")?;
    work.print(format!("Setting a {} ms timeout for entry {}", timeout.shown, number.shown));
    let timeout_ns = timeout.number.saturating_mul(1_000_000);
    work.runtime.set_entry_timeout(&info, number.number, timeout_ns)?;
    Ok(None)
}

pub(crate) fn table_num_entries(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.table(name)?;
    work.print(work.runtime.entry_count(&info)?.to_string());
    Ok(None)
}

pub(crate) fn table_clear(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.table(name)?;
    work.runtime.clear_entries(&info)?;
    Ok(None)
}

pub(crate) fn table_set_default(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 2)?;
    let (name, action) = (args[0], args[1]);
    let info = work.table(name)?;
    let call = work.call(work.action_of(&info, name, action)?, action, &args[2..])?;
    work.print(format!("Setting default action of {name}"));
    work.print_data(action, &call.shown);
    check_direct(&info)?;
    work.runtime.set_default(&info, ActionSpec::Call(call.what))?;
    Ok(None)
}

pub(crate) fn table_reset_default(work: &mut Command<'_>, args: &[&str]) -> Done {
    reset_default(work, args, check_direct)
}

pub(crate) fn table_indirect_reset_default(work: &mut Command<'_>, args: &[&str]) -> Done {
    reset_default(work, args, |info| bmv2_runtime::check_indirect(info, false))
}

fn reset_default(work: &mut Command<'_>, args: &[&str], check: fn(&TableInfo) -> Result<(), Refusal>) -> Done {
    let [name] = exactly(args)?;
    let info = work.table(name)?;
    check(&info)?;
    work.runtime.reset_default(&info)?;
    Ok(None)
}

pub(crate) fn table_dump(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.table(name)?;
    work.print("==========");
    work.print("TABLE ENTRIES");
    for (number, view) in work.runtime.entries(&info)? {
        work.print("**********");
        work.print_entry(&info, number, &view);
    }
    if let TableKind::Profile(id) | TableKind::Selector(id) = info.kind {
        work.dump_profile(id)?;
    }
    work.print("==========");
    work.print("Dumping default entry");
    let default = work.runtime.default_entry(&info)?;
    work.print_action(default.as_ref());
    work.print("==========");
    Ok(None)
}

pub(crate) fn table_dump_entry(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, number] = exactly(args)?;
    let info = work.table(name)?;
    let number = handle(number)?.number;
    let view = work.runtime.entry(&info, number)?;
    work.print_entry(&info, number, &view);
    Ok(None)
}

pub(crate) fn table_dump_entry_from_key(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 1)?;
    let info = work.table(args[0])?;
    let mut words = args[1..].to_vec();
    let priority = priority_of(&info, &mut words)?;
    let key = whole_key(&info, args[0], &words)?;
    let (number, view) = work.runtime.entry_with_key(&info, key, priority)?;
    work.print_entry(&info, number, &view);
    Ok(None)
}

/// `table_indirect_add` and the like: a member, or a group, stands behind `=>`.
pub(crate) fn add_indirect(work: &mut Command<'_>, args: &[&str], with_groups: bool) -> Done {
    at_least(args, 2)?;
    let info = work.table(args[0])?;
    check_indirect(&info, with_groups)?;
    let given = sides_of(&info, &args[1..])?;
    let [number] = given.behind[..] else {
        return Err(usage("Invalid arguments, could not find handle"));
    };
    let number = position(number, "handle")?.id();
    let key = whole_key(&info, args[0], &given.key)?;
    work.print(format!("Adding entry to indirect match table {}", info.name));
    work.add(&info, key, given.priority, spec(number, with_groups))?;
    Ok(None)
}

pub(crate) fn set_default_indirect(work: &mut Command<'_>, args: &[&str], with_groups: bool) -> Done {
    let [name, number] = exactly(args)?;
    let info = work.table(name)?;
    check_indirect(&info, with_groups)?;
    let number = position(number, "handle")?.id();
    work.runtime.set_default(&info, spec(number, with_groups))?;
    Ok(None)
}

fn spec(number: u32, is_group: bool) -> ActionSpec {
    if is_group { ActionSpec::Group(number) } else { ActionSpec::Member(number) }
}
