//! Checks the compound files that Excel wrote before 2007, before they are read.
//!
//! Such a file is a little file system: chains of sectors, and a table that says which sector
//! follows which. A table that leads in a circle, or a cell far outside, would make the reader of
//! workbooks fill the memory, so both are refused here.

/// First bytes of a compound file.
pub(super) const SIGNATURE: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// Sector numbers from here on have a meaning of their own.
const RESERVED: u32 = 0xFFFF_FFFA;

/// Streams shorter than this lie in the mini stream.
const MINI_STREAM_BYTES: u64 = 4_096;

/// Bytes of a mini sector.
const MINI_SECTOR_BYTES: usize = 64;

/// Cells the rectangle around the used cells of a sheet may have.
const AREA_MAX: u64 = 4_000_000;

/// Cells the size written in a sheet may promise: all a sheet of that time can hold.
const PROMISE_MAX: u64 = 65_536 * 256;

/// Sheets a workbook may have.
const SHEETS_MAX: usize = 1_000;

/// Record types of cells; each starts with its row and column.
const CELL_RECORDS: [u16; 7] = [0x0006, 0x00D6, 0x00FD, 0x0203, 0x0204, 0x0205, 0x027E];

/// Record type of several cells in a row; the last column stands at the end.
const ROW_RECORD: u16 = 0x00BD;

/// Record type of the size of a sheet.
const SIZE_RECORD: u16 = 0x0200;

/// Record type of the place where a sheet starts.
const SHEET_RECORD: u16 = 0x0085;

/// Record type of the lock: what follows is encrypted.
const LOCK_RECORD: u16 = 0x002F;

/// Record type that ends a sheet or the list of sheets.
const END_RECORD: u16 = 0x000A;

/// Refuses a workbook whose chains do not end or whose cells lie too far apart.
pub(super) fn check_workbook(bytes: &[u8]) -> Result<(), String> {
    let container = Container::of(bytes).ok_or("the compound file is damaged")?;
    for entry in &container.entries {
        let is_workbook = ["workbook", "book"].contains(&entry.name.to_ascii_lowercase().as_str());
        let stream = container
            .stream(entry)
            .ok_or("the compound file is damaged")?;
        if is_workbook {
            check_cells(&stream)?;
        }
    }
    Ok(())
}

struct Container<'b> {
    bytes: &'b [u8],
    sector_bytes: usize,
    /// Which sector follows which.
    table: Vec<u32>,
    mini_table: Vec<u32>,
    mini_stream: Vec<u8>,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    start: u32,
    n_bytes: u64,
}

impl<'b> Container<'b> {
    /// Reads the tables; `None` when a chain leads in a circle or out of the file.
    fn of(bytes: &'b [u8]) -> Option<Self> {
        let sector_bytes = match u16_at(bytes, 30)? {
            9 => 512,
            12 => 4_096,
            _ => return None,
        };
        let mut container = Self {
            bytes,
            sector_bytes,
            table: Vec::new(),
            mini_table: Vec::new(),
            mini_stream: Vec::new(),
            entries: Vec::new(),
        };
        for sector in container.table_sectors()? {
            let numbers = numbers(container.sector(sector)?);
            container.table.extend(numbers);
        }
        let folder = container.chain(u32_at(bytes, 48)?, u64::MAX)?;
        container.entries = folder.chunks_exact(128).map(Entry::of).collect();
        if u32_at(bytes, 64)? > 0 {
            let n_bytes = u64::from(u32_at(bytes, 64)?) * sector_bytes as u64;
            container.mini_table = numbers(&container.chain(u32_at(bytes, 60)?, n_bytes)?);
            let root = container.entries.first()?;
            container.mini_stream = container.chain(root.start, root.n_bytes)?;
            container.entries.remove(0);
        }
        Some(container)
    }

    /// Sectors that hold the table: the first 109 stand in the header, others in a chain.
    fn table_sectors(&self) -> Option<Vec<u32>> {
        let mut sectors = numbers(self.bytes.get(76..512)?);
        let mut next = u32_at(self.bytes, 68)?;
        let mut n_left = self.bytes.len() / self.sector_bytes + 1;
        while next < RESERVED {
            n_left = n_left.checked_sub(1)?;
            sectors.extend(numbers(self.sector(next)?));
            next = sectors.pop()?;
        }
        sectors.retain(|sector| *sector < RESERVED);
        // A real file has no more table sectors than sectors.
        (sectors.len() <= self.bytes.len() / self.sector_bytes + 1).then_some(sectors)
    }

