"""Runs one PostgreSQL server for as long as anybody uses it.

Started by `embedded.py` as `python -I -S watch.py HOME UID GID POSTGRES ARGUMENT...`, hence the few imports. The
server is this process's child: the process signalled is never a stranger that got a dead server's number.
"""

import ctypes
import fcntl
import os
import signal
import sys
import threading


def lock(path: str, how: int = fcntl.LOCK_EX) -> int:
    """Lock the file `path`, made when missing, and return its descriptor; BlockingIOError if LOCK_NB finds it held."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, how)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def run_server(home: str, uid: int, gid: int, command: list[str]) -> None:
    """Turn this process into the server, as user `uid` if we are root; comes back only by an exception."""
    # Before the user changes: root passes through closed folders, and the server never needs the path again.
    os.chdir(f"{home}/data")
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        # Nobody would stop a server that outlived its watcher. 1 is PR_SET_PDEATHSIG, which setuid clears.
        ctypes.CDLL(None).prctl(1, signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The server's user can read its environment in /proc, and ours may hold secrets.
    os.execve(command[0], command, {"LC_ALL": "C"})


def leave_with(server: int) -> None:
    """End this process when the server ends."""
    os.waitpid(server, 0)
    os._exit(0)


def stop_after_last_user(home: str, server: int) -> None:
    """Wait until no process holds users.lock, then stop the server; start.lock keeps newcomers out until it is gone."""
    while True:
        os.close(lock(f"{home}/users.lock"))
        start = lock(f"{home}/start.lock")
        try:
            lock(f"{home}/users.lock", fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(start)
        else:
            os.kill(server, signal.SIGINT)
            signal.pause()


def main(home: str, uid: str, gid: str, *command: str) -> None:
    """Start the server and, unseen by the caller, stay until it ends; when this returns, server.lock is held."""
    # All processes of the server inherit this lock: while one of them lives, no second server is started.
    os.set_inheritable(lock(f"{home}/server.lock", fcntl.LOCK_EX | fcntl.LOCK_NB), True)
    if os.fork():
        return
    server = os.fork()
    if not server:
        try:
            run_server(home, int(uid), int(gid), list(command))
        except OSError as error:
            print(f"{command[0]}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    threading.Thread(target=leave_with, args=[server], daemon=True).start()
    stop_after_last_user(home, server)


if __name__ == "__main__":
    main(*sys.argv[1:])
