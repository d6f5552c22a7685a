#![allow(clippy::unwrap_used)]

use super::*;

const SETTINGS: DigestSettings =
    DigestSettings { max_timeout_ns: 100, max_list_size: 2, ack_timeout_ns: 1000, enabled_ns: 0 };

fn offer(lists: &mut DigestLists, settings: &DigestSettings, value: u8, now_ns: u64) -> Option<List> {
    lists.offer(7, settings, vec![(vec![value], true)], |_| P4Data::default(), now_ns)
}

#[test]
fn a_list_goes_when_it_is_full_or_old() {
    let mut lists = DigestLists::default();
    let all = BTreeMap::from([(7, SETTINGS)]);
    assert_eq!(offer(&mut lists, &SETTINGS, 1, 0), None);
    assert_eq!(offer(&mut lists, &SETTINGS, 1, 1), None, "a duplicate does not fill the list");
    let list = offer(&mut lists, &SETTINGS, 2, 2).unwrap();
    assert_eq!((list.digest, list.id, list.data.len()), (7, 1, 2));
    assert_eq!(lists.next_due_ns(&all), None);
    assert_eq!(offer(&mut lists, &SETTINGS, 3, 10), None);
    assert_eq!(lists.next_due_ns(&all), Some(110));
    assert_eq!(lists.due(&all, 109), []);
    assert_eq!(lists.due(&all, 110).len(), 1);
}

#[test]
fn nothing_is_sent_twice_before_it_is_acknowledged_or_late() {
    let settings = DigestSettings { max_timeout_ns: 0, ..SETTINGS };
    let mut lists = DigestLists::default();
    let first = offer(&mut lists, &settings, 1, 0).unwrap();
    assert_eq!(offer(&mut lists, &settings, 1, 1), None);
    lists.acknowledge(7, first.id);
    assert!(offer(&mut lists, &settings, 1, 2).is_some());
    assert_eq!(offer(&mut lists, &settings, 1, 1501), None);
    assert!(offer(&mut lists, &settings, 1, 1502).is_some());
}

#[test]
fn without_an_acknowledgement_time_nothing_is_remembered() {
    let settings = DigestSettings { max_timeout_ns: 0, ack_timeout_ns: 0, max_list_size: 0, enabled_ns: 0 };
    let mut lists = DigestLists::default();
    assert!(offer(&mut lists, &settings, 1, 0).is_some());
    assert!(offer(&mut lists, &settings, 1, 0).is_some());
}

#[test]
fn a_digest_that_is_enabled_anew_remembers_nothing() {
    let settings = DigestSettings { max_timeout_ns: 0, ..SETTINGS };
    let mut lists = DigestLists::default();
    assert!(offer(&mut lists, &settings, 1, 0).is_some());
    assert_eq!(offer(&mut lists, &settings, 1, 1), None);
    let anew = DigestSettings { enabled_ns: 2, ..settings };
    assert!(offer(&mut lists, &anew, 1, 3).is_some());
    assert_eq!(offer(&mut lists, &anew, 1, 4), None);
}

#[test]
fn a_disabled_digest_is_forgotten() {
    let mut lists = DigestLists::default();
    assert_eq!(offer(&mut lists, &SETTINGS, 1, 0), None);
    assert_eq!(lists.due(&BTreeMap::new(), 1000), []);
    assert_eq!(lists.due(&BTreeMap::from([(7, SETTINGS)]), 1000), []);
}
