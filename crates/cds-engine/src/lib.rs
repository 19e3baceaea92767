//! cds-engine
