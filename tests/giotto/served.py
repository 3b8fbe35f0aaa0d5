# SPDX-License-Identifier: Apache-2.0
"""A loader of the development machine behind a socket, as QEMU's UART is, for ``carillon microcode``."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from loader_target import Loaded


@contextmanager
def served(loaded: Loaded, path: Path) -> Iterator[None]:
    """Whoever connects speaks to the loader; what it answers goes to everybody, as on a line."""
    server, wake, woken = socket.socket(socket.AF_UNIX), *socket.socketpair()
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        selector = selectors.DefaultSelector()
        for it in (server, woken):
            selector.register(it, selectors.EVENT_READ)
        hosts: list[socket.socket] = []
        while True:
            for key, _ in selector.select():
                it = key.fileobj
                assert isinstance(it, socket.socket)
                if it is woken:
                    for host in (*hosts, server, woken):
                        host.close()
                    return
                if it is server:
                    hosts.append(server.accept()[0])
                    selector.register(hosts[-1], selectors.EVENT_READ)
                    continue
                got = it.recv(4096)
                if not got:
                    hosts.remove(it)
                    selector.unregister(it)
                    it.close()
                loaded.write(got)
                if answer := loaded.read():
                    for host in hosts:
                        host.sendall(answer)

    thread = Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        wake.close()
        thread.join()
