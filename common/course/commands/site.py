"""Build the site strictly into build/site: a warning, or stale evidence, is an error."""

import os

from course import environment
from course.errors import CourseError
from course.places import Places, make_build_folder
from course.processes import Failed, watched
from course.terminal import say, shown

NAME = "site"
HELP = "build the site, strictly"


def add_arguments(parser) -> None:
    """Add the command's arguments."""


def run(options, places: Places) -> int:
    """Run the command."""
    make_build_folder(places)
    environment.ensure(places, [environment.COMPILER, environment.SITE], options.verbose)
    target = places.build / "site"
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
    print(f"{pages} pages; open {shown(target / 'index.html')}")
    return 0
