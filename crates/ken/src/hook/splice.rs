//! Changes values in a JSON text and leaves every other byte of it alone: numbers as they were
//! written, comments, order, duplicate keys, indentation. Pure.

use std::ops::Range;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

/// Deeper texts are not settings.
const DEPTH_MAX: usize = 100;

/// A text and what it says. Comments and commas behind the last item are understood.
pub(super) struct Document {
    text: String,
    /// The text with spaces for all that is not JSON; places are the same in both.
    bare: String,
    value: Value,
}

impl Document {
    /// Reads a text; an empty one says nothing, which is an object without members.
    pub(super) fn parse(text: String) -> Result<Self, String> {
        let bare = bared(&text);
        let value = match bare.trim().is_empty() {
            true => Value::Object(Map::new()),
            false => serde_json::from_str(&bare).map_err(|error| error.to_string())?,
        };
        Ok(Self { text, bare, value })
    }

    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// Whether it has words for people, which nobody but them may throw away.
    pub(super) fn has_comments(&self) -> bool {
        let spaced = self.text.replace([',', '\u{feff}'], " ");
        spaced
            .split_whitespace()
            .ne(self.bare.replace(',', " ").split_whitespace())
    }

    /// Returns the text that says `wanted`, or `None` where that cannot be said by changing a few
    /// places, as with a key that is there twice.
    pub(super) fn saying(&self, wanted: &Value) -> Option<String> {
        let style = Style::of(&self.text, &self.bare);
        if self.bare.trim().is_empty() {
            let text = self.text.trim_end();
            return Some(format!(
                "{text}{}{}",
                style.pretty(wanted, ""),
                style.line_end
            ));
        }
        let mut edits = Vec::new();
        let mut nodes = Nodes {
            bare: &self.bare,
            at: 0,
        };
        let root = nodes.node(0)?;
        let changes = Changes {
            document: self,
            style: &style,
        };
        changes.change(&root, &self.value, wanted, &mut edits)?;
        let text = self.edited(edits)?;
        let is_said = serde_json::from_str::<Value>(&bared(&text)).ok()? == *wanted;
        is_said.then_some(text)
    }

    fn edited(&self, mut edits: Vec<(Range<usize>, String)>) -> Option<String> {
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::new();
        let mut at = 0;
        for (range, text) in edits {
            out.push_str(self.text.get(at..range.start)?);
            out.push_str(&text);
            at = range.end;
        }
        Some(out + self.text.get(at..)?)
    }
}

/// Puts spaces over comments, a byte order mark and commas that nothing follows, byte for byte.
fn bared(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if text.starts_with('\u{feff}') {
        bytes[..3].fill(b' ');
    }
    let mut at = 0;
    let mut comma = None;
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => at + string_length(&bytes[at..]),
            (b'/', Some(b'/')) => line_length(&bytes[at..]) + at,
            (b'/', Some(b'*')) => find(&bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2),
            _ => at + 1,
        };
        match bytes[at] {
            b'/' if end > at + 1 => bytes[at..end].fill(b' '),
            b',' => comma = Some(at),
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
            }
            byte if !byte.is_ascii_whitespace() => comma = None,
            _ => {}
        }
        at = end;
    }
    // Whole characters were replaced by spaces, so that it is text still.
    String::from_utf8(bytes).unwrap_or_default()
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let at = rest.windows(what.len()).position(|window| window == what)?;
    Some(from + at)
}

/// Bytes up to the end of the line.
fn line_length(bytes: &[u8]) -> usize {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    bytes.iter().position(is_end).unwrap_or(bytes.len())
}

/// Bytes of a string in quotes, with them.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Where a value stands.
struct Node {
    range: Range<usize>,
    /// Members or items; a value that holds none has none.
    parts: Vec<Part>,
}

/// A member, from its key on, or an item.
struct Part {
    start: usize,
    key: Option<String>,
    node: Node,
}

/// Reads where values stand. What comes here is known to be JSON.
struct Nodes<'a> {
    bare: &'a str,
    at: usize,
}

impl Nodes<'_> {
    fn byte(&mut self) -> Option<u8> {
        let rest = &self.bare.as_bytes()[self.at..];
        self.at += rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        self.bare.as_bytes().get(self.at).copied()
    }

    fn node(&mut self, depth: usize) -> Option<Node> {
        let first = self.byte().filter(|_| depth < DEPTH_MAX)?;
        let start = self.at;
        let parts = match first {
            b'{' | b'[' => self.parts(first == b'{', depth)?,
            b'"' => {
                self.at += string_length(&self.bare.as_bytes()[start..]);
                Vec::new()
            }
            _ => {
                let is_end = |c: char| c.is_ascii_whitespace() || ",]}".contains(c);
                self.at += self.bare[start..]
                    .find(is_end)
                    .unwrap_or(self.bare.len() - start);
                Vec::new()
            }
        };
        Some(Node {
            range: start..self.at,
            parts,
        })
    }

    fn parts(&mut self, has_keys: bool, depth: usize) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        self.at += 1;
        loop {
            match self.byte()? {
                b'}' | b']' => {
                    self.at += 1;
                    return Some(parts);
                }
                b',' => self.at += 1,
                _ => {
                    let start = self.at;
                    let key = if has_keys { Some(self.key()?) } else { None };
                    let node = self.node(depth + 1)?;
                    parts.push(Part { start, key, node });
                }
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        let start = self.at;
        self.at += string_length(&self.bare.as_bytes()[start..]);
        let key = serde_json::from_str(&self.bare[start..self.at]).ok()?;
        (self.byte()? == b':').then(|| self.at += 1)?;
        Some(key)
    }
}

