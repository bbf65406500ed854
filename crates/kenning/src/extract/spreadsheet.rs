//! Spreadsheets: every sheet as batches of rows under a repeated header, then charts and comments.
//!
//! Only cells that hold something are kept, so a sheet with one cell in its last corner is small.

use std::io::Cursor;

use calamine::{Data, DataRef, ExcelDateTime, Reader, SheetType, Xls, Xlsb, Xlsx};

use super::archive::Archive;
use super::guard::Budget;
use super::parts::{BATCH_ROWS, Parts, find, one_line, push_row, push_rule};
use super::xml::Element;
use super::{Extracted, Lines, NO_LINES, container, drawing, opendocument};

/// Cells taken from one file; more would not be read by anyone, and each costs memory.
const CELLS_MAX: usize = 4_000_000;

/// Reads a spreadsheet of any format, told by its bytes.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let mut parts = Parts::new(budget);
    let mut facts = Extracted::default();
    if bytes.starts_with(b"PK") {
        let mut archive = Archive::open(bytes, budget)?;
        if archive.has("content.xml") {
            return opendocument::read(bytes, budget);
        }
        archive.weigh(|name| !name.contains("/media/"), check_promise)?;
        facts = archive.office_properties();
        match archive.has("xl/workbook.bin") {
            true => read_xlsb(bytes, &mut parts)?,
            false => read_xlsx(bytes, &mut parts)?,
        }
        write_extras(&mut archive, &mut parts)?;
    } else if bytes.starts_with(&container::SIGNATURE) {
        container::check_workbook(bytes)?;
        read_xls(bytes, &mut parts)?;
    } else {
        return Err("it is not what its name says: no spreadsheet".to_owned());
    }
    let parts = parts.finish()?;
    if parts.is_empty() {
        return Err("the sheets hold no cells".to_owned());
    }
    Ok(Extracted { parts, ..facts })
}

/// Refuses a table of texts that promises more of them than a file can hold: the reader makes room
/// for as many as the attribute says.
fn check_promise(bytes: &[u8]) -> Result<(), String> {
    const NAME: &[u8] = b"uniqueCount";
    let mut rest = bytes;
    while let Some(found) = find(rest, NAME) {
        rest = &rest[found + NAME.len()..];
        let value = rest
            .iter()
            .take(64)
            .skip_while(|byte| !byte.is_ascii_digit());
        if value.take_while(|byte| byte.is_ascii_digit()).count() > 7 {
            return Err("it promises more texts than it can hold".to_owned());
        }
    }
    Ok(())
}

fn read_xlsx(bytes: &[u8], parts: &mut Parts<'_>) -> Result<(), String> {
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let mut trouble = None;
    for (position, name) in sheets(&book).into_iter().enumerate() {
        let mut sheet = Sheet::default();
        match book.worksheet_cells_reader(&name) {
            Ok(mut reader) => {
                while let Some(cell) = reader.next_cell().map_err(|error| damaged(&error))? {
                    sheet.take(cell.get_position(), &shown_ref(cell.get_value()), parts)?;
                }
            }
            Err(error) => trouble = Some(damaged(&error)),
        }
        sheet.write(position + 1, &name, parts);
    }
    unless_empty(parts, trouble)
}

fn read_xlsb(bytes: &[u8], parts: &mut Parts<'_>) -> Result<(), String> {
    let mut book = Xlsb::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let mut trouble = None;
    for (position, name) in sheets(&book).into_iter().enumerate() {
        let mut sheet = Sheet::default();
        match book.worksheet_cells_reader(&name) {
            Ok(mut reader) => {
                while let Some(cell) = reader.next_cell().map_err(|error| damaged(&error))? {
                    sheet.take(cell.get_position(), &shown_ref(cell.get_value()), parts)?;
                }
            }
            Err(error) => trouble = Some(damaged(&error)),
        }
        sheet.write(position + 1, &name, parts);
    }
    unless_empty(parts, trouble)
}

fn read_xls(bytes: &[u8], parts: &mut Parts<'_>) -> Result<(), String> {
    let mut book = Xls::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let mut trouble = None;
    for (position, name) in sheets(&book).into_iter().enumerate() {
        let mut sheet = Sheet::default();
        match book.worksheet_range(&name) {
            Ok(range) => {
                for (row, column, value) in range.used_cells() {
                    // Positions count from the first used cell; only their order matters here.
                    sheet.take((saturated(row), saturated(column)), &shown(value), parts)?;
                }
            }
            Err(error) => trouble = Some(damaged(&error)),
        }
        sheet.write(position + 1, &name, parts);
    }
    unless_empty(parts, trouble)
}

