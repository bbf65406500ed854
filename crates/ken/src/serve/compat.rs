//! Places of other programs, so that what asks them finds Kenning instead. Each listens on a port of
//! its own, on this machine only, behind the same guard.

pub(super) mod miyo;
pub(super) mod omnisearch;
