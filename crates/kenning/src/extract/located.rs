//! JSON, YAML and TOML as one tree whose values know the lines they stand on.
//!
//! Parsers that give only values lose the lines; without them a hit in a settings file could not be
//! pointed at.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Lines, NO_LINES};

/// A value and its lines.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) lines: Lines,
    pub(super) value: Value,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum Value {
    Null,
    /// A number, a truth value or a date, as it is written.
    Plain(String),
    Text(String),
    List(Vec<Node>),
    /// Keys with their line, in the order of the file.
    Map(Vec<(String, u32, Node)>),
}

static ABSENT: Node = Node {
    lines: NO_LINES,
    value: Value::Null,
};

impl Node {
    /// Returns the value of a key; null where there is none.
    pub(super) fn get(&self, key: &str) -> &Self {
        match &self.value {
            Value::Map(entries) => entries
                .iter()
                .rfind(|(known, _, _)| known == key)
                .map_or(&ABSENT, |(_, _, node)| node),
            _ => &ABSENT,
        }
    }

    /// Returns the values of a list.
    pub(super) fn items(&self) -> Option<&[Self]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the text of a string.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a number.
    pub(super) fn number(&self) -> Option<f64> {
        match &self.value {
            Value::Plain(number) => number.parse().ok(),
            _ => None,
        }
    }
}

/// Where the lines of a text begin.
pub(super) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(super) fn of(text: &str) -> Self {
        let behind = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(behind).collect())
    }

    /// Returns the 1-based line of a byte.
    pub(super) fn line_of(&self, offset: usize) -> u32 {
        let n_before = self.0.partition_point(|start| *start <= offset);
        u32::try_from(n_before).unwrap_or(u32::MAX)
    }

    fn lines_of(&self, bytes: &Range<usize>) -> Lines {
        let last = bytes.end.saturating_sub(1).max(bytes.start);
        (self.line_of(bytes.start), self.line_of(last))
    }
}

/// Reads JSON that is not nested deeper than a stack can bear; `None` where it is none.
pub(super) fn json(text: &str) -> Result<Node, serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(text)?;
    let mut json = Json {
        text,
        at: 0,
        lines: LineStarts::of(text),
    };
    Ok(json.node())
}

/// A scan of JSON that is known to be well formed.
struct Json<'t> {
    text: &'t str,
    at: usize,
    lines: LineStarts,
}

impl Json<'_> {
    fn node(&mut self) -> Node {
        let first = self.peek_at();
        let value = match self.text.as_bytes().get(first) {
            Some(b'{') => Value::Map(self.entries()),
            Some(b'[') => Value::List(self.items()),
            Some(b'"') => Value::Text(self.string()),
            _ => self.plain(),
        };
        Node {
            lines: self.lines.lines_of(&(first..self.at)),
            value,
        }
    }

    fn entries(&mut self) -> Vec<(String, u32, Node)> {
        let mut entries = Vec::new();
        self.at += 1;
        while !self.closes(b'}') {
            let first = self.peek_at();
            let line = self.lines.line_of(first);
            let key = self.string();
            // The colon.
            self.at = self.peek_at() + 1;
            entries.push((key, line, self.node()));
        }
        entries
    }

    fn items(&mut self) -> Vec<Node> {
        let mut items = Vec::new();
        self.at += 1;
        while !self.closes(b']') {
            items.push(self.node());
        }
        items
    }

    /// Goes over a comma; returns whether the list or map ends here.
    fn closes(&mut self, bracket: u8) -> bool {
        let mut at = self.peek_at();
        if self.text.as_bytes().get(at) == Some(&b',') {
            self.at = at + 1;
            at = self.peek_at();
        }
        match self.text.as_bytes().get(at) {
            Some(&byte) if byte != bracket => false,
            _ => {
                self.at = (at + 1).min(self.text.len());
                true
            }
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        let mut is_escaped = false;
        let inside = self.text.as_bytes().iter().skip(start + 1);
        let n_inside = inside
            .take_while(|&&byte| {
                let ends = byte == b'"' && !is_escaped;
                is_escaped = byte == b'\\' && !is_escaped;
                !ends
            })
            .count();
        self.at = (start + n_inside + 2).min(self.text.len());
        serde_json::from_str(&self.text[start..self.at]).unwrap_or_default()
    }

    fn plain(&mut self) -> Value {
        let rest = &self.text[self.at..];
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | ']' | '}');
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += word.len();
        match word {
            "null" | "" => Value::Null,
            word => Value::Plain(word.to_owned()),
        }
    }

    /// Goes over blanks and returns where it is.
    fn peek_at(&mut self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let n_blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
        self.at += n_blank.count();
        self.at
    }
}

