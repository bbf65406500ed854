//! SQLite's write-ahead log, as far as damage in it must be told from what a crash leaves.
//!
//! Every frame of it carries a checksum that goes on from the frame before. SQLite looks at these only
//! when it reads a log for the first time, and takes the first bad one for the end of the log.

use super::seal::PAGE_BYTES;

pub(in crate::store) const HEADER_BYTES: usize = 32;
pub(in crate::store) const FRAME_HEADER_BYTES: usize = 24;
pub(in crate::store) const FRAME_BYTES: usize = FRAME_HEADER_BYTES + PAGE_BYTES;
const MAGIC: u32 = 0x377F_0682;

/// Reads some bytes of the log, zeros behind its end; tells whether it is that long.
pub(in crate::store) type ReadAt<'a> = dyn FnMut(&mut [u8], i64) -> bool + 'a;

/// Two sums that go on from frame to frame.
type Sums = [u32; 2];

/// Whether a page at `at` is what was written there.
pub(in crate::store) fn is_page_whole(read: &mut ReadAt<'_>, page: &[u8], at: i64) -> bool {
    let mut header = [0; FRAME_HEADER_BYTES];
    let start = at - FRAME_HEADER_BYTES as i64;
    read(&mut header, start) && is_frame_whole(read, &header, page, start)
}

/// Whether SQLite, reading the log for the first time, may take what it finds at `at` for a frame, or for
/// the end of the log. The end is where a run that was killed stopped writing: nothing that was
/// committed follows.
pub(in crate::store) fn is_frame_or_end(read: &mut ReadAt<'_>, frame: &[u8], at: i64) -> bool {
    let mut head = [0; HEADER_BYTES];
    let Some((header, page)) = frame.split_first_chunk() else {
        return true;
    };
    if !read(&mut head, 0) {
        return true;
    }
    // Frames of an earlier log that were not yet overwritten have other salts, and other sums before.
    match is_frame_whole(read, header, page, at) {
        true => is_of_log(header, &head),
        false => !is_commit_from(read, &head, at),
    }
}

/// Whether the head of a log is whole, or nothing follows it.
pub(in crate::store) fn is_head_whole(read: &mut ReadAt<'_>, head: &[u8]) -> bool {
    let is_whole = word(head, 0) & !1 == MAGIC
        && word(head, 8) as usize == PAGE_BYTES
        && sums([0, 0], &head[..24], is_big_endian(head)) == [word(head, 24), word(head, 28)];
    is_whole || !read(&mut [0; FRAME_BYTES], HEADER_BYTES as i64)
}

fn is_frame_whole(
    read: &mut ReadAt<'_>,
    header: &[u8; FRAME_HEADER_BYTES],
    page: &[u8],
    at: i64,
) -> bool {
    let mut head = [0; HEADER_BYTES];
    let mut before = [0; 8];
    // The sums stand at the end of the head, and of the header of every frame.
    let before_at = match at - HEADER_BYTES as i64 {
        0 => HEADER_BYTES as i64 - 8,
        _ => at - FRAME_BYTES as i64 + FRAME_HEADER_BYTES as i64 - 8,
    };
    if !read(&mut head, 0) || !read(&mut before, before_at) {
        return false;
    }
    let is_big = is_big_endian(&head);
    let before = [word(&before, 0), word(&before, 4)];
    let found = sums(sums(before, &header[..8], is_big), page, is_big);
    found == [word(header, 16), word(header, 20)]
}

/// Whether a transaction of this log ends at `at` or anywhere behind it, however things lie there.
fn is_commit_from(read: &mut ReadAt<'_>, head: &[u8; HEADER_BYTES], mut at: i64) -> bool {
    // A number of pages, which only the last frame of a transaction has, and the salts of the log.
    const MARK_BYTES: usize = 12;
    let is_mark = |bytes: &[u8]| bytes[4..] == head[16..24] && word(bytes, 0) != 0;
    let mut bytes = [0; FRAME_BYTES + MARK_BYTES];
    loop {
        let is_full = read(&mut bytes, at);
        if bytes.windows(MARK_BYTES).any(is_mark) {
            return true;
        }
        if !is_full {
            return false;
        }
        at += FRAME_BYTES as i64;
    }
}

fn is_of_log(header: &[u8; FRAME_HEADER_BYTES], head: &[u8; HEADER_BYTES]) -> bool {
    header[8..16] == head[16..24]
}

/// Returns the page that a frame of the log holds, and the number of pages behind it where it ends a
/// transaction, else 0; `None` for a frame of an earlier log.
pub(in crate::store) fn frame_of(
    frame: &[u8; FRAME_BYTES],
    head: &[u8; HEADER_BYTES],
) -> Option<(u64, u64)> {
    let (header, _) = frame.split_first_chunk()?;
    is_of_log(header, head).then(|| (u64::from(word(frame, 0)), u64::from(word(frame, 4))))
}

fn is_big_endian(head: &[u8]) -> bool {
    word(head, 0) & 1 == 1
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..).and_then(<[u8]>::first_chunk);
    word.map_or(0, |word| u32::from_be_bytes(*word))
}

/// SQLite's checksum of a log.
fn sums(start: Sums, bytes: &[u8], is_big: bool) -> Sums {
    let read = if is_big {
        u32::from_be_bytes
    } else {
        u32::from_le_bytes
    };
    let pairs = bytes.as_chunks::<8>().0.iter();
    pairs.fold(start, |[a, b], pair| {
        let [x, y] = [0, 4].map(|at| read([pair[at], pair[at + 1], pair[at + 2], pair[at + 3]]));
        let a = a.wrapping_add(x).wrapping_add(b);
        [a, b.wrapping_add(y).wrapping_add(a)]
    })
}
