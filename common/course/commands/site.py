"""Build the site strictly into build/site: warnings and stale evidence are errors.

Open what is in that folder from the disk, or put it on any host as it is.
--serve shows it to the browser of this machine until Ctrl-C.
"""

import contextlib
import os
from pathlib import Path

from course import environment
from course.errors import WRONG_USE, CourseError
from course.places import Places, make_build_folder
from course.processes import Failed, watched
from course.serve import PORT, Server
from course.terminal import say, shown

NAME = "site"
HELP = "build the site, strictly (--serve: show it too)"


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--serve", action="store_true", help="serve it afterwards, here alone")
    parser.add_argument("--port", metavar="N",
                        help=f"of --serve (default: {PORT}; 0: any that is free)")  # fmt: skip


def run(options, places: Places) -> int:
    """Run the command."""
    with contextlib.ExitStack() as stack:
        server = None
        if options.serve:
            server = stack.enter_context(Server(_port(options.port), options.verbose))
        elif options.port is not None:
            raise CourseError("--port is of --serve; add that", WRONG_USE)
        _build(options, places)
        if server is not None:
            server.serve(folder(places))
    return 0


def folder(places: Places) -> Path:
    """Return the folder that the site is built into."""
    return places.build / "site"


def _port(text: str | None) -> int:
    """Return the port that an argument names. Raises CourseError if it names none."""
    if text is None:
        return PORT
    if not (text.isascii() and text.isdigit() and int(text) < 2**16):
        raise CourseError(f"--port {text}: a port is a number from 0 to 65535", WRONG_USE)
    return int(text)


def _build(options, places: Places) -> None:
    """Build the site, and say where it is."""
    make_build_folder(places)
    environment.ensure(places, [environment.COMPILER, environment.SITE], options.verbose)
    target = folder(places)
    say(f"Building the site into {shown(target)}.")
    command = [environment.python(places), "-m", "sphinx", "-W", "-n", "-E", "--keep-going"]
    command += ["-q", "-c", places.repo / "docs", "-d", places.build / "doctrees"]
    command += [places.repo, target]
    log = places.logs / "site.log"
    tools = environment.tool_environment(places, LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")
    try:
        watched(command, "sphinx", log, options.verbose, env=tools, cwd=places.repo)
    except Failed as failed:
        if not options.verbose:
            say(failed.output.strip())
        raise CourseError(
            f"the site has errors; everything Sphinx printed is in {shown(log)}"
        ) from None
    pages = sum(len([f for f in files if f.endswith(".html")]) for _, _, files in os.walk(target))
    print(f"{pages} pages; open {shown(target / 'index.html')}", flush=True)
