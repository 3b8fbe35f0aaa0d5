# SPDX-License-Identifier: Apache-2.0
"""The command ``carillon`` for a test that runs it hundreds of times: each is forked from a process that has read the tool.

To read the tool's modules takes longer than most commands.  A command still has a process, arguments, an environment, a working
folder and open files of its own, and is the same function as the installed program.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path

CLIENT = """#!{python} -SE
import json, os, socket, struct, sys
with socket.socket(socket.AF_UNIX) as to:
    to.connect({place!r})
    request = json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]).encode()
    socket.send_fds(to, [struct.pack("<I", len(request))], [0, 1, 2])
    to.sendall(request)
    sys.exit(int(to.recv(16) or b"70"))
"""


class Commands:
    """A server of commands, and the program that asks it; leaving the context ends it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="carillon-commands-")
        self.program = Path(self._folder.name) / "carillon"

    def __enter__(self) -> Path:
        place = Path(self._folder.name) / "socket"
        self._server = subprocess.Popen([sys.executable, __file__, str(place)], stdout=subprocess.PIPE)
        assert self._server.stdout is not None
        self._server.stdout.readline()
        self.program.write_text(CLIENT.format(python=sys.executable, place=str(place)), encoding="utf-8")
        self.program.chmod(0o755)
        return self.program

    def __exit__(self, *_: object) -> None:
        self._server.terminate()
        self._server.wait()
        self._folder.cleanup()


def _carry_out(connection: socket.socket) -> int:
    """Take over a client's files, folder and environment, and be its command; the exit code."""
    head, files, _, _ = socket.recv_fds(connection, 4, 3)
    text = b""
    (length,) = struct.unpack("<I", head)
    while len(text) < length:
        text += connection.recv(length - len(text))
    arguments, environment, folder = json.loads(text)
    for own, file in enumerate(files):
        os.dup2(file, own)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, mode, encoding="utf-8") for n, mode in ((0, "r"), (1, "w"), (2, "w")))
    sys.stderr.reconfigure(line_buffering=True)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["carillon", *arguments]
    from carillon.__main__ import main

    code: object = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # whoever reads it may have gone
            stream.flush()
    return code if isinstance(code, int) else 0 if code is None else 1


def serve(place: str) -> None:
    """Fork a process for each client."""
    import building
    import carillon.cli
    import carillon.pipeline
    import carillon.run
    import carillon.verify  # noqa: F401

    building.install()
    building.read_kernel()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen(16)
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
        while True:
            connection, _ = server.accept()
            if os.fork():
                connection.close()
                continue
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            code = 70
            try:
                code = _carry_out(connection)
            except BaseException:
                traceback.print_exc()
            finally:
                connection.sendall(str(code).encode())
                os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
