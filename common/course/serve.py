"""A folder of pages, served to this machine alone until the command is interrupted."""

import errno
import functools
import http.server
import sys
from pathlib import Path

from course.errors import WRONG_USE, CourseError

HOST = "127.0.0.1"
PORT = 8000


class Server(http.server.ThreadingHTTPServer):
    """A server that takes its port at once and answers once ``serve`` is called.

    Raises CourseError if the port cannot be had. Port 0 is any that is free.
    """

    def __init__(self, port: int, verbose: bool = False):
        self.verbose = verbose
        super().__init__((HOST, port), _Handler, bind_and_activate=False)
        try:
            self.server_bind()
        except OSError as error:
            self.server_close()
            raise _refused(port, error) from None

    def serve(self, folder: Path) -> None:
        """Say where the folder's pages are, and answer until an exception ends it."""
        port = self.server_address[1]
        self.RequestHandlerClass = functools.partial(_Handler, directory=str(folder))
        try:
            self.server_activate()
        except OSError as error:  # another one has taken the port at the same time
            raise _refused(port, error) from None
        print(f"Serving http://{HOST}:{port}/ to this machine; Ctrl-C ends it.", flush=True)
        self.serve_forever()

    def handle_error(self, request, client_address) -> None:
        """Let a reader who has gone away be no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Pages as files; each request is told only under --verbose."""

    def log_message(self, *arguments) -> None:
        """Say on stderr what was asked for."""
        if self.server.verbose:
            super().log_message(*arguments)


def _refused(port: int, error: OSError) -> CourseError:
    why = "it is in use" if error.errno == errno.EADDRINUSE else error.strerror
    return CourseError(
        f"cannot serve on port {port}: {why}; name another one with --port", WRONG_USE
    )
