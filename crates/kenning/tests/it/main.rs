//! The engine from outside: one module per feature.

mod embed;
