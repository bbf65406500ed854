//! A body into events, as it comes in: server-sent events, lines of JSON, or all of it.
//!
//! A piece of a body may end anywhere, within a letter, too. Nothing grows without limit.

use super::wire::Framing;

/// The longest event that is taken. A word is some bytes; a picture in a reply nobody asked for.
const EVENT_BYTES_MAX: usize = 4 << 20;
/// The longest reply that is taken.
const REPLY_BYTES_MAX: usize = 64 << 20;

/// The events of one body.
pub(super) struct Frames {
    framing: Framing,
    /// Bytes of a line that is not complete.
    line: Vec<u8>,
    /// Data of an event that is not complete.
    data: String,
    n_bytes: usize,
}

/// The body is larger than anything sensible.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Frames {
    pub(super) fn new(framing: Framing) -> Self {
        Self {
            framing,
            line: Vec::new(),
            data: String::new(),
            n_bytes: 0,
        }
    }

    /// Takes a piece of the body and returns the data of each event that it completes.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<Vec<String>, TooLarge> {
        self.n_bytes += piece.len();
        let mut events = Vec::new();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if self.line.len() + self.data.len() > EVENT_BYTES_MAX {
                return Err(TooLarge);
            }
            if part.ends_with(b"\n") && self.framing != Framing::Whole {
                let line = std::mem::take(&mut self.line);
                events.extend(self.take_line(&line));
            }
        }
        match self.n_bytes > REPLY_BYTES_MAX {
            true => Err(TooLarge),
            false => Ok(events),
        }
    }

    /// Returns the data of an event that the end of the body completes.
    pub(super) fn end(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let last = self.take_line(&line);
        last.or_else(|| self.take_line(b""))
    }

    fn take_line(&mut self, line: &[u8]) -> Option<String> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches(['\n', '\r']);
        if self.framing != Framing::Events {
            return (!line.trim().is_empty()).then(|| line.to_owned());
        }
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return (!data.is_empty()).then_some(data);
        }
        // Other fields and comments say nothing that the data does not say.
        let data = line.strip_prefix("data:")?;
        if !self.data.is_empty() {
            self.data.push('\n');
        }
        self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(framing: Framing, body: &[u8], size: usize) -> Vec<String> {
        let mut frames = Frames::new(framing);
        let mut events = Vec::new();
        for piece in body.chunks(size.max(1)) {
            events.extend(frames.push(piece).unwrap());
        }
        events.extend(frames.end());
        events
    }

    #[test]
    fn events_are_told_apart_wherever_the_pieces_end() {
        let body =
            "event: a\ndata: {\"ü\":1}\n\n: ping\n\ndata:b\r\n\r\ndata: c\ndata: d\n\ndata: [DONE]";
        for size in 1..body.len() {
            let found = events(Framing::Events, body.as_bytes(), size);
            assert_eq!(found, ["{\"ü\":1}", "b", "c\nd", "[DONE]"], "{size}");
        }
    }

    #[test]
    fn lines_and_whole_bodies() {
        let body = b"{\"a\":1}\n\n{\"b\":\n";
        assert_eq!(events(Framing::Lines, body, 3), ["{\"a\":1}", "{\"b\":"]);
        assert_eq!(events(Framing::Whole, b"{\n}", 1), ["{\n}"]);
    }

    #[test]
    fn nothing_grows_without_limit() {
        let mut frames = Frames::new(Framing::Events);
        let piece = vec![b'x'; 1 << 20];
        let n_taken = (0..).take_while(|_| frames.push(&piece).is_ok()).count();
        assert_eq!(n_taken, EVENT_BYTES_MAX >> 20);
        let mut frames = Frames::new(Framing::Lines);
        let line = [&[b'x'; 1023][..], b"\n"].concat();
        let piece = line.repeat(1 << 10);
        let n_taken = (0..).take_while(|_| frames.push(&piece).is_ok()).count();
        assert_eq!(n_taken, REPLY_BYTES_MAX >> 20);
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(body: Vec<u8>, size in 1usize..9) {
            for framing in [Framing::Events, Framing::Lines, Framing::Whole] {
                let all = events(framing, &body, usize::MAX);
                prop_assert_eq!(all, events(framing, &body, size));
            }
        }
    }
}
