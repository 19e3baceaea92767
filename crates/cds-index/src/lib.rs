//! cds-index
