"""One module for each command.

Each has NAME, HELP, add_arguments(parser) and run(options, places), which returns the exit code.
Its docstring is what ``--help`` says of the command.
"""
