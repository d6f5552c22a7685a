#![allow(clippy::unwrap_used)]

use p4runtime_proto::runtime::Update;

use super::*;
use crate::fixture::{cell, config, of_cell, of_entry, route};
use crate::write::{Atomicity, apply_batch};

fn loaded(cells: i32) -> (Pipeline, Switch) {
    let pipeline = Pipeline::verify(Some(config(cells))).unwrap();
    let mut switch = Switch::new(v1model::SwitchConfig::default());
    switch.load(Arc::clone(&pipeline.program));
    (pipeline, switch)
}

fn write(pipeline: &Pipeline, switch: &mut Switch, updates: &[Update], atomicity: Atomicity) -> Vec<Outcome<()>> {
    let mut extras = Extras::default();
    let mut context = Context { switch, extras: &mut extras, now_ns: 0, restoring: false };
    let steps = updates.iter().map(|update| plan(&pipeline.schema, &Access::Full, update.clone())).collect();
    apply_batch(&mut context, &pipeline.schema, steps, updates, atomicity)
}

fn state(pipeline: &Pipeline, switch: &Switch) -> Vec<Update> {
    snapshot(&pipeline.schema, switch, &Extras::default(), 0).unwrap()
}

#[test]
fn what_is_written_is_in_the_snapshot() {
    let (pipeline, mut switch) = loaded(4);
    let updates = [of_entry(Type::Insert, route(1, 5)), of_cell(cell(2, 9))];
    assert!(write(&pipeline, &mut switch, &updates, Atomicity::ContinueOnError).iter().all(Result::is_ok));
    assert_eq!(state(&pipeline, &switch), updates);
}

#[test]
fn a_failed_atomic_batch_leaves_no_trace() {
    let (pipeline, mut switch) = loaded(4);
    let first = [of_entry(Type::Insert, route(1, 5)), of_cell(cell(2, 9))];
    write(&pipeline, &mut switch, &first, Atomicity::AllOrNothing);
    let updates = [
        of_entry(Type::Modify, route(1, 6)),
        of_entry(Type::Delete, route(1, 6)),
        of_entry(Type::Insert, route(2, 7)),
        of_cell(cell(2, 1)),
        of_entry(Type::Insert, route(2, 8)),
        of_cell(cell(3, 1)),
    ];
    let outcomes = write(&pipeline, &mut switch, &updates, Atomicity::AllOrNothing);
    let codes: Vec<Code> = outcomes.into_iter().map(|outcome| outcome.unwrap_err().code).collect();
    assert_eq!(codes[4], Code::AlreadyExists);
    assert!(codes.iter().enumerate().all(|(index, code)| index == 4 || *code == Code::Aborted));
    assert_eq!(state(&pipeline, &switch), first);
}

#[test]
fn commit_brings_exactly_what_was_saved() {
    let (_, mut live) = loaded(4);
    let (pipeline, mut switch) = loaded(8);
    let updates = [of_entry(Type::Insert, route(1, 5)), of_cell(cell(7, 9))];
    write(&pipeline, &mut switch, &updates, Atomicity::ContinueOnError);
    let saved = Saved { pipeline: pipeline.clone(), switch, extras: Extras::default() };
    commit(&mut live, &saved, 0).unwrap();
    assert_eq!(state(&pipeline, &live), updates);
}

#[test]
fn reconcile_refuses_what_does_not_fit_and_changes_nothing() {
    let (old, mut live) = loaded(8);
    let updates = [of_entry(Type::Insert, route(1, 5)), of_cell(cell(7, 9))];
    write(&old, &mut live, &updates, Atomicity::ContinueOnError);
    let (smaller, _) = loaded(4);
    let failure = reconcile(&mut live, &Extras::default(), &old, &smaller, 0).unwrap_err();
    assert_eq!(failure.code, Code::InvalidArgument);
    assert_eq!(state(&old, &live), updates);
    let (larger, _) = loaded(16);
    reconcile(&mut live, &Extras::default(), &old, &larger, 0).unwrap();
    assert_eq!(state(&larger, &live), updates);
}

#[test]
fn p4info_and_json_must_belong_together() {
    for break_it in [
        (|c| c.p4info = None) as fn(&mut ForwardingPipelineConfig),
        |c| c.p4_device_config = Bytes::from_static(b"{}"),
        |c| c.p4_device_config = Bytes::from_static(b"\xff\xfe"),
        |c| c.p4info.as_mut().unwrap().registers[0].size = 5,
        |c| c.p4info.as_mut().unwrap().tables[0].match_fields[0].bitwidth = 31,
        |c| c.p4info.as_mut().unwrap().tables[0].match_fields.clear(),
        |c| c.p4info.as_mut().unwrap().actions[0].params.clear(),
        |c| c.p4info.as_mut().unwrap().tables[0].preamble.as_mut().unwrap().name = "x".into(),
        |c| c.p4info.as_mut().unwrap().tables[0].preamble = None,
        |c| c.p4info.as_mut().unwrap().tables[0].implementation_id = 9,
    ] {
        let mut wrong = config(4);
        break_it(&mut wrong);
        assert_eq!(Pipeline::verify(Some(wrong)).unwrap_err().code, Code::InvalidArgument);
    }
}

#[test]
fn the_old_envelope_around_the_json_is_understood() {
    let mut wrapped = config(4);
    wrapped.p4_device_config = OldDeviceConfig { device_data: wrapped.p4_device_config.clone() }.encode_to_vec().into();
    assert!(Pipeline::verify(Some(wrapped)).is_ok());
}
