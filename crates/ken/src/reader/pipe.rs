//! What goes over the pipes between `ken` and a child that reads: numbers in little-endian order,
//! texts behind their length.

use std::io::{self, BufRead, Read, Write};

use kenning::extract::{Extracted, Kind, Lines, Part, Trouble};

/// Most bytes of one answer. The limits of a file lie well below; a child gone wild does not.
const ANSWER_BYTES_MAX: u64 = 256 << 20;

const READ: u8 = 0;
const FILE_TROUBLE: u8 = 1;
const READER_TROUBLE: u8 = 2;
const PICTURE: u8 = 3;

/// What a child is asked to read.
pub(super) struct Request {
    pub(super) kind: Kind,
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    /// The page to draw, 1-based, rather than the text to read.
    pub(super) page: Option<u32>,
}

/// What a child has to say of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Text(Extracted),
    Picture(Vec<u8>),
}

/// What a child says.
pub(super) type Answer = Result<Said, Trouble>;

pub(super) fn write_request(to: &mut impl Write, request: &Request) -> io::Result<()> {
    write_bytes(to, request.kind.name().as_bytes())?;
    write_bytes(to, request.path.as_bytes())?;
    write_bytes(to, &request.bytes)?;
    // Pages count from 1, so 0 says that there is none.
    write_number(to, u64::from(request.page.unwrap_or(0)))?;
    to.flush()
}

/// Returns `None` where the pipe ends.
pub(super) fn read_request(from: &mut impl BufRead) -> io::Result<Option<Request>> {
    if from.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let name = read_text(from)?;
    let kind = Kind::all().find(|kind| kind.name() == name);
    Ok(Some(Request {
        kind: kind.ok_or_else(garbled)?,
        path: read_text(from)?,
        bytes: read_bytes(from)?,
        page: read_page(from)?,
    }))
}

pub(super) fn write_answer(to: &mut impl Write, answer: &Answer) -> io::Result<()> {
    match answer {
        Ok(Said::Text(extracted)) => {
            to.write_all(&[READ])?;
            write_extracted(to, extracted)?;
        }
        Ok(Said::Picture(picture)) => {
            to.write_all(&[PICTURE])?;
            write_bytes(to, picture)?;
        }
        Err(Trouble::File(reason)) => {
            to.write_all(&[FILE_TROUBLE])?;
            write_bytes(to, reason.as_bytes())?;
        }
        Err(Trouble::Reader(reason)) => {
            to.write_all(&[READER_TROUBLE])?;
            write_bytes(to, reason.as_bytes())?;
        }
    }
    to.flush()
}

pub(super) fn read_answer(from: &mut impl Read) -> io::Result<Answer> {
    let mut from = from.take(ANSWER_BYTES_MAX);
    Ok(match read_byte(&mut from)? {
        READ => Ok(Said::Text(read_extracted(&mut from)?)),
        PICTURE => Ok(Said::Picture(read_bytes(&mut from)?)),
        FILE_TROUBLE => Err(Trouble::File(read_text(&mut from)?)),
        READER_TROUBLE => Err(Trouble::Reader(read_text(&mut from)?)),
        _ => return Err(garbled()),
    })
}

fn write_extracted(to: &mut impl Write, extracted: &Extracted) -> io::Result<()> {
    let Extracted {
        title,
        author,
        created,
        own,
        ..
    } = extracted;
    for fact in [title, author, created, own] {
        to.write_all(&[u8::from(fact.is_some())])?;
        if let Some(fact) = fact {
            write_bytes(to, fact.as_bytes())?;
        }
    }
    write_number(to, extracted.blank.len() as u64)?;
    for &page in &extracted.blank {
        write_number(to, u64::from(page))?;
    }
    write_number(to, extracted.parts.len() as u64)?;
    for part in &extracted.parts {
        // Pages and levels of headings count from 1, so 0 says that there is none.
        write_number(to, u64::from(part.page.unwrap_or(0)))?;
        let (level, heading) = match &part.heading {
            Some((level, heading)) => (*level, heading.as_str()),
            None => (0, ""),
        };
        to.write_all(&[u8::from(part.is_structured), level])?;
        write_bytes(to, heading.as_bytes())?;
        write_bytes(to, part.text.as_bytes())?;
        write_number(to, part.lines.len() as u64)?;
        for (from, end) in part.lines.iter().chain([&part.heading_lines]) {
            to.write_all(&from.to_le_bytes())?;
            to.write_all(&end.to_le_bytes())?;
        }
    }
    Ok(())
}

