//! Mail messages: who, when, about what, the text, and the names of what is attached.

use mail_parser::{
    Address, Encoding, HeaderName, Message, MessageParser, MessagePart, MimeHeaders,
};

use super::guard::Budget;
use super::parts::{Parts, non_blank, one_line};
use super::{Extracted, Lines, NO_LINES, html};

/// Reads a mail message.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let message = MessageParser::default()
        .parse(bytes)
        .ok_or("it is not a mail message")?;
    if message.from().is_none() && message.subject().is_none() && message.date().is_none() {
        return Err("it is not what its name says: no mail message".to_owned());
    }
    let mut parts = Parts::new(budget);
    let subject = message.subject().and_then(non_blank);
    if let Some(subject) = &subject {
        stand_on(&message, HeaderName::Subject, &mut parts);
        parts.start_section(1, subject);
    }
    write_head(&message, &mut parts);
    write_body(&message, &mut parts)?;
    parts.outside();
    for attachment in message.attachments() {
        if let Some(name) = attachment.attachment_name() {
            let head = (attachment.offset_header, attachment.offset_body);
            let (from, to) = lines_between(bytes, head);
            parts.at(from, to);
            parts.block(&format!("Attachment: {}", one_line(name)));
        }
    }
    let created = message.date().filter(|date| date.is_valid());
    Ok(Extracted {
        title: subject,
        author: message
            .from()
            .map(people)
            .and_then(|people| non_blank(&people)),
        created: created.map(|date| format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)),
        parts: parts.finish()?,
        ..Extracted::default()
    })
}

/// Returns the lines from the first to the last byte.
fn lines_between(bytes: &[u8], (first, end): (u32, u32)) -> Lines {
    let line_of = |offset: u32| {
        let before = bytes.get(..offset as usize).unwrap_or(bytes);
        let n_breaks = before.iter().filter(|&&byte| byte == b'\n').count();
        u32::try_from(n_breaks + 1).unwrap_or(u32::MAX)
    };
    (line_of(first), line_of(end.saturating_sub(1).max(first)))
}

/// Says that what is written next stands in a field of the head.
fn stand_on(message: &Message<'_>, name: HeaderName<'_>, parts: &mut Parts<'_>) {
    let field = message.headers().iter().rfind(|field| field.name == name);
    let (from, to) = field.map_or(NO_LINES, |field| {
        lines_between(
            message.raw_message(),
            (field.offset_field, field.offset_end),
        )
    });
    parts.at(from, to);
}

/// Says where in the file the lines of a body begin, which may be broken anew or not readable at all.
fn enter(message: &Message<'_>, part: &MessagePart<'_>, parts: &mut Parts<'_>) {
    let bytes = message.raw_message();
    let (from, to) = lines_between(bytes, (part.offset_body, part.offset_end));
    let body = bytes.get(part.offset_body as usize..part.offset_end as usize);
    let own_lines = (from..).zip(body.unwrap_or_default().split(|&byte| byte == b'\n'));
    let is_soft = |line: &[u8]| line.trim_ascii_end().ends_with(b"=");
    let mut starts = vec![from];
    match part.encoding {
        Encoding::None => starts.extend(own_lines.map(|(number, _)| number + 1)),
        Encoding::QuotedPrintable => starts.extend(
            own_lines
                .filter(|(_, line)| !is_soft(line))
                .map(|(number, _)| number + 1),
        ),
        Encoding::Base64 => return parts.encoded_on((from, to)),
    }
    parts.inside(starts);
}

fn write_head(message: &Message<'_>, parts: &mut Parts<'_>) {
    let fields = [
        ("From", HeaderName::From, message.from()),
        ("To", HeaderName::To, message.to()),
        ("Cc", HeaderName::Cc, message.cc()),
    ];
    for (name, field, address) in fields {
        if let Some(people) = address.map(people).filter(|people| !people.is_empty()) {
            stand_on(message, field, parts);
            parts.line(&format!("{name}: {people}"));
        }
    }
    if let Some(date) = message.date() {
        stand_on(message, HeaderName::Date, parts);
        parts.line(&format!("Date: {}", date.to_rfc3339()));
    }
    if let Some(subject) = message.subject() {
        stand_on(message, HeaderName::Subject, parts);
        parts.line(&format!("Subject: {}", one_line(subject)));
    }
}

/// Writes the plain text if the sender made one, otherwise what the HTML says.
fn write_body(message: &Message<'_>, parts: &mut Parts<'_>) -> Result<(), String> {
    let is_plain = message
        .text_bodies()
        .next()
        .is_some_and(|part| part.is_text() && !part.is_text_html());
    if !is_plain && message.html_body_count() > 0 {
        for (position, part) in message.html_bodies().enumerate() {
            if let Some(body) = message.body_html(position) {
                enter(message, part, parts);
                html::write(&body, parts)?;
            }
        }
        return Ok(());
    }
    for (position, part) in message.text_bodies().enumerate() {
        if let Some(body) = message.body_text(position) {
            enter(message, part, parts);
            parts.verbatim(body.lines().zip(1..));
        }
    }
    Ok(())
}

fn people(address: &Address<'_>) -> String {
    let mut people = Vec::new();
    for person in address.iter() {
        let name = person.name().map(one_line).filter(|name| !name.is_empty());
        match (name, person.address()) {
            (Some(name), Some(address)) => people.push(format!("{name} <{address}>")),
            (Some(name), None) => people.push(name),
            (None, Some(address)) => people.push(address.to_owned()),
            (None, None) => {}
        }
    }
    people.join(", ")
}
