"""What ``./course`` does, one module a command. Standard library only.

- ``main``         the command line, and how each kind of end is told
- ``commands``     one module for each command
- ``places``       the folders that a command works in
- ``signals``      Ctrl-C and its kin, and when they have to wait
- ``processes``    other programs: started, watched, ended
- ``environment``  the virtual environment with the pinned compiler
- ``packages``     what only the system's package manager has
- ``toolkit``      the CUDA toolkit to build with
- ``build``        CMake
- ``ladder``       the programs of a ladder, and what they write
- ``bench``        what measures: plan, workers, conductor, the record's draft, tables
- ``ncu``          Nsight Compute
- ``elf``          what a program is linked with
"""