/// One damaged sheet does not cost the others; if nothing was read it is the reason.
fn unless_empty(parts: &Parts<'_>, trouble: Option<String>) -> Result<(), String> {
    match trouble {
        Some(trouble) if parts.is_empty() => Err(trouble),
        _ => Ok(()),
    }
}

fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn sheets<R: Reader<Cursor<B>>, B: AsRef<[u8]>>(book: &R) -> Vec<String>
where
    Cursor<B>: std::io::Read + std::io::Seek,
{
    let sheets = book.sheets_metadata().iter();
    sheets
        .filter(|sheet| !matches!(sheet.typ, SheetType::ChartSheet | SheetType::Vba))
        .map(|sheet| sheet.name.clone())
        .collect()
}

fn damaged(error: &dyn std::fmt::Display) -> String {
    let message = one_line(&error.to_string());
    let is_locked = message.to_ascii_lowercase().contains("password");
    // An encrypted workbook is an old-style container without the stream of an old workbook.
    match is_locked || message.contains("Cannot find Workbook stream") {
        true => "it is protected with a password".to_owned(),
        false => format!("the spreadsheet is damaged ({message})"),
    }
}

fn write_extras(archive: &mut Archive<'_>, parts: &mut Parts<'_>) -> Result<(), String> {
    for name in archive.names_below("xl/charts/chart") {
        parts.start_page(0, true);
        parts.start_section(2, "Chart");
        drawing::write_chart(archive, &name, parts)?;
    }
    let people = match archive.xml("xl/persons/person.xml")? {
        Some(root) => drawing::people(&root, "id", "displayName"),
        None => Vec::new(),
    };
    let mut comments = archive.names_below("xl/comments");
    comments.extend(archive.names_below("xl/threadedComments/"));
    for name in comments.iter().filter(|name| name.ends_with(".xml")) {
        let Some(root) = archive.xml(name)? else {
            continue;
        };
        parts.start_page(0, true);
        parts.start_section(2, "Comments");
        let authors: Vec<String> = root
            .find("authors")
            .into_iter()
            .flat_map(Element::elements)
            .map(Element::text)
            .collect();
        root.each("comment", &mut |comment| {
            let author = comment
                .attribute("authorId")
                .and_then(|id| authors.get(id.parse::<usize>().ok()?));
            let text = one_line(&comment.text());
            // Threads are kept twice; the older copy is only a notice.
            if !text.starts_with("[Threaded comment]") {
                parts.line(&drawing::comment(author.map(String::as_str), &text));
            }
        });
        root.each("threadedComment", &mut |comment| {
            let author = drawing::name_of(&people, comment.attribute("personId"));
            parts.line(&drawing::comment(author, &one_line(&comment.text())));
        });
    }
    Ok(())
}

/// Number of a row, and its used cells with their columns.
type SheetRow = (u32, Vec<(u32, String)>);

/// The used cells of a sheet, row by row.
#[derive(Default)]
pub(super) struct Sheet {
    rows: Vec<SheetRow>,
    n_cells: usize,
    n_bytes: usize,
}

impl Sheet {
    /// Takes one cell; blank ones are passed over.
    pub(super) fn take(
        &mut self,
        (row, column): (u32, u32),
        text: &str,
        parts: &Parts<'_>,
    ) -> Result<(), String> {
        let text = one_line(text);
        if text.is_empty() {
            return Ok(());
        }
        self.n_cells += 1;
        self.n_bytes += text.len();
        if self.n_cells > CELLS_MAX || self.n_bytes > parts.text_bytes_max() {
            return Err("a sheet has more cells than we read".to_owned());
        }
        if self.n_cells.is_multiple_of(4_096) {
            parts.check()?;
        }
        match self.rows.last_mut() {
            Some((last, cells)) if *last == row => cells.push((column, text)),
            _ => self.rows.push((row, vec![(column, text)])),
        }
        Ok(())
    }

    /// Writes the sheet: a part for every batch of rows, each with its header.
    pub(super) fn write(mut self, page: usize, name: &str, parts: &mut Parts<'_>) {
        if self.rows.is_empty() {
            return;
        }
        self.rows.sort_by_key(|(row, _)| *row);
        parts.start_page(page, true);
        parts.start_section(2, name);
        let label = format!("[Sheet: {}]", one_line(name));
        for table in self.tables() {
            write_batches(&label, &table, &[], parts);
        }
    }

    /// Cuts the sheet into tables at blank rows that are followed by another header.
    fn tables(self) -> Vec<Vec<Vec<String>>> {
        let mut tables: Vec<Vec<SheetRow>> = Vec::new();
        for (row, cells) in self.rows {
            let starts_table = match tables.last().and_then(|table| table.last()) {
                Some((before, _)) => row > before.saturating_add(1) && is_header(&cells),
                None => true,
            };
            match tables.last_mut() {
                Some(table) if !starts_table => table.push((row, cells)),
                _ => tables.push(vec![(row, cells)]),
            }
        }
        tables.into_iter().map(align).collect()
    }
}

