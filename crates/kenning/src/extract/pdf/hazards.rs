//! What makes a PDF dangerous to interpret: streams that unpack without end, and fonts that list
//! the width of billions of letters. Both are cheap to write and would fill the memory.

use std::io::Read;

use flate2::read::ZlibDecoder;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object};

use crate::extract::guard::Budget;
use crate::extract::parts::find;

/// Streams below this size cannot unpack to more than the memory we allow.
const SAFE_STREAM_BYTES: usize = 256 << 10;

/// Widths the fonts of a file may list; a font has at most 65,536 letters.
const WIDTHS_MAX: u64 = 8_000_000;

/// Depth to which objects inside objects are searched for fonts.
const DEPTH_MAX: usize = 12;

/// Unpacks the large streams once, counting only: the interpreter unpacks without a limit.
pub(super) fn refuse_bombs(bytes: &[u8], budget: &Budget) -> Result<(), String> {
    let mut n_unpacked = 0_usize;
    let mut position = 0;
    while let Some(found) = find(&bytes[position..], b"stream") {
        let start = position + found + 6;
        let skipped = bytes[start..]
            .iter()
            .take(2)
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let data = &bytes[start + skipped..];
        let n_packed = find(data, b"endstream").unwrap_or(data.len());
        // `endstream` holds the word itself, so the search goes on behind it.
        position = (start + skipped + n_packed + 9).min(bytes.len());
        let is_deflated = data.first().is_some_and(|byte| byte & 0x0F == 8);
        if n_packed < SAFE_STREAM_BYTES || !is_deflated {
            continue;
        }
        let mut unpacked = ZlibDecoder::new(&data[..n_packed]);
        let mut block = vec![0; 64 << 10];
        let mut n_here = 0_usize;
        while let Ok(n_read @ 1..) = unpacked.read(&mut block) {
            n_here += n_read;
            n_unpacked += n_read;
            let is_bomb = n_here / n_packed > budget.limits.unpack_ratio_max;
            if is_bomb || n_unpacked > budget.limits.unpacked_bytes_max.saturating_mul(4) {
                return Err("it unpacks to far more than its size, as a bomb does".to_owned());
            }
            budget.check()?;
        }
    }
    Ok(())
}

/// Looks at every object before it is interpreted: streams compressed twice, which multiplies what
/// they unpack to, and widths, which the interpreter lists one by one.
pub(super) fn refuse_objects(pdf: &Pdf, budget: &Budget) -> Result<(), String> {
    let mut n_widths = 0;
    for object in pdf.objects() {
        budget.check()?;
        if let Object::Stream(stream) = &object
            && is_packed_twice(stream.dict())
        {
            return Err("a stream of the PDF is compressed twice, as a bomb is".to_owned());
        }
        count_widths(&object, DEPTH_MAX, &mut n_widths);
        if n_widths > WIDTHS_MAX {
            return Err("a font of the PDF lists far more letters than there are".to_owned());
        }
    }
    Ok(())
}

fn is_packed_twice(dict: &Dict<'_>) -> bool {
    let Some(filters) = dict.get::<Array<'_>>(b"Filter") else {
        return false;
    };
    let packs = |filter: &Name<'_>| {
        let name: &[u8] = filter;
        [
            b"FlateDecode".as_slice(),
            b"Fl",
            b"LZWDecode",
            b"LZW",
            b"RunLengthDecode",
            b"RL",
            b"BrotliDecode",
        ]
        .contains(&name)
    };
    filters.iter::<Name<'_>>().filter(packs).count() > 1
}

fn count_widths(object: &Object<'_>, depth_left: usize, n_widths: &mut u64) {
    if depth_left == 0 {
        return;
    }
    match object {
        Object::Dict(dict) => count_in(dict, depth_left, n_widths),
        Object::Stream(stream) => count_in(stream.dict(), depth_left, n_widths),
        Object::Array(array) => {
            for item in array.raw_iter() {
                if let MaybeRef::NotRef(item @ (Object::Dict(_) | Object::Array(_))) = item {
                    count_widths(&item, depth_left - 1, n_widths);
                }
            }
        }
        _ => {}
    }
}

fn count_in(dict: &Dict<'_>, depth_left: usize, n_widths: &mut u64) {
    for (key, is_vertical) in [(b"W".as_slice(), false), (b"W2", true)] {
        if dict.contains_key(key)
            && let Some(widths) = dict.get::<Array<'_>>(key)
        {
            *n_widths = n_widths.saturating_add(spans(&widths, is_vertical));
        }
    }
    for (_, value) in dict.entries() {
        if let MaybeRef::NotRef(value @ (Object::Dict(_) | Object::Array(_))) = value {
            count_widths(&value, depth_left - 1, n_widths);
        }
    }
}

/// Sums the spans, which are written as first letter, last letter and width; for vertical writing
/// three numbers follow. Read in the same steps as the interpreter reads them.
fn spans(widths: &Array<'_>, is_vertical: bool) -> u64 {
    let mut total = 0_u64;
    let mut items = widths.flex_iter();
    loop {
        if items.next::<(u32, Array<'_>)>().is_some() {
            continue;
        }
        let span = match is_vertical {
            true => items
                .next::<(u32, u32, f32, f32, f32)>()
                .map(|(first, last, ..)| (first, last)),
            false => items
                .next::<(u32, u32, f32)>()
                .map(|(first, last, _)| (first, last)),
        };
        let Some((first, last)) = span else {
            return total;
        };
        total = total.saturating_add(u64::from(last).saturating_sub(first.into()));
    }
}
