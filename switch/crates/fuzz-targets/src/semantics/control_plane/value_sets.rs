//! Members of value sets.

use fuzz_oracle::random::Random;
use fuzz_oracle::reference::Memory;
use p4_types::typed::{Program, ValueSetId};
use v1model::{Switch, ValueSetMember};

/// Members at most.
const MEMBERS: usize = 3;

/// Gives all value sets random members, which a set has in all instances of its parser.
pub(super) fn write(
    program: &Program,
    random: &mut Random,
    switch: &mut Switch,
    memory: &mut Memory,
) -> Result<(), String> {
    let sets: Vec<_> = switch.program().into_iter().flat_map(|program| program.value_sets().to_vec()).collect();
    for (index, set) in program.value_sets.iter().enumerate() {
        let width = program.width(&program[ValueSetId::from_index(index)].element).unwrap_or_default();
        let members: Vec<u128> =
            (0..random.below(MEMBERS + 1)).map(|_| u128::from(random.draw() & ((1 << width) - 1))).collect();
        let suffix = format!(".{}", set.name);
        for own in sets.iter().filter(|own| own.name.ends_with(&suffix)) {
            let member = |value: &u128| ValueSetMember { value: vec![*value as u8], mask: None, ranges: vec![] };
            let members = members.iter().map(member).collect();
            switch.value_set_write(own.id, members).map_err(|error| error.to_string())?;
        }
        memory.control_plane.value_sets.insert(index, members);
    }
    Ok(())
}
