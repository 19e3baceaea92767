//! cds-search