/// YAML ends lines at a carriage return by itself, too; nobody else does, and lines are counted.
fn one_kind_of_line_end(text: &str) -> Cow<'_, str> {
    let is_lone = |at: usize| text.as_bytes().get(at + 1) != Some(&b'\n');
    if !text.match_indices('\r').any(|(at, _)| is_lone(at)) {
        return Cow::Borrowed(text);
    }
    let replaced =
        (text.char_indices()).map(|(at, c)| if c == '\r' && is_lone(at) { ' ' } else { c });
    Cow::Owned(replaced.collect())
}

/// Reads YAML, one or several values to a file. A value is known by its first line only.
pub(super) fn yaml(text: &str) -> Option<Node> {
    // `y`, `no` and `off` are words before they are booleans.
    let options = serde_saphyr::options! { strict_booleans: true };
    let text = one_kind_of_line_end(text);
    let values =
        serde_saphyr::from_multiple_with_options::<Spanned<YamlValue>>(&text, options).ok()?;
    let mut nodes: Vec<Node> = values.into_iter().map(yaml_node).collect();
    Some(match nodes.len() {
        1 => nodes.remove(0),
        _ => Node {
            lines: nodes.first().map_or(NO_LINES, |node| node.lines),
            value: Value::List(nodes),
        },
    })
}

fn yaml_node(spanned: Spanned<YamlValue>) -> Node {
    let line = u32::try_from(spanned.referenced.line()).unwrap_or(u32::MAX);
    Node {
        lines: (line, line),
        value: spanned.value.0,
    }
}

struct YamlValue(Value);

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor).map(Self)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        let number = serde_json::Number::from_f64(value);
        Ok(number.map_or(Value::Null, |number| Value::Plain(number.to_string())))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<YamlValue>>()? {
            list.push(yaml_node(item));
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<Spanned<String>>()? {
            let line = u32::try_from(key.referenced.line()).unwrap_or(u32::MAX);
            let value = entries.next_value::<Spanned<YamlValue>>()?;
            map.push((key.value, line, yaml_node(value)));
        }
        Ok(Value::Map(map))
    }
}

/// Reads TOML, its keys in the order of the file.
pub(super) fn toml(text: &str) -> Option<Node> {
    let table = DeTable::parse(text).ok()?;
    let lines = LineStarts::of(text);
    Some(Node {
        lines: lines.lines_of(&table.span()),
        value: toml_map(table.get_ref(), &lines),
    })
}

fn toml_map(table: &DeTable<'_>, lines: &LineStarts) -> Value {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let name: &std::borrow::Cow<'_, str> = key.get_ref();
        let node = Node {
            lines: lines.lines_of(&value.span()),
            value: toml_value(value.get_ref(), lines),
        };
        (name.to_string(), lines.line_of(key.span().start), node)
    };
    Value::Map(entries.into_iter().map(entry).collect())
}

