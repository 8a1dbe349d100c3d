"""Counts what ptxas made of a rung: registers, spills and instructions, by the disassembler.

The build calls it for every rung, see ``rungs_count_machine_code`` in common/cmake/Rungs.cmake.
"""