/// How a text is laid out.
struct Style {
    line_end: &'static str,
    /// One step of it; `None` where all stands on one line.
    indent: Option<String>,
}

impl Style {
    fn of(text: &str, bare: &str) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let is_blank = bare.trim().is_empty() || bare.split_whitespace().eq(["{}"]);
        let first = bare
            .find('{')
            .and_then(|at| bare[at + 1..].find('"').map(|end| &bare[at + 1..][..end]));
        let indent = match first.and_then(|space| space.rsplit_once('\n')) {
            Some((_, indent)) if !indent.is_empty() => Some(indent.to_owned()),
            Some(_) => Some("  ".to_owned()),
            None => is_blank.then(|| "  ".to_owned()),
        };
        Self { line_end, indent }
    }

    /// Writes a value whose first line is indented already.
    fn pretty(&self, value: &Value, indent: &str) -> String {
        let Some(step) = &self.indent else {
            return value.to_string();
        };
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(step.as_bytes());
        // Writing into memory does not fail.
        let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        let text = String::from_utf8(bytes).unwrap_or_default();
        text.replace('\n', &format!("{}{indent}", self.line_end))
    }
}

type Edits = Vec<(Range<usize>, String)>;

/// Collects what has to be changed.
struct Changes<'a> {
    document: &'a Document,
    style: &'a Style,
}