    /// The last sector of a file may be short.
    fn sector(&self, number: u32) -> Option<&'b [u8]> {
        let start = (usize::try_from(number).ok()? + 1).checked_mul(self.sector_bytes)?;
        let end = (start + self.sector_bytes).min(self.bytes.len());
        self.bytes.get(start..end)
    }

    fn chain(&self, start: u32, n_bytes: u64) -> Option<Vec<u8>> {
        follow(start, n_bytes, &self.table, |sector| self.sector(sector))
    }

    fn stream(&self, entry: &Entry) -> Option<Vec<u8>> {
        if entry.name.is_empty() || entry.n_bytes == 0 {
            return Some(Vec::new());
        }
        if entry.n_bytes >= MINI_STREAM_BYTES || self.mini_table.is_empty() {
            return self.chain(entry.start, entry.n_bytes);
        }
        follow(entry.start, entry.n_bytes, &self.mini_table, |sector| {
            let start = usize::try_from(sector)
                .ok()?
                .checked_mul(MINI_SECTOR_BYTES)?;
            let end = (start + MINI_SECTOR_BYTES).min(self.mini_stream.len());
            self.mini_stream.get(start..end)
        })
    }
}

impl Entry {
    fn of(bytes: &[u8]) -> Self {
        let units = bytes[..64]
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
        Self {
            name: String::from_utf16_lossy(&units),
            start: u32_at(bytes, 116).unwrap_or(RESERVED),
            n_bytes: u64::from(u32_at(bytes, 120).unwrap_or(0)),
        }
    }
}

/// Reads a chain of sectors, which cannot be longer than the table that links it.
fn follow<'b>(
    start: u32,
    n_bytes: u64,
    table: &[u32],
    sector: impl Fn(u32) -> Option<&'b [u8]>,
) -> Option<Vec<u8>> {
    let mut chain = Vec::new();
    let mut next = start;
    let mut n_left = table.len() + 1;
    while next < RESERVED && (chain.len() as u64) < n_bytes {
        n_left = n_left.checked_sub(1)?;
        chain.extend_from_slice(sector(next)?);
        next = *table.get(usize::try_from(next).ok()?)?;
    }
    Some(chain)
}

/// Refuses sheets whose used cells span too large a rectangle.
fn check_cells(stream: &[u8]) -> Result<(), String> {
    let too_large = || "the cells of a sheet lie too far apart".to_owned();
    let list = Records { rest: stream }.take_while(|(kind, _)| *kind != END_RECORD);
    if list
        .clone()
        .any(|(kind, body)| kind == LOCK_RECORD && u16_at(body, 0) != Some(0))
    {
        return Err("it is protected with a password".to_owned());
    }
    let starts = list
        .filter(|(kind, _)| *kind == SHEET_RECORD)
        .filter_map(|(_, body)| u32_at(body, 0));
    let mut area = 0;
    for (position, start) in starts.enumerate() {
        let sheet = usize::try_from(start)
            .ok()
            .and_then(|start| stream.get(start..));
        area += sheet.map_or(Some(0), sheet_area).ok_or_else(too_large)?;
        if area > AREA_MAX || position > SHEETS_MAX {
            return Err(too_large());
        }
    }
    Ok(())
}

/// Returns the area of the rectangle around the cells, `None` when the sheet promises too much.
fn sheet_area(sheet: &[u8]) -> Option<u64> {
    let mut span: Option<[u16; 4]> = None;
    for (kind, body) in (Records { rest: sheet }) {
        if kind == SIZE_RECORD && promised_area(body) > PROMISE_MAX {
            return None;
        }
        if kind != ROW_RECORD && !CELL_RECORDS.contains(&kind) {
            continue;
        }
        let (Some(row), Some(first)) = (u16_at(body, 0), u16_at(body, 2)) else {
            continue;
        };
        let last = match kind {
            ROW_RECORD => u16_at(body, body.len() - 2).unwrap_or(first).max(first),
            _ => first,
        };
        let [top, bottom, left, right] = span.unwrap_or([row, row, first, last]);
        span = Some([
            top.min(row),
            bottom.max(row),
            left.min(first),
            right.max(last),
        ]);
    }
    let [top, bottom, left, right] = span.unwrap_or_default().map(u64::from);
    Some((bottom - top + 1) * (right - left + 1))
}

