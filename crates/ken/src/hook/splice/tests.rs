//! What is not ours stays as it was, byte for byte.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn parsed(text: &str) -> Document {
    Document::parse(text.to_owned()).unwrap()
}

/// Adds a member and an item, and takes them out again.
#[track_caller]
fn check(text: &str, expected: &str) {
    let document = parsed(text);
    let mut wanted = document.value().clone();
    wanted["hooks"]["New"] = json!([{"a": 1}]);
    let changed = document.saying(&wanted).unwrap();
    assert_eq!(changed, expected);
    let back = parsed(&changed).saying(document.value());
    assert_eq!(back.as_deref(), Some(text));
}

#[test]
fn what_is_not_meant_stays_as_it_was_written() {
    check(
        "{\n    \"n\": 1e5, \"m\": 1.0,\n    \"big\": 123456789012345678901234567890,\n    \"hooks\": {\n        \"Stop\": []\n    },\n    \"n\": 1E+2\n}",
        "{\n    \"n\": 1e5, \"m\": 1.0,\n    \"big\": 123456789012345678901234567890,\n    \"hooks\": {\n        \"Stop\": [],\n        \"New\": [\n            {\n                \"a\": 1\n            }\n        ]\n    },\n    \"n\": 1E+2\n}",
    );
    check(
        "\u{feff}{\r\n\t// mine\r\n\t\"b\": \"\\u00e9 /* no */\", /* yes */\r\n\t\"a\": [1,2,], // last\r\n}\r\n\r\n",
        "\u{feff}{\r\n\t// mine\r\n\t\"b\": \"\\u00e9 /* no */\", /* yes */\r\n\t\"a\": [1,2,], // last\r\n\t\"hooks\": {\r\n\t\t\"New\": [\r\n\t\t\t{\r\n\t\t\t\t\"a\": 1\r\n\t\t\t}\r\n\t\t]\r\n\t},\r\n}\r\n\r\n",
    );
    check(
        "{\"a\":1.50}",
        "{\"a\":1.50,\"hooks\": {\"New\":[{\"a\":1}]}}",
    );
}

#[test]
fn what_cannot_be_changed_in_a_few_places_is_refused() {
    for text in [
        "{\"hooks\": {\"Stop\": []}, \"hooks\": {\"Stop\": [1]}}",
        "{\"hooks\": { // nothing yet\n}}",
    ] {
        let document = parsed(text);
        let mut wanted = document.value().clone();
        wanted["hooks"]["New"] = json!([1]);
        assert_eq!(document.saying(&wanted), None, "{text}");
    }
    assert!(Document::parse("{\"a\": }".to_owned()).is_err());
}

#[test]
fn one_of_several_items_is_taken_out() {
    let text = "{\"a\": [\n  1.0, // one\n  {\"b\": [2e1, 3]}, /* two */\n  4\n]}\n";
    let document = parsed(text);
    for (wanted, expected) in [
        (
            json!({"a": [1.0, {"b": [3]}, 4]}),
            text.replace("2e1, ", ""),
        ),
        (
            json!({"a": [{"b": [20.0, 3]}, 4]}),
            text.replace("1.0, // one\n  ", ""),
        ),
        (
            json!({"a": [1.0, {"b": [20.0, 3]}]}),
            text.replace(", /* two */\n  4", " /* two */"),
        ),
    ] {
        assert_eq!(document.saying(&wanted), Some(expected));
    }
    // There would be no place for the comments.
    assert_eq!(document.saying(&json!({})), None);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        "[ab\"\\\\/*, {}\n]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[abc]", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_change_is_said(from in any_value(), to in any_value(), is_pretty: bool) {
        let (from, to) = (json!({"a": from}), json!({"a": to, "b": 1}));
        let text = if is_pretty { serde_json::to_string_pretty(&from).unwrap() } else { from.to_string() };
        let changed = parsed(&text).saying(&to).unwrap();
        let changed = parsed(&changed);
        prop_assert_eq!(changed.value(), &to);
    }

    #[test]
    fn any_text_is_read(text in "[{}\\[\\]\",:/*0-9a \n\\\\]{0,40}") {
        if let Ok(document) = Document::parse(text) {
            let _ = document.saying(&json!({"a": 1}));
        }
    }
}
