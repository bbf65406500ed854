//! What a role may not use, it cannot read, whatever it types.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::time::Duration;

use kenning::error::{Error, Refused};
use postgres::error::SqlState;
use postgres::{Client, NoTls};

use crate::seam::{axis, prepared, put};
use crate::support::{address, operator, scratch_place};

/// The address with another role and password.
fn as_role(address: &str, role: &str) -> String {
    let (_, rest) = address.split_once('@').unwrap();
    format!("postgres://{role}:{role}@{rest}")
}

#[test]
fn a_client_of_one_domain_cannot_read_another_even_by_sql() {
    let (Some(own), Some(other), Some(mut operator)) =
        (scratch_place(), scratch_place(), operator())
    else {
        return;
    };
    for scratch in [&own, &other] {
        let note = prepared("a.md", "red roof", &[Some(axis(64, 1))]);
        put(&scratch.place, 64, vec![note]);
    }
    let role = format!("reader_{}", own.domain);
    let schema = own.schema();
    operator
        .batch_execute(&format!(
            "CREATE ROLE {role} LOGIN PASSWORD '{role}';
             GRANT USAGE ON SCHEMA {schema} TO {role};
             GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}"
        ))
        .unwrap();
    let limited = as_role(&address().unwrap(), &role);
    // Its own domain can be asked, and not changed.
    let place = kenning_postgres::place(&limited, &own.domain).unwrap();
    assert!(place.read().unwrap().note_at("a.md").unwrap().is_some());
    assert!(place.write(std::time::Duration::ZERO).is_err());
    // The other one cannot be asked, neither by ken nor by hand with the same role.
    let place = kenning_postgres::place(&limited, &other.domain).unwrap();
    let refused = place.read().err().unwrap();
    assert!(matches!(refused, Error::Store { .. }), "{refused:?}");
    assert!(
        refused.to_string().contains("may not use the schema"),
        "{refused}"
    );
    let mut by_hand = Client::connect(&limited, NoTls).unwrap();
    for sql in [
        "SELECT * FROM {}.note_text",
        "SELECT * FROM {}.posting",
        "SELECT * FROM {}.meta",
    ] {
        let sql = sql.replace("{}", &other.schema());
        let error = by_hand.query(&sql, &[]).unwrap_err();
        assert_eq!(
            error.code(),
            Some(&SqlState::INSUFFICIENT_PRIVILEGE),
            "{sql}"
        );
    }
    drop((by_hand, place));
    let drop_role = format!("DROP OWNED BY {role}; DROP ROLE {role}");
    operator.batch_execute(&drop_role).unwrap();
}

#[test]
fn who_was_given_a_schema_can_index_without_a_right_to_make_others() {
    let (Some(scratch), Some(mut operator)) = (scratch_place(), operator()) else {
        return;
    };
    let (role, schema) = (format!("writer_{}", scratch.domain), scratch.schema());
    // Whoever may connect may not make schemas: that is PostgreSQL's default.
    operator
        .batch_execute(&format!(
            "CREATE EXTENSION IF NOT EXISTS vector; CREATE ROLE {role} LOGIN PASSWORD '{role}';
             CREATE SCHEMA {schema} AUTHORIZATION {role}"
        ))
        .unwrap();
    let limited = as_role(&address().unwrap(), &role);
    let place = kenning_postgres::place(&limited, &scratch.domain).unwrap();
    let note = prepared("a.md", "red roof", &[Some(axis(64, 1))]);
    put(&place, 64, vec![note]);
    assert!(place.read().unwrap().note_at("a.md").unwrap().is_some());
    let other = kenning_postgres::place(&limited, &format!("{}_b", scratch.domain)).unwrap();
    assert!(other.write(std::time::Duration::ZERO).is_err());
    drop((place, other));
    let drop_role = format!("DROP OWNED BY {role}; DROP ROLE {role}");
    operator.batch_execute(&drop_role).unwrap();
}

#[test]
fn what_is_not_there_is_said() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    assert!(matches!(
        scratch.place.read().err(),
        Some(Error::StoreMissing { .. })
    ));
    let nobody = "postgres://ann:s3cret@127.0.0.1:1/notes";
    let place = kenning_postgres::place(nobody, "x").unwrap();
    let error = place.read().err().unwrap();
    let said = error.to_string();
    assert!(matches!(error, Error::StoreUnreachable { .. }), "{said}");
    assert!(
        said.contains("127.0.0.1:1/notes") && !said.contains("s3cret"),
        "{said}"
    );
}

/// Whether this is said by a server that lets nobody in, or not to that.
fn is_refused(error: &Error) -> bool {
    matches!(error, Error::Store { source, .. } if source.is::<Refused>())
}

#[test]
fn who_is_not_let_in_is_told_so() {
    let Some(address) = address() else {
        return;
    };
    let nowhere = format!("{address}_is_not_there");
    let (_, host) = address.split_once('@').unwrap();
    for (address, said) in [
        (as_role(&address, "nobody_s3cret"), "password"),
        (format!("postgres://postgres@{host}"), "password missing"),
        (nowhere, "does not exist"),
    ] {
        let place = kenning_postgres::place(&address, "x").unwrap();
        let error = place.read().err().unwrap();
        assert!(is_refused(&error), "{error:?}");
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn what_a_later_version_made_is_left_alone() {
    let (Some(scratch), Some(mut operator)) = (scratch_place(), operator()) else {
        return;
    };
    let note = prepared("a.md", "red roof", &[Some(axis(64, 1))]);
    put(&scratch.place, 64, vec![note]);
    for column in [
        "identity SET content = content",
        "tables SET version = version",
    ] {
        let change = |by: &str| format!("UPDATE {}.{column} {by} 1", scratch.schema());
        operator.batch_execute(&change("+")).unwrap();
        let place = kenning_postgres::place(&address().unwrap(), &scratch.domain).unwrap();
        for error in [
            place.read().err().unwrap(),
            place.write(Duration::ZERO).err().unwrap(),
            place.discard_outdated(Duration::ZERO).unwrap_err(),
        ] {
            assert!(
                matches!(error, Error::StoreNewer { .. }),
                "{column}: {error:?}"
            );
        }
        operator.batch_execute(&change("-")).unwrap();
        assert!(place.read().unwrap().note_at("a.md").unwrap().is_some());
    }
}

#[test]
fn notes_are_counted_while_an_index_is_begun() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    put(&scratch.place, 64, Vec::new());
    let mut writer = scratch.place.write(Duration::from_secs(5)).unwrap();
    writer.set_fact("unfinished", Some("2")).unwrap();
    let note = prepared("a.md", "red roof", &[Some(axis(64, 1))]);
    let encoded = writer.encoder().unwrap().encode(vec![note]).unwrap();
    writer.put(encoded).unwrap();
    writer.flush().unwrap();
    // What is there can be asked before the run has come to its end.
    let meta = scratch.place.read().unwrap().meta().unwrap();
    assert_eq!((meta.n_notes, meta.fact("unfinished")), (1, Some("2")));
    writer.abandon().unwrap();
}
