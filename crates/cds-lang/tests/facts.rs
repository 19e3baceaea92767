//! The `facts` example ends quietly when its reader does.

use std::io::{Error, ErrorKind, Write};

#[allow(dead_code)]
#[path = "../examples/facts.rs"]
mod facts;

/// Takes so many bytes and then closes, as `head` does.
struct Reader {
    left: usize,
}

impl Write for Reader {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let taken = bytes.len().min(self.left);
        self.left -= taken;
        if taken == 0 { Err(ErrorKind::BrokenPipe.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let this = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/facts.rs");
    for mode in [None, Some("--tree"), Some("--chunks"), Some("--summary"), Some("--cost")] {
        let arguments = mode.into_iter().chain([this]).map(str::to_owned).collect();
        let mut reader = Reader { left: 5 };
        facts::run(arguments, &mut reader).unwrap_or_else(|e| panic!("{mode:?}: {e}"));
        assert_eq!(reader.left, 0, "{mode:?}");
    }
}
