//! Mail messages: who, when, about what, the text, and the names of what is attached.

use mail_parser::{Address, Message, MessageParser, MimeHeaders};

use super::guard::Budget;
use super::parts::{Parts, non_blank, one_line};
use super::{Extracted, html};

/// Reads a mail message.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let message = MessageParser::default()
        .parse(bytes)
        .ok_or("it is no mail message")?;
    if message.from().is_none() && message.subject().is_none() && message.date().is_none() {
        return Err("it is not what its name says: no mail message".to_owned());
    }
    let mut parts = Parts::new(budget);
    let subject = message.subject().and_then(non_blank);
    if let Some(subject) = &subject {
        parts.start_section(1, subject);
    }
    write_head(&message, &mut parts);
    write_body(&message, &mut parts)?;
    for attachment in message.attachments() {
        if let Some(name) = attachment.attachment_name() {
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
    })
}

fn write_head(message: &Message<'_>, parts: &mut Parts<'_>) {
    let fields = [
        ("From", message.from()),
        ("To", message.to()),
        ("Cc", message.cc()),
    ];
    for (name, address) in fields {
        if let Some(people) = address.map(people).filter(|people| !people.is_empty()) {
            parts.line(&format!("{name}: {people}"));
        }
    }
    if let Some(date) = message.date() {
        parts.line(&format!("Date: {}", date.to_rfc3339()));
    }
    if let Some(subject) = message.subject() {
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
        for position in 0..message.html_body_count() {
            if let Some(body) = message.body_html(position) {
                html::write(&body, parts)?;
            }
        }
        return Ok(());
    }
    for position in 0..message.text_body_count() {
        if let Some(body) = message.body_text(position) {
            parts.block(&body.replace("\r\n", "\n"));
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
