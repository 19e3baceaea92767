//! `cds-indexd`: `cds serve` under the name that service managers know. It becomes the `cds` that lies beside it.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("cds")));
    let mut command = Command::new(beside.unwrap_or_else(|| "cds".into()));
    command.arg("serve").args(std::env::args_os().skip(1));
    become_it(command)
}

#[cfg(unix)]
fn become_it(mut command: Command) -> ExitCode {
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    failed(&command, &error)
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> ExitCode {
    match command.status() {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(4)).unwrap_or(4)),
        Err(error) => failed(&command, &error),
    }
}

#[allow(clippy::disallowed_methods)]
fn failed(command: &Command, error: &std::io::Error) -> ExitCode {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "cds-indexd: {:?}: {error}", command.get_program());
    ExitCode::from(4)
}
