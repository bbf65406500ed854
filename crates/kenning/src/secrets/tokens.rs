//! Compares the neighbourhood of a vendor's prefix with the vendor's shape.

use super::shape::{
    ALNUM, ANY_HEX, DIGIT, DOT, Part, begins_word, entropy, is, match_at, run_length,
    run_length_back,
};
use super::vendors::{TOKENS, Token};
use super::{Hit, Span, keywords, value};

/// Checks the token with position `token` in the vendor table.
pub(super) fn detect(text: &[u8], token: u16, hit: Hit) -> Option<Span> {
    let token = &TOKENS[token as usize];
    let start = match token.lead {
        Some(lead) => {
            let length = run_length_back(text, hit.start, hit.floor, lead.class);
            // A lead of fixed length may follow other bytes of its class, such as the `=` of an assignment.
            let length = if lead.min == lead.max {
                length.min(lead.max)
            } else {
                length
            };
            if length < lead.min || length > lead.max {
                return None;
            }
            hit.start - length
        }
        None if token.is_named => hit.end,
        None => hit.start,
    };
    if !token.is_glued && !begins_token(text, start.min(hit.start), hit.floor, token) {
        return None;
    }
    let end = match_at(text, hit.end, token.parts)?;
    if !token.is_glued && !ends_token(text, end, token) {
        return None;
    }
    let body_start = if token.lead.is_some() { start } else { hit.end };
    let is_real =
        start < end && has_body(text, body_start, end, token) && !is_public(&text[start..end]);
    is_real.then_some(Span {
        start,
        end,
        pattern: token.pattern,
    })
}

/// Returns the token that begins exactly at `start`.
pub(super) fn at(text: &[u8], start: usize) -> Option<Span> {
    keywords::tokens_at(&text[start..]).find_map(|(token, length)| {
        detect(
            text,
            token,
            Hit {
                start,
                end: start + length,
                floor: start,
            },
        )
        .filter(|span| span.start == start)
    })
}

/// Says whether the body is varied, and neither crossed out nor an alphabet.
fn has_body(text: &[u8], start: usize, end: usize, token: &Token) -> bool {
    let body = &text[start..end];
    let with_tail = &text[start..text.len().min(end + 4)];
    entropy(body) * 10.0 >= f32::from(token.entropy_min)
        && !value::is_crossed_out(with_tail)
        && !(token.is_varied() && value::has_alphabet(body))
}

fn begins_token(text: &[u8], start: usize, floor: usize, token: &Token) -> bool {
    // Where the head alone is proof, a digit may touch it.
    let is_after_digit = token.entropy_min == 0 && start > floor && is(text[start - 1], DIGIT);
    is_after_digit || begins_word(text, start, floor)
}

/// Says whether the token is over at `end`; one that goes on is too long to be one.
fn ends_token(text: &[u8], end: usize, token: &Token) -> bool {
    let last = token.parts.iter().rev().find_map(|part| match *part {
        Part::Run { class, .. } => Some(class),
        _ => None,
    });
    text.get(end)
        .is_none_or(|&next| !is(next, last.unwrap_or(ALNUM) & !DOT | ALNUM))
}

/// Keys that stand in public documentation and open nothing: Amazon's `…EXAMPLE`, and those known by their hash.
pub(super) fn is_public(token: &[u8]) -> bool {
    token.starts_with(b"A") && token.ends_with(b"EXAMPLE") || PUBLIC_KEYS.contains(&fnv1a(token))
}

/// FNV-1a of keys printed in vendors' own documentation and public samples.
#[rustfmt::skip]
const PUBLIC_KEYS: [u64; 17] = [
    0x6acb_d824_bd32_bbd4,
    0x29a3_36c7_244f_48dd,
    0x08b5_4596_2adc_7d8b,
    0xe766_6dbb_286c_6c2e,
    0x99b2_7263_46a1_e92a,
    0x1211_3c2e_6979_f447,
    0x8288_18f8_3325_7868,
    0x6835_e0f2_8883_2a40,
    0x816c_d10f_db11_ead0,
    0xadbd_04e3_fe1b_6d49,
    0xdb94_22f1_dd33_2dcc,
    0x515c_b771_a423_8032,
    0xe754_678e_a2b1_4ef1,
    0xc73f_1e61_952e_6987,
    0x294c_63f8_344d_5df1,
    0xd8e1_3cde_d253_33c6,
    0x8959_d21b_97c6_b870,
];

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// How far from the word "wallet" a bare key may stand.
const WALLET_REACH_BYTES: usize = 160;

/// Finds `0x` and sixty-four hexadecimal digits near a word about wallets; elsewhere that is a transaction.
pub(super) fn detect_ethereum_key(text: &[u8], hit: Hit) -> Option<Span> {
    let from = hit.floor.max(hit.start.saturating_sub(WALLET_REACH_BYTES));
    let to = text.len().min(hit.end + WALLET_REACH_BYTES);
    let offset = text[from..to].windows(2).position(|pair| pair == b"0x")?;
    let start = from + offset + 2;
    let is_key = run_length(&text[start..], ANY_HEX, 65) == 64
        && entropy(&text[start..start + 64]) > 3.0
        && !is_transaction(&text[from..start]);
    is_key.then_some(Span {
        start,
        end: start + 64,
        pattern: "ethereum-key",
    })
}

fn is_transaction(before: &[u8]) -> bool {
    const WORDS: [&[u8]; 4] = [b"tx", b"hash", b"transaction", b"block"];
    let line = before
        .rsplit(|&byte| byte == b'\n')
        .next()
        .unwrap_or(before)
        .to_ascii_lowercase();
    WORDS
        .iter()
        .any(|word| line.windows(word.len()).any(|part| part == *word))
}
