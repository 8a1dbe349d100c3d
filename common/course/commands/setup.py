"""Set everything up: the virtual environment with the pinned compiler, and what the system lacks.

The other commands do this by themselves. Once it is done, they need no network.
"""

from course import environment, packages, toolkit
from course.places import Places, make_build_folder
from course.terminal import shown

NAME = "setup"
HELP = "install what the other commands need"


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--all", action="store_true", help="also what the site and the tests need")


def run(options, places: Places) -> int:
    """Run the command."""
    packages.require_compiler()
    make_build_folder(places)
    wanted = [packages.VENV, packages.CLI11, packages.GTEST]
    lists = [environment.COMPILER]
    if options.all:
        lists.append(environment.SITE)
    packages.ensure(wanted, places, options.verbose)
    if options.all:
        packages.ensure([packages.CHROMIUM, packages.FONTS], places, options.verbose)
    environment.ensure(places, lists, options.verbose)
    print(f"Ready: the compiler is {shown(toolkit.pinned_root(places) / 'bin' / 'nvcc')}")
    return 0
