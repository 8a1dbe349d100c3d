#pragma once

namespace rungs {

/// What main() of every program does, with the rungs that are linked in; returns
/// the exit code.
int run_program(int argc, char* argv[]);

}  // namespace rungs
