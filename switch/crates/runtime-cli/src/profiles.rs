//! Action profiles and selectors. Handles of members and groups are their ids.

use v1model::{ActionId, ActionProfileId, ActionProfileInfo, ProfileGroup, ProfileMember, TableKind};

use crate::Command;
use crate::arguments::{at_least, exactly, position};
use crate::commands::Done;
use crate::failure::{Failure, usage};
use crate::tables::{add_indirect, check_indirect, set_default_indirect};

fn member_handle(text: &str) -> Result<u32, Failure> {
    position(text, "member handle").map(|handle| handle.id())
}

fn group_handle(text: &str) -> Result<u32, Failure> {
    position(text, "group handle").map(|handle| handle.id())
}

impl Command<'_> {
    fn action_of_profile(&self, info: &ActionProfileInfo, profile: &str, name: &str) -> Result<ActionId, Failure> {
        let action = self.runtime.action_among(&self.runtime.actions_of_profile(info), name);
        action.ok_or_else(|| usage(format!("Action profile '{profile}' has no action '{name}'")))
    }

    /// The words with the profile's name in place of the table's, as older commands have it.
    fn of_table(&self, args: &[&str], with_groups: bool, only_shows: bool) -> Result<Vec<String>, Failure> {
        at_least(args, 1)?;
        let info = self.table(args[0])?;
        check_indirect(&info, with_groups)?;
        let (TableKind::Selector(id) | TableKind::Profile(id)) = info.kind else { return Ok(Vec::new()) };
        let profile = self.runtime.profile_of(id);
        if !only_shows && profile.is_some_and(|profile| profile.tables.len() > 1) {
            return Err(usage("Legacy command does not work with shared action profiles"));
        }
        let name = profile.map(|profile| profile.name.clone()).unwrap_or_default();
        Ok(std::iter::once(name).chain(args[1..].iter().map(|word| (*word).to_owned())).collect())
    }

    fn print_member(&mut self, member: &ProfileMember) {
        self.print(format!("Dumping member {}", member.id));
        self.print(format!("Action entry: {}", self.action_line(&member.call)));
    }

    fn print_group(&mut self, group: &ProfileGroup) {
        let members: Vec<String> = group.members.iter().map(|member| member.member.to_string()).collect();
        self.print(format!("Dumping group {}", group.id));
        self.print(format!("Members: [{}]", members.join(", ")));
    }

    pub(crate) fn dump_profile(&mut self, id: ActionProfileId) -> Result<(), Failure> {
        self.print("==========");
        self.print("MEMBERS");
        for member in self.runtime.members(id)? {
            self.print("**********");
            self.print_member(&member);
        }
        if self.runtime.profile_of(id).is_some_and(|info| info.with_selector) {
            self.print("==========");
            self.print("GROUPS");
            for group in self.runtime.groups(id)? {
                self.print("**********");
                self.print_group(&group);
            }
        }
        Ok(())
    }
}

pub(crate) fn create_member(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 2)?;
    let info = work.profile(args[0])?;
    let action = work.action_of_profile(&info, args[0], args[1])?;
    let call = work.call(action, work.runtime.action_name(action), &args[2..])?;
    let id = work.runtime.create_member(&info, call.what)?;
    work.print(format!("Member has been created with handle {id}"));
    Ok(None)
}

pub(crate) fn modify_member(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 3)?;
    let info = work.profile(args[0])?;
    let action = work.action_of_profile(&info, args[0], args[1])?;
    let id = member_handle(args[2])?;
    let words = args[3..].strip_prefix(&["=>"]).unwrap_or(&args[3..]);
    let call = work.call(action, work.runtime.action_name(action), words)?;
    work.runtime.modify_member(&info, id, call.what)?;
    Ok(None)
}

pub(crate) fn delete_member(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, member] = exactly(args)?;
    let info = work.profile(name)?;
    work.runtime.delete_member(&info, member_handle(member)?)?;
    Ok(None)
}

fn check_selector(info: &ActionProfileInfo) -> Result<(), Failure> {
    let without = "Cannot run this command on an action profile without selector";
    if info.with_selector { Ok(()) } else { Err(usage(without)) }
}

pub(crate) fn create_group(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.profile(name)?;
    check_selector(&info)?;
    let id = work.runtime.create_group(&info)?;
    work.print(format!("Group has been created with handle {id}"));
    Ok(None)
}

pub(crate) fn delete_group(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, group] = exactly(args)?;
    let info = work.profile(name)?;
    check_selector(&info)?;
    work.runtime.delete_group(&info, group_handle(group)?)?;
    Ok(None)
}

pub(crate) fn add_member_to_group(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, member, group] = exactly(args)?;
    let info = work.profile(name)?;
    check_selector(&info)?;
    work.runtime.add_to_group(&info, member_handle(member)?, group_handle(group)?)?;
    Ok(None)
}

pub(crate) fn remove_member_from_group(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, member, group] = exactly(args)?;
    let info = work.profile(name)?;
    check_selector(&info)?;
    work.runtime.remove_from_group(&info, member_handle(member)?, group_handle(group)?)?;
    Ok(None)
}

pub(crate) fn dump(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.profile(name)?;
    work.dump_profile(info.id)?;
    Ok(None)
}

pub(crate) fn dump_member(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, member] = exactly(args)?;
    let info = work.profile(name)?;
    let member = work.runtime.member(info.id, member_handle(member)?)?;
    work.print_member(&member);
    Ok(None)
}

pub(crate) fn dump_group(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, group] = exactly(args)?;
    let info = work.profile(name)?;
    let group = work.runtime.group(info.id, group_handle(group)?)?;
    work.print_group(&group);
    Ok(None)
}

pub(crate) fn table_add(work: &mut Command<'_>, args: &[&str]) -> Done {
    add_indirect(work, args, false)
}

pub(crate) fn table_add_with_group(work: &mut Command<'_>, args: &[&str]) -> Done {
    add_indirect(work, args, true)
}

pub(crate) fn table_set_default(work: &mut Command<'_>, args: &[&str]) -> Done {
    set_default_indirect(work, args, false)
}

pub(crate) fn table_set_default_with_group(work: &mut Command<'_>, args: &[&str]) -> Done {
    set_default_indirect(work, args, true)
}

/// A command about a table's profile that is named by the table.
macro_rules! of_table {
    ($($name:ident: $command:ident, $with_groups:literal, $only_shows:literal;)*) => {$(
        pub(crate) fn $name(work: &mut Command<'_>, args: &[&str]) -> Done {
            let words = work.of_table(args, $with_groups, $only_shows)?;
            $command(work, &words.iter().map(String::as_str).collect::<Vec<_>>())
        }
    )*};
}

of_table! {
    create_member_of_table: create_member, false, false;
    modify_member_of_table: modify_member, false, false;
    delete_member_of_table: delete_member, false, false;
    create_group_of_table: create_group, true, false;
    delete_group_of_table: delete_group, true, false;
    add_member_to_group_of_table: add_member_to_group, true, false;
    remove_member_from_group_of_table: remove_member_from_group, true, false;
    dump_member_of_table: dump_member, false, true;
    dump_group_of_table: dump_group, false, true;
}
