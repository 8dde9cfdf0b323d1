"""Serves the studio on loopback until it is stopped."""

from __future__ import annotations

import socket

import uvicorn
from starlette.types import ASGIApp

from scout.errors import UsageError

LOOPBACK = "127.0.0.1"
GRACE = 1  # seconds for answers that are under way when it is stopped


def loopback_socket(port: int) -> socket.socket:
    """A socket on this machine alone; port 0 is any free one. UsageError where the port is taken."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
    except OSError as error:
        listening.close()
        raise UsageError(
            f"port {port} cannot be used ({error.strerror}): is a studio running? --port names another"
        ) from error
    return listening


def serve_studio(app: ASGIApp) -> uvicorn.Server:
    """A server of the application; its `run(sockets=[listening])` serves."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=GRACE,
        ws="none",
        server_header=False,
    )
    return uvicorn.Server(config)
