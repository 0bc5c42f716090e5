//! Starts a program that outlives the agent: its own session, no inherited pipes.
//! The one module of this crate with `unsafe` (docs/adr/0005): a child must call `setsid` before `exec`.

use crate::env::Env;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts `exe args…` detached from this process, its terminal and its pipes, in this environment.
pub fn spawn(exe: &Path, args: &[&str], env: &Env) -> io::Result<()> {
    let mut command = Command::new(exe);
    if let Env::Fixed(map) = env {
        command.env_clear().envs(map);
    }
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(root) = exe.ancestors().last() {
        // A background process must not keep the project's folder busy.
        command.current_dir(root);
    }
    #[cfg(unix)]
    leave_session(&mut command);
    let child = command.spawn()?;
    // It is not ours to wait for; this process ends long before it.
    drop(child);
    Ok(())
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "pre_exec is the only way to a new session before exec; see docs/adr/0005")]
fn leave_session(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    // SAFETY: between fork and exec the closure calls only async-signal-safe functions (setsid, close_range
    // or fcntl), allocates nothing and touches no lock.
    unsafe {
        command.pre_exec(|| {
            if libc::setsid() == -1 {
                return Err(io::Error::last_os_error());
            }
            close_inherited();
            Ok(())
        });
    }
}

/// Marks everything above standard error close-on-exec: pipes of the agent must not stay open.
#[cfg(unix)]
#[expect(unsafe_code, reason = "see `leave_session`")]
fn close_inherited() {
    #[cfg(target_os = "linux")]
    // SAFETY: a plain system call on descriptor numbers; failure (an old kernel) is harmless.
    unsafe {
        const CLOSE_RANGE_CLOEXEC: libc::c_uint = 4;
        libc::syscall(libc::SYS_close_range, 3 as libc::c_uint, libc::c_uint::MAX, CLOSE_RANGE_CLOEXEC);
    }
    #[cfg(not(target_os = "linux"))]
    for fd in 3..256 {
        // SAFETY: fcntl on a number that is no descriptor fails and does nothing.
        unsafe {
            libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}