/// The size of a sheet is written with short or long row numbers; the ends are exclusive.
fn promised_area(body: &[u8]) -> u64 {
    let long = || Some((u32_at(body, 0)?, u32_at(body, 4)?, u16_at(body, 10)?));
    let short = || {
        Some((
            u16_at(body, 0)?.into(),
            u16_at(body, 2)?.into(),
            u16_at(body, 6)?,
        ))
    };
    let Some((first, end, columns)) = (if body.len() > 10 { long() } else { short() }) else {
        return 0;
    };
    match end > 0 && end < first {
        // Such a sheet would be counted backwards.
        true => u64::MAX,
        false => u64::from(end).saturating_mul(columns.into()),
    }
}

/// The records of a stream: kind, length, body.
#[derive(Clone)]
struct Records<'b> {
    rest: &'b [u8],
}

impl<'b> Iterator for Records<'b> {
    type Item = (u16, &'b [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (kind, n_body) = (u16_at(self.rest, 0)?, usize::from(u16_at(self.rest, 2)?));
        let after = &self.rest[4..];
        let (body, rest) = after.split_at(n_body.min(after.len()));
        self.rest = rest;
        Some((kind, body))
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let quads = bytes.chunks_exact(4);
    quads
        .map(|quad| u32::from_le_bytes([quad[0], quad[1], quad[2], quad[3]]))
        .collect()
}

fn u16_at(bytes: &[u8], position: usize) -> Option<u16> {
    let pair = bytes.get(position..position + 2)?;
    Some(u16::from_le_bytes([pair[0], pair[1]]))
}

fn u32_at(bytes: &[u8], position: usize) -> Option<u32> {
    numbers(bytes.get(position..position + 4)?).first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A compound file of one table sector and one folder sector that follows itself.
    fn file(next_of_folder: u32) -> Vec<u8> {
        let mut bytes = vec![0; 512 * 3];
        bytes[..8].copy_from_slice(&SIGNATURE);
        bytes[30] = 9;
        bytes[32] = 6;
        bytes[48] = 1;
        bytes[60..64].fill(0xFF);
        bytes[68..72].fill(0xFF);
        bytes[76..512].fill(0xFF);
        bytes[76..80].fill(0);
        bytes[512..1_024].fill(0xFF);
        bytes[516..520].copy_from_slice(&next_of_folder.to_le_bytes());
        bytes
    }

    #[test]
    fn circles_are_refused() {
        assert!(check_workbook(&file(0xFFFF_FFFE)).is_ok());
        assert!(check_workbook(&file(1)).is_err());
        assert!(check_workbook(&SIGNATURE).is_err());
    }

    fn record(kind: u16, body: &[u8]) -> Vec<u8> {
        let mut record = kind.to_le_bytes().to_vec();
        record.extend(u16::try_from(body.len()).unwrap().to_le_bytes());
        record.extend(body);
        record
    }

    fn workbook(records: &[Vec<u8>]) -> Vec<u8> {
        // The list of sheets is 16 bytes long, so the one sheet starts there.
        let list = [
            record(SHEET_RECORD, &[16, 0, 0, 0, 0, 0, 0, 0]),
            record(END_RECORD, &[]),
        ];
        [list.concat(), records.concat()].concat()
    }

    #[test]
    fn cells_far_apart_are_refused() {
        let cell = |row: u16, column: u16| {
            let place = [row.to_le_bytes(), column.to_le_bytes()].concat();
            record(0x0203, &[place, vec![0; 10]].concat())
        };
        assert!(check_cells(&workbook(&[cell(0, 0), cell(9, 9)])).is_ok());
        assert!(check_cells(&workbook(&[cell(0, 0), cell(u16::MAX, u16::MAX)])).is_err());
        let size = record(SIZE_RECORD, &[0xFF; 14]);
        assert!(check_cells(&workbook(&[size])).is_err());
    }
}
