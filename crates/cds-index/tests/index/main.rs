//! Indexes small trees and judges what a snapshot of them says, what a second build keeps, and what damage does.

mod build;
mod damage;
mod dependencies;
mod edits;
mod equality;
mod files;
mod fixture;
mod meaning;
mod names;
mod repository;
mod snapshot;