fn read_extracted(from: &mut impl Read) -> io::Result<Extracted> {
    let mut fact = || match read_byte(from)? {
        0 => Ok(None),
        _ => read_text(from).map(Some),
    };
    let (title, author, created, own) = (fact()?, fact()?, fact()?, fact()?);
    let mut blank = Vec::new();
    for _ in 0..read_number(from)? {
        blank.extend(read_page(from)?);
    }
    let mut parts = Vec::new();
    for _ in 0..read_number(from)? {
        let page = read_page(from)?;
        let is_structured = read_byte(from)? != 0;
        let level = read_byte(from)?;
        let heading = read_text(from)?;
        let text = read_text(from)?;
        let mut lines = Vec::new();
        for _ in 0..read_number(from)? {
            lines.push(read_lines(from)?);
        }
        parts.push(Part {
            page,
            heading: (level > 0).then_some((level, heading)),
            text,
            is_structured,
            lines,
            heading_lines: read_lines(from)?,
            // Children read no pictures.
            picture: None,
        });
    }
    Ok(Extracted {
        title,
        author,
        created,
        parts,
        own,
        blank,
        is_unread: false,
    })
}

/// Reads the number of a page; 0 says that there is none.
fn read_page(from: &mut impl Read) -> io::Result<Option<u32>> {
    let page = u32::try_from(read_number(from)?).map_err(|_| garbled())?;
    Ok((page > 0).then_some(page))
}

fn read_lines(from: &mut impl Read) -> io::Result<Lines> {
    let mut number = || {
        let mut bytes = [0; 4];
        from.read_exact(&mut bytes)?;
        io::Result::Ok(u32::from_le_bytes(bytes))
    };
    Ok((number()?, number()?))
}

fn write_number(to: &mut impl Write, number: u64) -> io::Result<()> {
    to.write_all(&number.to_le_bytes())
}

fn write_bytes(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    write_number(to, bytes.len() as u64)?;
    to.write_all(bytes)
}

fn read_byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn read_number(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Makes room for what comes, not for what was promised.
fn read_bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = read_number(from)?;
    let mut bytes = Vec::new();
    let n_read = from.take(length).read_to_end(&mut bytes)?;
    if n_read as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

fn read_text(from: &mut impl Read) -> io::Result<String> {
    String::from_utf8(read_bytes(from)?).map_err(|_| garbled())
}

fn garbled() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(answer: &Answer) -> Answer {
        let mut pipe = Vec::new();
        write_answer(&mut pipe, answer).unwrap();
        let mut from = pipe.as_slice();
        let read = read_answer(&mut from).unwrap();
        assert!(from.is_empty());
        read
    }

    #[test]
    fn what_goes_in_comes_out() {
        let part = Part {
            page: Some(3),
            heading: Some((2, "Übersicht".to_owned())),
            text: "| a |\n".to_owned(),
            is_structured: true,
            lines: vec![(3, 4)],
            heading_lines: (2, 2),
            picture: None,
        };
        let answer = Ok(Said::Text(Extracted {
            title: Some("T".to_owned()),
            author: None,
            created: Some(String::new()),
            parts: vec![part, Part::default()],
            own: Some("a".to_owned()),
            blank: vec![2, 7],
            is_unread: false,
        }));
        assert_eq!(answered(&answer), answer);
        let answer = Ok(Said::Picture(vec![80, 53]));
        assert_eq!(answered(&answer), answer);
        for trouble in [Trouble::File, Trouble::Reader] {
            let answer = Err(trouble("it is locked".to_owned()));
            assert_eq!(answered(&answer), answer);
        }
        let request = Request {
            kind: Kind::Epub,
            path: "a b/c.epub".to_owned(),
            bytes: vec![0, 1, 2],
            page: Some(9),
        };
        let mut pipe = Vec::new();
        write_request(&mut pipe, &request).unwrap();
        let mut from = pipe.as_slice();
        let read = read_request(&mut from).unwrap().unwrap();
        assert_eq!((read.kind, read.path), (request.kind, request.path));
        assert_eq!((read.bytes, read.page), (request.bytes, request.page));
        assert!(read_request(&mut from).unwrap().is_none());
    }

    #[test]
    fn a_lie_about_a_length_is_an_error_and_costs_nothing() {
        let mut pipe = vec![FILE_TROUBLE];
        pipe.extend(u64::MAX.to_le_bytes());
        pipe.extend(b"short");
        assert!(read_answer(&mut pipe.as_slice()).is_err());
        assert!(read_answer(&mut [9].as_slice()).is_err());
    }
}
