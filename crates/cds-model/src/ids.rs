//! Dense ids, valid inside one snapshot only. They index tables and never leave the process.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The position this id stands for in its table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A file of the snapshot.
    FileId
);
id!(
    /// An entity of the snapshot: directory, file, class or function.
    EntityId
);
id!(
    /// A chunk of the snapshot.
    ChunkId
);
