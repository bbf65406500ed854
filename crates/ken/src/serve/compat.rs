//! Compatibility servers: they speak the HTTP of other programs, so that clients of those find Kenning
//! instead. Each listens on a port of its own, on this machine only, behind the same guard.

pub(super) mod miyo;
pub(super) mod omnisearch;
