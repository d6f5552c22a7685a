//! The list of commands.

use bmv2_runtime::time_since_epoch_us;

use crate::arguments::exactly;
use crate::failure::Failure;
use crate::{Command, Outcome, arrays, calculations, ports, profiles, queues, replication, tables, value_sets};

/// The result of a command, apart from its output: nothing more, or an operation that others have to do.
pub(crate) type Done = Result<Option<Outcome>, Failure>;

/// A command.
pub(crate) struct Entry {
    name: &'static str,
    pub(crate) run: fn(&mut Command<'_>, &[&str]) -> Done,
    /// One line, ending with how it is written.
    help: &'static str,
}

const fn entry(name: &'static str, run: fn(&mut Command<'_>, &[&str]) -> Done, help: &'static str) -> Entry {
    Entry { name, run, help }
}

const COMMANDS: &[Entry] = &[
    entry("show_tables", tables::show_tables, "List tables defined in the P4 program: show_tables"),
    entry("show_actions", tables::show_actions, "List actions of the program's tables: show_actions"),
    entry(
        "table_show_actions",
        tables::table_show_actions,
        "List one table's actions: table_show_actions <table name>",
    ),
    entry("table_info", tables::table_info, "Show a table and its actions: table_info <table name>"),
    entry(
        "table_add",
        tables::table_add,
        "Add an entry: table_add <table name> <action name> <match fields> => <action parameters> [priority]",
    ),
    entry(
        "table_modify",
        tables::table_modify,
        "Give an entry another action: table_modify <table name> <action name> <entry handle> [action parameters]",
    ),
    entry("table_delete", tables::table_delete, "Delete an entry: table_delete <table name> <entry handle>"),
    entry("table_clear", tables::table_clear, "Delete all entries, but not the default: table_clear <table name>"),
    entry("table_num_entries", tables::table_num_entries, "Number of entries: table_num_entries <table name>"),
    entry(
        "table_set_default",
        tables::table_set_default,
        "Set the default action: table_set_default <table name> <action name> <action parameters>",
    ),
    entry(
        "table_reset_default",
        tables::table_reset_default,
        "Back to the program's default action: table_reset_default <table name>",
    ),
    entry(
        "table_set_timeout",
        tables::table_set_timeout,
        "Set an entry's idle timeout: table_set_timeout <table name> <entry handle> <timeout (ms)>",
    ),
    entry("table_dump", tables::table_dump, "Show all entries: table_dump <table name>"),
    entry("table_dump_entry", tables::table_dump_entry, "Show an entry: table_dump_entry <table name> <entry handle>"),
    entry(
        "table_dump_entry_from_key",
        tables::table_dump_entry_from_key,
        "Show an entry: table_dump_entry_from_key <table name> <match fields> [priority]",
    ),
    entry(
        "table_indirect_add",
        profiles::table_add,
        "Add an entry with a member: table_indirect_add <table name> <match fields> => <member handle> [priority]",
    ),
    entry(
        "table_indirect_add_with_group",
        profiles::table_add_with_group,
        "Add an entry with a group: table_indirect_add_with_group <table name> <match fields> => <group handle> [priority]",
    ),
    entry(
        "table_indirect_delete",
        tables::table_indirect_delete,
        "Delete an entry: table_indirect_delete <table name> <entry handle>",
    ),
    entry(
        "table_indirect_set_default",
        profiles::table_set_default,
        "Set the default member: table_indirect_set_default <table name> <member handle>",
    ),
    entry(
        "table_indirect_set_default_with_group",
        profiles::table_set_default_with_group,
        "Set the default group: table_indirect_set_default_with_group <table name> <group handle>",
    ),
    entry(
        "table_indirect_reset_default",
        tables::table_indirect_reset_default,
        "Back to the program's default: table_indirect_reset_default <table name>",
    ),
    entry(
        "act_prof_create_member",
        profiles::create_member,
        "Add a member: act_prof_create_member <action profile name> <action name> [action parameters]",
    ),
    entry(
        "act_prof_modify_member",
        profiles::modify_member,
        "Give a member another action: act_prof_modify_member <action profile name> <action name> <member handle> [action parameters]",
    ),
    entry(
        "act_prof_delete_member",
        profiles::delete_member,
        "Delete a member: act_prof_delete_member <action profile name> <member handle>",
    ),
    entry("act_prof_create_group", profiles::create_group, "Add a group: act_prof_create_group <action profile name>"),
    entry(
        "act_prof_delete_group",
        profiles::delete_group,
        "Delete a group: act_prof_delete_group <action profile name> <group handle>",
    ),
    entry(
        "act_prof_add_member_to_group",
        profiles::add_member_to_group,
        "Put a member into a group: act_prof_add_member_to_group <action profile name> <member handle> <group handle>",
    ),
    entry(
        "act_prof_remove_member_from_group",
        profiles::remove_member_from_group,
        "Take a member out of a group: act_prof_remove_member_from_group <action profile name> <member handle> <group handle>",
    ),
    entry("act_prof_dump", profiles::dump, "Show members and groups: act_prof_dump <action profile name>"),
    entry(
        "act_prof_dump_member",
        profiles::dump_member,
        "Show a member: act_prof_dump_member <action profile name> <member handle>",
    ),
    entry(
        "act_prof_dump_group",
        profiles::dump_group,
        "Show a group: act_prof_dump_group <action profile name> <group handle>",
    ),
    entry(
        "table_indirect_create_member",
        profiles::create_member_of_table,
        "Older act_prof_create_member: table_indirect_create_member <table name> <action name> [action parameters]",
    ),
    entry(
        "table_indirect_modify_member",
        profiles::modify_member_of_table,
        "Older act_prof_modify_member: table_indirect_modify_member <table name> <action name> <member handle> [action parameters]",
    ),
    entry(
        "table_indirect_delete_member",
        profiles::delete_member_of_table,
        "Older act_prof_delete_member: table_indirect_delete_member <table name> <member handle>",
    ),
    entry(
        "table_indirect_create_group",
        profiles::create_group_of_table,
        "Older act_prof_create_group: table_indirect_create_group <table name>",
    ),
    entry(
        "table_indirect_delete_group",
        profiles::delete_group_of_table,
        "Older act_prof_delete_group: table_indirect_delete_group <table name> <group handle>",
    ),
    entry(
        "table_indirect_add_member_to_group",
        profiles::add_member_to_group_of_table,
        "Older act_prof_add_member_to_group: table_indirect_add_member_to_group <table name> <member handle> <group handle>",
    ),
    entry(
        "table_indirect_remove_member_from_group",
        profiles::remove_member_from_group_of_table,
        "Older act_prof_remove_member_from_group: table_indirect_remove_member_from_group <table name> <member handle> <group handle>",
    ),
    entry(
        "table_dump_member",
        profiles::dump_member_of_table,
        "Show a member: table_dump_member <table name> <member handle>",
    ),
    entry(
        "table_dump_group",
        profiles::dump_group_of_table,
        "Show a group: table_dump_group <table name> <group handle>",
    ),
    entry("counter_read", arrays::counter_read, "Read a counter: counter_read <name> <index>"),
    entry("counter_write", arrays::counter_write, "Set a counter: counter_write <name> <index> <packets> <bytes>"),
    entry("counter_reset", arrays::counter_reset, "Set all cells of a counter to 0: counter_reset <name>"),
    entry("register_read", arrays::register_read, "Read a register: register_read <name> [index]"),
    entry("register_write", arrays::register_write, "Set a register: register_write <name> <index> <value>"),
    entry("register_reset", arrays::register_reset, "Set all cells of a register to 0: register_reset <name>"),
    entry(
        "meter_array_set_rates",
        arrays::meter_array_set_rates,
        "Set the rates of all cells: meter_array_set_rates <name> <rate_1>:<burst_1> <rate_2>:<burst_2>",
    ),
    entry(
        "meter_set_rates",
        arrays::meter_set_rates,
        "Set rates, in units a microsecond: meter_set_rates <name> <index> <rate_1>:<burst_1> <rate_2>:<burst_2>",
    ),
    entry("meter_get_rates", arrays::meter_get_rates, "Show rates: meter_get_rates <name> <index>"),
    entry("mirroring_add", replication::mirroring_add, "Mirror to a port: mirroring_add <mirror id> <egress port>"),
    entry(
        "mirroring_add_mc",
        replication::mirroring_add_mc,
        "Mirror to a multicast group: mirroring_add_mc <mirror id> <group id>",
    ),
    entry(
        "mirroring_delete",
        replication::mirroring_delete,
        "Delete a mirroring session: mirroring_delete <mirror id>",
    ),
    entry("mirroring_get", replication::mirroring_get, "Show a mirroring session: mirroring_get <mirror id>"),
    entry("mc_mgrp_create", replication::mgrp_create, "Create a multicast group: mc_mgrp_create <group id>"),
    entry("mc_mgrp_destroy", replication::mgrp_destroy, "Delete a multicast group: mc_mgrp_destroy <group id>"),
    entry(
        "mc_node_create",
        replication::node_create,
        "Create a multicast node: mc_node_create <rid> <space-separated port list>",
    ),
    entry(
        "mc_node_update",
        replication::node_update,
        "Change a node's ports: mc_node_update <node handle> <space-separated port list>",
    ),
    entry(
        "mc_node_associate",
        replication::node_associate,
        "Put a node into a group: mc_node_associate <group id> <node handle>",
    ),
    entry(
        "mc_node_dissociate",
        replication::node_dissociate,
        "Take a node out of a group: mc_node_dissociate <group id> <node handle>",
    ),
    entry("mc_node_destroy", replication::node_destroy, "Delete a node: mc_node_destroy <node handle>"),
    entry("mc_dump", replication::dump, "Show all multicast groups: mc_dump"),
    entry(
        "set_queue_depth",
        queues::set_depth,
        "Set how many packets may wait: set_queue_depth <packets> [<egress port> [<priority>]]",
    ),
    entry(
        "set_queue_rate",
        queues::set_rate,
        "Set packets a second: set_queue_rate <rate> [<egress port> [<priority>]]",
    ),
    entry(
        "set_crc16_parameters",
        calculations::set_crc16,
        "Change a crc16_custom hash: set_crc16_parameters <name> <polynomial> <initial remainder> <final xor value> <reflect data?> <reflect remainder?>",
    ),
    entry(
        "set_crc32_parameters",
        calculations::set_crc32,
        "Change a crc32_custom hash: set_crc32_parameters <name> <polynomial> <initial remainder> <final xor value> <reflect data?> <reflect remainder?>",
    ),
    entry("port_add", ports::add, "Make an interface a port: port_add <iface_name> <port_num>"),
    entry("port_remove", ports::remove, "Take a port away: port_remove <port_num>"),
    entry("show_ports", ports::show, "List the ports: show_ports"),
    entry("show_pvs", value_sets::show, "List parser value sets: show_pvs"),
    entry("pvs_add", value_sets::add, "Add a value to a parser value set: pvs_add <name> <value>"),
    entry("pvs_remove", value_sets::remove, "Remove a value: pvs_remove <name> <value>"),
    entry("pvs_get", value_sets::get, "Show all values: pvs_get <name>"),
    entry("pvs_clear", value_sets::clear, "Remove all values: pvs_clear <name>"),
    entry("reset_state", reset_state, "Delete everything that was written since the program was loaded: reset_state"),
    entry("get_time_elapsed", time_elapsed, "Microseconds since the switch started: get_time_elapsed"),
    entry("get_time_since_epoch", time_since_epoch, "Microseconds since 1970: get_time_since_epoch"),
];

pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// All names, or the help of one command.
pub(crate) fn help(name: Option<&str>) -> String {
    match name {
        None => {
            let mut names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
            names.sort_unstable();
            format!("Documented commands (type help <topic>):\n{}\n{}\n", "=".repeat(40), names.join("\n"))
        }
        Some(name) => match find(name) {
            Some(command) => format!("{}\n", command.help),
            None => format!("*** No help on {name}\n"),
        },
    }
}

fn reset_state(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [] = exactly(args)?;
    work.runtime.reset_state();
    Ok(None)
}

fn time_elapsed(work: &mut Command<'_>, _: &[&str]) -> Done {
    work.print(work.runtime.time_elapsed_us().to_string());
    Ok(None)
}

fn time_since_epoch(work: &mut Command<'_>, _: &[&str]) -> Done {
    work.print(time_since_epoch_us().to_string());
    Ok(None)
}
