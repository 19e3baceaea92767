//! Builds small trees, indexes them and judges what a query finds, in which order and why.

mod bm25;
mod filters;
mod fixture;
mod grouping;
mod hierarchy;
mod lookup;
mod meaning;
mod names;
mod questions;
mod scenarios;
mod signals;