fn toml_value(value: &DeValue<'_>, lines: &LineStarts) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Plain(number.to_string()),
        DeValue::Float(number) => Value::Plain(number.to_string()),
        DeValue::Boolean(is_true) => Value::Plain(is_true.to_string()),
        DeValue::Datetime(time) => Value::Plain(time.to_string()),
        DeValue::Array(items) => {
            let node = |item: &toml::Spanned<DeValue<'_>>| Node {
                lines: lines.lines_of(&item.span()),
                value: toml_value(item.get_ref(), lines),
            };
            Value::List(items.iter().map(node).collect())
        }
        DeValue::Table(table) => toml_map(table, lines),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes `path: value @ lines` for each leaf.
    fn leaves(path: &str, node: &Node, out: &mut String) {
        match &node.value {
            Value::Map(entries) => {
                for (key, line, node) in entries {
                    leaves(&format!("{path}.{key}@{line}"), node, out);
                }
            }
            Value::List(items) => {
                for item in items {
                    leaves(&format!("{path}[]"), item, out);
                }
            }
            Value::Null => out.push_str(&format!("{path}: null\n")),
            Value::Plain(value) | Value::Text(value) => {
                out.push_str(&format!("{path}: {value:?} {:?}\n", node.lines));
            }
        }
    }

    fn check(node: Node) -> String {
        let mut out = String::new();
        leaves("", &node, &mut out);
        out
    }

    #[test]
    fn json_knows_its_lines() {
        let text = "{\n \"a\": [1, true,\n  \"x\\\"\\u00e9\"],\n\n \"b\": {\"c\": null,\n\"d\": -1.5e3}, \"e\": [], \"f\":{}}";
        insta::assert_snapshot!(check(json(text).unwrap()), @r#"
        .a@2[]: "1" (2, 2)
        .a@2[]: "true" (2, 2)
        .a@2[]: "x\"é" (3, 3)
        .b@5.c@5: null
        .b@5.d@6: "-1.5e3" (6, 6)
        "#);
        assert!(json("{\"a\": }").is_err() && json("").is_err());
    }

    #[test]
    fn yaml_knows_its_lines() {
        let text = "# c\nname: ken\nlist:\n  - one\n  - two: 2\n    on: yes\ntext: |\n  first\n  second\nlast: 1.5\n";
        insta::assert_snapshot!(check(yaml(text).unwrap()), @r#"
        .name@2: "ken" (2, 2)
        .list@3[]: "one" (4, 4)
        .list@3[].two@5: "2" (5, 5)
        .list@3[].on@6: "yes" (6, 6)
        .text@7: "first\nsecond\n" (8, 8)
        .last@10: "1.5" (10, 10)
        "#);
        let several = yaml("a: 1\n---\nb: 2\n").unwrap();
        assert_eq!(several.items().unwrap()[1].get("b").lines, (3, 3));
    }

    #[test]
    fn a_carriage_return_by_itself_ends_no_line() {
        let node = yaml("a: 1\r\nb: x\r y\nd: 3\n").unwrap();
        let Value::Map(entries) = &node.value else {
            panic!("{node:?}");
        };
        let lines: Vec<_> = entries
            .iter()
            .map(|(key, line, _)| format!("{key}@{line}"))
            .collect();
        assert_eq!(lines.last().unwrap(), "d@3");
    }

    #[test]
    fn toml_knows_its_lines() {
        let text = "z = 1\na = \"\"\"\ntwo\nlines\"\"\"\n\n[t.u]\nd = 2024-01-02\nl = [\n 1,\n 2]\n[[p]]\nn = 0x1F\n[[p]]\nn = 2.5\n";
        insta::assert_snapshot!(check(toml(text).unwrap()), @r#"
        .z@1: "1" (1, 1)
        .a@2: "two\nlines" (2, 4)
        .t@6.u@6.d@7: "2024-01-02" (7, 7)
        .t@6.u@6.l@8[]: "1" (9, 9)
        .t@6.u@6.l@8[]: "2" (10, 10)
        .p@11[].n@12: "0x1F" (12, 12)
        .p@11[].n@14: "2.5" (14, 14)
        "#);
    }
}