impl Changes<'_> {
    fn change(&self, node: &Node, from: &Value, to: &Value, edits: &mut Edits) -> Option<()> {
        match (from, to) {
            _ if from == to => Some(()),
            (Value::Object(from), Value::Object(to)) => self.members(node, from, to, edits),
            (Value::Array(from), Value::Array(to)) => self.items(node, from, to, edits),
            _ => {
                let text = self.style.pretty(to, &self.indent_at(node.range.start));
                edits.push((node.range.clone(), text));
                Some(())
            }
        }
    }

    fn members(
        &self,
        node: &Node,
        from: &Map<String, Value>,
        to: &Map<String, Value>,
        edits: &mut Edits,
    ) -> Option<()> {
        let mut is_kept = Vec::new();
        for part in &node.parts {
            let key = part.key.as_ref()?;
            let n_same = node
                .parts
                .iter()
                .filter(|other| other.key.as_ref() == Some(key))
                .count();
            let (before, after) = (from.get(key)?, to.get(key));
            is_kept.push(after.is_some());
            if after != Some(before) && n_same > 1 {
                return None;
            }
            if let Some(after) = after {
                self.change(&part.node, before, after, edits)?;
            }
        }
        let fresh: Vec<(Option<&str>, &Value)> = to
            .iter()
            .filter(|(key, _)| !from.contains_key(*key))
            .map(|(key, value)| (Some(key.as_str()), value))
            .collect();
        self.parts(node, &is_kept, &fresh, edits)
    }

    fn items(&self, node: &Node, from: &[Value], to: &[Value], edits: &mut Edits) -> Option<()> {
        let mut is_kept = Vec::new();
        let mut next = 0;
        for (number, (part, before)) in node.parts.iter().zip(from).enumerate() {
            let after = to.get(next).filter(|after| {
                can_become(before, after) || from.len() - number <= to.len() - next
            });
            is_kept.push(after.is_some());
            if let Some(after) = after {
                self.change(&part.node, before, after, edits)?;
                next += 1;
            }
        }
        let fresh: Vec<(Option<&str>, &Value)> =
            to[next..].iter().map(|value| (None, value)).collect();
        self.parts(node, &is_kept, &fresh, edits)
    }

    /// Takes parts out and adds others behind the last that stays.
    fn parts(
        &self,
        node: &Node,
        is_kept: &[bool],
        fresh: &[(Option<&str>, &Value)],
        edits: &mut Edits,
    ) -> Option<()> {
        let last = is_kept.iter().rposition(|&is_kept| is_kept);
        let Some(last) = last else {
            return self.refill(node, fresh, edits);
        };
        let mut first = None;
        for (number, &is_kept) in is_kept.iter().enumerate() {
            match (is_kept, first) {
                (false, None) => first = Some(number),
                (true, Some(from)) => {
                    edits.push((
                        node.parts[from].start..node.parts[number].start,
                        String::new(),
                    ));
                    first = None;
                }
                _ => {}
            }
        }
        if first.is_some() {
            self.cut_tail(node, last, edits);
        }
        if !fresh.is_empty() {
            self.append(node, last, first.is_some(), fresh, edits);
        }
        Some(())
    }

    /// Cuts what stands behind the last part that stays. A comment in between stays, and so does the
    /// comma, where one stands behind what is cut as well.
    fn cut_tail(&self, node: &Node, last: usize, edits: &mut Edits) {
        let (from, start) = (node.parts[last].node.range.end, node.parts[last + 1].start);
        let end = node.parts.last().map_or(start, |part| part.node.range.end);
        let spare = self.spare_comma(node, end);
        let (text, bare) = (&self.document.text, &self.document.bare);
        if spare.is_none() && text[from..start] == bare[from..start] {
            edits.push((from..end, String::new()));
            return;
        }
        let Some(comma) = bare[from..start].find(',').map(|at| from + at) else {
            return;
        };
        if spare.is_none() {
            edits.push((comma..comma + 1, String::new()));
        }
        let line_end = self.line_end(comma + 1, start);
        let is_plain = text[line_end..start] == bare[line_end..start];
        let cut = if is_plain { line_end } else { start };
        edits.push((cut..spare.map_or(end, |comma| comma + 1), String::new()));
    }

    fn append(
        &self,
        node: &Node,
        last: usize,
        is_cut: bool,
        fresh: &[(Option<&str>, &Value)],
        edits: &mut Edits,
    ) {
        let part = &node.parts[last];
        let end = part.node.range.end;
        let is_tail = !is_cut && last + 1 == node.parts.len();
        let text = self.written(fresh, &self.indent_at(part.start));
        let spare = self.spare_comma(node, end).filter(|_| is_tail);
        let (at, text) = match spare {
            Some(comma) => (comma + 1, text + ","),
            None => {
                edits.push((end..end, ",".to_owned()));
                (end, text)
            }
        };
        let place = if is_tail {
            self.line_end(at, node.range.end - 1)
        } else {
            at
        };
        edits.push((place..place, text));
    }

    /// Finds a comma that nothing follows: it stands in the text, but not in what it says.
    fn spare_comma(&self, node: &Node, end: usize) -> Option<usize> {
        let between = &self.document.text[end..node.range.end - 1];
        let comma = between.find(',')?;
        let is_said = !self.document.bare[end..node.range.end - 1]
            .trim()
            .is_empty();
        let is_comment = between[..comma].contains("//") || between[..comma].contains("/*");
        (!is_said && !is_comment).then_some(end + comma)
    }

    /// Where the line of a place ends if nothing but a comment follows there, or the place itself.
    fn line_end(&self, at: usize, until: usize) -> usize {
        let rest = &self.document.bare[at..until];
        match rest.find(['\r', '\n']) {
            Some(end) if rest[..end].trim().is_empty() => at + end,
            _ => at,
        }
    }

    /// Fills an object or list of which nothing stays.
    fn refill(
        &self,
        node: &Node,
        fresh: &[(Option<&str>, &Value)],
        edits: &mut Edits,
    ) -> Option<()> {
        let inside = node.range.start + 1..node.range.end - 1;
        let is_plain = self.document.text[inside.clone()] == self.document.bare[inside.clone()];
        if !is_plain {
            return None;
        }
        let outer = self.indent_at(node.range.start);
        let text = match (fresh.is_empty(), &self.style.indent) {
            (true, _) => String::new(),
            (_, None) => self.written(fresh, ""),
            (_, Some(step)) => {
                let list = self.written(fresh, &format!("{outer}{step}"));
                format!("{list}{}{outer}", self.style.line_end)
            }
        };
        edits.push((inside, text));
        Some(())
    }

    /// Writes parts, each on a line of its own where the text has lines.
    fn written(&self, fresh: &[(Option<&str>, &Value)], indent: &str) -> String {
        let parts: Vec<String> = fresh
            .iter()
            .map(|(key, value)| {
                let value = self.style.pretty(value, indent);
                let text = match key {
                    Some(key) => format!("{}: {value}", Value::from(*key)),
                    None => value,
                };
                match &self.style.indent {
                    Some(_) => format!("{}{indent}{text}", self.style.line_end),
                    None => text,
                }
            })
            .collect();
        parts.join(",")
    }

    /// The white space that the line of a place begins with.
    fn indent_at(&self, at: usize) -> String {
        let line = self.document.bare[..at]
            .rsplit('\n')
            .next()
            .unwrap_or_default();
        line.chars().take_while(|c| c.is_whitespace()).collect()
    }
}

/// Whether one value is the other with something taken out.
fn can_become(from: &Value, to: &Value) -> bool {
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => to
            .iter()
            .all(|(key, to)| from.get(key).is_some_and(|from| can_become(from, to))),
        (Value::Array(from), Value::Array(to)) => {
            let mut rest = from.iter();
            to.iter().all(|to| rest.any(|from| can_become(from, to)))
        }
        _ => from == to,
    }
}

#[cfg(test)]
mod tests;
