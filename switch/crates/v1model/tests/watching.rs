//! Present values of tables, registers and counters: counted for each packet, and read without a key.

mod common;

use common::{FEATURES, Rig, exact, request};
use v1model::{ActionSpec, EntryHits, TableCounts};

fn hits(rig: &Rig, table: &str) -> Vec<(u64, u64)> {
    let id = rig.switch.table_id(table).expect("a table");
    let (entries, _) = rig.switch.entry_hits(id, 0..usize::MAX).expect("a table");
    entries.map(|EntryHits { id, hits, .. }| (id, hits)).collect()
}

#[test]
fn hits_and_misses_are_counted() {
    let mut rig = Rig::new(&FEATURES);
    let table = rig.switch.table_id("Act.exactly").expect("a table");
    let key = |index: u8| vec![exact(&[0x12, 0x34]), exact(&[index])];
    rig.add("Act.exactly", key(5), "Act.counted", &[&[7]]);
    rig.add("Act.exactly", key(6), "Act.counted", &[&[7]]);
    let changes = rig.switch.table_counts(table).expect("a table").changes;
    for index in [5, 5, 6, 7, 5] {
        rig.send(1, &request(1, index, 0x1234, 0, 0));
    }
    let counts = rig.switch.table_counts(table).expect("a table");
    assert_eq!(counts, TableCounts { entries: 2, hits: 4, misses: 1, changes });
    assert_eq!(hits(&rig, "Act.exactly"), [(1, 3), (2, 1)]);
    assert_eq!(rig.switch.table_entry(table, &key(5), 0).map(|view| view.hits), Ok(3));

    // Another action does not change an entry's hits; misses are counted from the time the default action was set.
    let other = rig.entry("Act.exactly", key(5), "Act.drop", &[]);
    rig.switch.table_modify(table, other, 0).expect("the entry is there");
    assert_eq!(rig.switch.table_entry(table, &key(5), 0).map(|view| view.hits), Ok(3));
    let drop = rig.call("Act.exactly", "Act.drop", &[]);
    rig.switch.table_set_default(table, ActionSpec::Call(drop)).expect("it can be set");
    let counts = rig.switch.table_counts(table).expect("a table");
    assert_eq!((counts.hits, counts.misses, counts.changes), (4, 0, changes + 2));

    // A new entry is another one, also in the place of one that is gone.
    rig.switch.table_delete(table, &key(5), 0).expect("the entry is there");
    rig.add("Act.exactly", key(9), "Act.counted", &[&[7]]);
    assert_eq!(hits(&rig, "Act.exactly"), [(3, 0), (2, 1)]);
    rig.switch.table_clear(table).expect("it can be emptied");
    rig.add("Act.exactly", key(9), "Act.counted", &[&[7]]);
    assert_eq!(hits(&rig, "Act.exactly"), [(4, 0)]);
    assert_eq!(rig.switch.table_counts(table).map(|counts| (counts.entries, counts.hits)), Ok((1, 4)));
}

#[test]
fn entries_are_read_by_number() {
    let mut rig = Rig::new(&FEATURES);
    let table = rig.switch.table_id("Act.exactly").expect("a table");
    for index in 1..=3 {
        rig.add("Act.exactly", vec![exact(&[0, 1]), exact(&[index])], "Act.counted", &[&[7]]);
    }
    let (entries, end) = rig.switch.entry_hits(table, 1..2).expect("a table");
    let numbers: Vec<u32> = entries.map(|entry| entry.number).collect();
    assert_eq!((numbers, end), (vec![1], 3));
    let view = rig.switch.entry_numbered(table, 1).expect("a table").expect("an entry");
    assert_eq!(view.entry.key, vec![exact(&[0, 1]), exact(&[2])]);
    assert!(rig.switch.entry_numbered(table, 9).expect("a table").is_none());
    assert_eq!(rig.switch.entry_hits(table, 7..9).expect("a table").0.count(), 0);
}

#[test]
fn cells_in_use_are_found() {
    let mut rig = Rig::new(&FEATURES);
    let cells = rig.switch.register_id("Act.cells").expect("a register");
    assert_eq!(rig.switch.cells_in_use(cells, 0..8).expect("a register").count(), 0);
    for index in [3, 5] {
        rig.switch.register_write(cells, index, &[1]).expect("a cell");
    }
    let found: Vec<usize> = rig.switch.cells_in_use(cells, 0..5).expect("a register").collect();
    assert_eq!(found, [3]);
    let counters = rig.switch.program().expect("a program").counters().to_vec();
    let counter = rig.switch.counter_id(&counters[0].name).expect("a counter");
    assert_eq!(rig.switch.counter_cells(counter).map(<[_]>::len), Ok(counters[0].size));
}
