//! The word pieces of a passage as they are kept: which, not how often or where.

/// Bits of a number that one byte holds; the eighth says that there are more.
const BITS: u32 = 7;
const MORE: u8 = 1 << BITS;

/// Packs numbers that rise: the distance from each to the next, in as few bytes as it needs.
pub(in crate::store) fn pack(pieces: &[u32]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(pieces.len() + pieces.len() / 2);
    let mut last = 0;
    for &piece in pieces {
        let mut rest = piece - last;
        last = piece;
        while rest >= u32::from(MORE) {
            packed.push(rest as u8 | MORE);
            rest >>= BITS;
        }
        packed.push(rest as u8);
    }
    packed
}

/// Appends the numbers again. Whatever the bytes are, something comes out.
pub(in crate::store) fn unpack(packed: &[u8], pieces: &mut Vec<u32>) {
    let (mut last, mut step, mut shift) = (0u32, 0u32, 0);
    for &byte in packed {
        step |= u32::from(byte & !MORE).wrapping_shl(shift);
        shift += BITS;
        if byte < MORE {
            last = last.wrapping_add(step);
            pieces.push(last);
            (step, shift) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_packed_comes_out(mut pieces: Vec<u32>) {
            pieces.sort_unstable();
            let mut found = Vec::new();
            unpack(&pack(&pieces), &mut found);
            prop_assert_eq!(found, pieces);
        }

        #[test]
        fn any_bytes_can_be_unpacked(bytes: Vec<u8>) {
            unpack(&bytes, &mut Vec::new());
        }
    }

    #[test]
    fn near_numbers_need_a_byte_each() {
        assert_eq!(pack(&[3, 130, 131]), [3, 127, 1]);
        assert_eq!(pack(&[300]), [0b1010_1100, 0b10]);
    }
}