/// Writes the rows of one table in batches; the first row is the header.
pub(super) fn write_batches(
    label: &str,
    table: &[Vec<String>],
    lines: &[Lines],
    parts: &mut Parts<'_>,
) {
    let n_columns = table.iter().map(Vec::len).max().unwrap_or(0);
    // Lines of one cell above the header are titles.
    let is_title = |row: &&Vec<String>| n_columns > 1 && n_filled(row) == 1;
    let n_titles = table
        .iter()
        .take(table.len().saturating_sub(2).min(5))
        .take_while(is_title)
        .count();
    let lines_of = |row: usize| lines.get(row).copied().unwrap_or(NO_LINES);
    let (titles, rows) = table.split_at(n_titles);
    let Some((header, rows)) = rows.split_first() else {
        return;
    };
    let n_batches = rows.len().div_ceil(BATCH_ROWS).max(1);
    for batch in 0..n_batches {
        parts.start_batch();
        parts.at(0, 0);
        parts.line(label);
        if batch == 0 {
            for (position, title) in titles.iter().enumerate() {
                write_at(parts, lines_of(position), &one_line(&title.join(" ")));
            }
        }
        let mut text = String::new();
        push_row(&mut text, header, n_columns);
        push_rule(&mut text, n_columns);
        // Repeated above each batch, the header stands where it is only once.
        let header_lines = if batch == 0 {
            lines_of(n_titles)
        } else {
            NO_LINES
        };
        write_at(parts, header_lines, &text);
        let first = batch * BATCH_ROWS;
        let own = rows.iter().enumerate().skip(first).take(BATCH_ROWS);
        for (position, row) in own {
            text.clear();
            push_row(&mut text, row, n_columns);
            write_at(parts, lines_of(n_titles + 1 + position), &text);
        }
    }
}

fn write_at(parts: &mut Parts<'_>, (from, to): Lines, text: &str) {
    parts.at(from, to);
    parts.line(text);
}

fn n_filled(row: &[String]) -> usize {
    row.iter().filter(|cell| !cell.is_empty()).count()
}

fn is_header(cells: &[(u32, String)]) -> bool {
    cells.len() > 1 && cells.iter().all(|(_, text)| text.parse::<f64>().is_err())
}

/// Gives the cells of a table their columns; columns without any cell vanish.
fn align(rows: Vec<SheetRow>) -> Vec<Vec<String>> {
    let mut columns: Vec<u32> = rows
        .iter()
        .flat_map(|(_, cells)| cells.iter().map(|(column, _)| *column))
        .collect();
    columns.sort_unstable();
    columns.dedup();
    // A few cells scattered over very many columns are kept without alignment.
    let is_sparse = columns.len() > 256;
    let place = |(_, cells): SheetRow| {
        if is_sparse {
            return cells.into_iter().map(|(_, text)| text).collect();
        }
        let mut row = vec![String::new(); columns.len()];
        for (column, text) in cells {
            if let Ok(position) = columns.binary_search(&column) {
                row[position] = text;
            }
        }
        row
    };
    rows.into_iter().map(place).collect()
}

fn shown_ref(value: &DataRef<'_>) -> String {
    match value {
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::Float(number) => shown_number(*number),
        DataRef::DateTime(time) => shown_time(time),
        DataRef::Int(number) => number.to_string(),
        DataRef::Bool(is_true) => is_true.to_string(),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

fn shown(value: &Data) -> String {
    match value {
        Data::Float(number) => shown_number(*number),
        Data::DateTime(time) => shown_time(time),
        value => value.to_string(),
    }
}

/// Rounds as the programs do that write sheets: fifteen digits are meant, the rest is noise.
fn shown_number(number: f64) -> String {
    let rounded = format!("{number:.14e}").parse().unwrap_or(number);
    format!("{rounded}")
}

fn shown_time(time: &ExcelDateTime) -> String {
    let value = time.as_f64();
    if time.is_duration() {
        let seconds = (value * 86_400.0).round().abs() as u64;
        return format!(
            "{}:{:02}:{:02}",
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60
        );
    }
    if !(0.0..3_000_000.0).contains(&value) {
        return shown_number(value);
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    let clock = format!("{hour:02}:{minute:02}:{second:02}");
    match (value < 1.0, value.fract() == 0.0) {
        (true, false) => clock,
        (_, true) => date,
        _ => format!("{date} {clock}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_meant() {
        assert_eq!(shown_number(0.1 + 0.2), "0.3");
        assert_eq!(shown_number(42.0), "42");
        assert_eq!(shown_number(-1.5), "-1.5");
    }
}
