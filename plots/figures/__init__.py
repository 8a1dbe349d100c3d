"""The figures, a module each; see ``plots.registry`` for what a module has."""
