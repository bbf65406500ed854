//! Slips between the tokens of a query: brackets without a partner, `OR` without sides. Pure.

use super::token::{Kind, Token};

/// Turns tokens that have no partner into text; `open` are the brackets that were not closed.
pub(super) fn mend(
    mut tokens: Vec<Token>,
    open: &[usize],
    source: &str,
    notices: &mut Vec<String>,
) -> Vec<Token> {
    for &index in open {
        become_text(&mut tokens[index], source);
        let notice = "the bracket was not closed, so ( was read as text";
        push_new(notices, notice.to_owned());
    }
    let mut tokens = without_empty(tokens, source, notices);
    mend_or(&mut tokens, notices);
    notice_unopened(&tokens, notices);
    tokens
}

/// Adds what is not there yet.
pub(super) fn push_new(list: &mut Vec<String>, item: String) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn become_text(token: &mut Token, source: &str) {
    token.kind = Kind::Text(source[token.start..token.end].to_owned());
    token.is_negated = false;
    token.operator = None;
}

/// `()` asks for nothing.
fn without_empty(tokens: Vec<Token>, source: &str, notices: &mut Vec<String>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match kept.last_mut() {
            Some(open) if token.kind == Kind::Close && open.kind == Kind::Open => {
                open.end = token.end;
                if open.operator.is_some() {
                    let text = &source[open.start..open.end];
                    let notice = format!("{text} asks for nothing, so it was read as text");
                    push_new(notices, notice);
                }
                become_text(open, source);
            }
            _ => kept.push(token),
        }
    }
    kept
}

fn mend_or(tokens: &mut [Token], notices: &mut Vec<String>) {
    for index in 0..tokens.len() {
        if tokens[index].kind != Kind::Or {
            continue;
        }
        let before = index.checked_sub(1).map(|before| &tokens[before].kind);
        let after = tokens.get(index + 1).map(|token| &token.kind);
        let is_lonely = matches!(before, None | Some(Kind::Or | Kind::Open))
            || matches!(after, None | Some(Kind::Or | Kind::Close));
        if is_lonely {
            tokens[index].kind = Kind::Text("OR".to_owned());
            let notice = "OR needs something on both sides, so it was read as a word";
            push_new(notices, notice.to_owned());
        }
    }
}

/// `:)` is not a slip, but next to brackets and `OR` a stray bracket is.
fn notice_unopened(tokens: &[Token], notices: &mut Vec<String>) {
    let is_boolean = |token: &Token| matches!(token.kind, Kind::Or | Kind::Open);
    let is_stray = |token: &Token| {
        matches!(&token.kind, Kind::Word(text)
            if text.matches(')').count() > text.matches('(').count())
    };
    if tokens.iter().any(is_boolean) && tokens.iter().any(is_stray) {
        let notice = "there was no bracket to close, so ) was read as text";
        push_new(notices, notice.to_owned());
    }
}
