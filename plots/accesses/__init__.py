"""Accesses of the rungs, written again as index functions: which lane asks for which byte.

The maps draw them. ``tests/tools/test_maps.py`` holds each one against its line in the rung's .cu
and against that line's counts in the ladder's counts record, so a map cannot drift from its kernel.

- ``access``  what an access is, and what the bank rule says of it
- the ladders, a module each: the index functions, with the names of the kernels
"""
