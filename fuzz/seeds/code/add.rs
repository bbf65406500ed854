use x;

/// Adds.
#[inline]
fn add() {
    1
}

struct S {
    x: u8,
}
