#![allow(clippy::unwrap_used)]

use super::*;

fn update(election: Option<u128>, role: &str) -> runtime::MasterArbitrationUpdate {
    runtime::MasterArbitrationUpdate {
        device_id: 1,
        role: (!role.is_empty()).then(|| runtime::Role { name: role.to_owned(), ..Default::default() }),
        election_id: election.map(election_message),
        status: None,
    }
}

fn codes(notices: &[Notice]) -> Vec<(ClientId, Code)> {
    notices.iter().map(|n| (n.client, Code::from(n.update.status.as_ref().unwrap().code))).collect()
}

#[test]
fn highest_election_id_is_primary() {
    let mut arbiter = Arbiter::new(1);
    assert_eq!(codes(&arbiter.update(10, &update(Some(5), "")).unwrap()), [(10, Code::Ok)]);
    assert_eq!(codes(&arbiter.update(11, &update(Some(3), "")).unwrap()), [(11, Code::AlreadyExists)]);
    let notices = arbiter.update(12, &update(Some(7), "")).unwrap();
    assert_eq!(codes(&notices), [(10, Code::AlreadyExists), (11, Code::AlreadyExists), (12, Code::Ok)]);
    assert!(notices[2].new_primary && !notices[0].new_primary);
    assert!(notices.iter().all(|n| n.update.election_id == Some(election_message(7))));
    assert!(arbiter.check(&RoleKey::Default, Some(&election_message(7))).is_ok());
    let denied = arbiter.check(&RoleKey::Default, Some(&election_message(5))).unwrap_err();
    assert_eq!(denied.code(), Code::PermissionDenied);
}

#[test]
fn lost_primary_leaves_the_role_without_one_until_the_highest_comes_back() {
    let mut arbiter = Arbiter::new(1);
    arbiter.update(1, &update(Some(5), "")).unwrap();
    arbiter.update(2, &update(Some(4), "")).unwrap();
    assert_eq!(codes(&arbiter.disconnect(1)), [(2, Code::NotFound)]);
    assert!(arbiter.check(&RoleKey::Default, Some(&election_message(5))).is_err());
    assert_eq!(codes(&arbiter.update(2, &update(Some(4), "")).unwrap()), [(2, Code::NotFound)]);
    assert_eq!(codes(&arbiter.update(2, &update(Some(5), "")).unwrap()), [(2, Code::Ok)]);
}

#[test]
fn downgrade_tells_everybody() {
    let mut arbiter = Arbiter::new(1);
    arbiter.update(1, &update(Some(5), "")).unwrap();
    arbiter.update(2, &update(None, "")).unwrap();
    assert_eq!(codes(&arbiter.update(1, &update(Some(2), "")).unwrap()), [(1, Code::NotFound), (2, Code::NotFound)]);
}

#[test]
fn unset_election_id_is_never_primary() {
    let mut arbiter = Arbiter::new(1);
    let notices = arbiter.update(1, &update(None, "")).unwrap();
    assert_eq!(codes(&notices), [(1, Code::NotFound)]);
    assert_eq!(notices[0].update.election_id, None);
    assert_eq!(codes(&arbiter.update(2, &update(Some(0), "")).unwrap()), [(1, Code::AlreadyExists), (2, Code::Ok)]);
}

#[test]
fn refuses_what_the_rules_refuse() {
    let mut arbiter = Arbiter::new(1);
    let other_device = runtime::MasterArbitrationUpdate { device_id: 9, ..update(Some(1), "") };
    assert_eq!(arbiter.update(1, &other_device).unwrap_err().code(), Code::NotFound);
    arbiter.update(1, &update(Some(1), "")).unwrap();
    assert_eq!(arbiter.update(1, &other_device).unwrap_err().code(), Code::FailedPrecondition);
    assert_eq!(arbiter.update(1, &update(Some(1), "x")).unwrap_err().code(), Code::FailedPrecondition);
    assert_eq!(arbiter.update(2, &update(Some(1), "")).unwrap_err().code(), Code::InvalidArgument);
    // The same election id in another role is fine.
    assert_eq!(codes(&arbiter.update(2, &update(Some(1), "x")).unwrap()), [(2, Code::Ok)]);
}

#[test]
fn checks_roles_and_streamless_clients() {
    let mut arbiter = Arbiter::new(1);
    assert!(arbiter.check(&RoleKey::Default, None).is_ok());
    assert_eq!(
        arbiter.check(&RoleKey::Default, Some(&election_message(1))).unwrap_err().code(),
        Code::PermissionDenied
    );
    assert_eq!(arbiter.check(&RoleKey::new("x", 0), None).unwrap_err().code(), Code::NotFound);
    arbiter.update(1, &update(Some(1), "")).unwrap();
    assert_eq!(arbiter.check(&RoleKey::Default, None).unwrap_err().code(), Code::PermissionDenied);
}

#[test]
fn requests_without_election_id_while_nobody_has_one() {
    let mut arbiter = Arbiter::new(1);
    // PI's own ptf tests open a stream without election id, and write without one.
    arbiter.update(1, &update(None, "")).unwrap();
    assert!(arbiter.check(&RoleKey::Default, None).is_ok());
    let denied = arbiter.check(&RoleKey::Default, Some(&election_message(0))).unwrap_err();
    assert_eq!(denied.code(), Code::PermissionDenied);
    arbiter.update(2, &update(Some(0), "")).unwrap();
    assert_eq!(arbiter.check(&RoleKey::Default, None).unwrap_err().code(), Code::PermissionDenied);
    arbiter.disconnect(2);
    assert!(arbiter.check(&RoleKey::Default, None).is_ok());
    arbiter.update(3, &update(Some(1), "x")).unwrap();
    assert_eq!(arbiter.check(&RoleKey::Default, None).unwrap_err().code(), Code::PermissionDenied);
}

#[test]
fn role_configuration_of_an_unknown_type_is_refused() {
    let mut arbiter = Arbiter::new(1);
    let mut request = update(Some(1), "x");
    request.role.as_mut().unwrap().config =
        Some(prost_types::Any { type_url: "type.googleapis.com/x.Y".into(), value: vec![] });
    assert_eq!(arbiter.update(1, &request).unwrap_err().code(), Code::InvalidArgument);
}
