# Plain CUDA programs for tests: each has its own main() and runs on a GPU or on the CPU device.
include_guard(GLOBAL)

# Builds NAME from sources into build/bin/FOLDER, its kernels compiled as a rung's are.
# RUNPATH says where build/bin/lib is, seen from there.
function(rungs_add_plain_program name folder runpath)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE rungs::headers rungs::cudart ${CMAKE_DL_LIBS})
  rungs_compile_kernels(${name})
  rungs_place_program(${name} "${RUNGS_BIN}/${folder}" "${runpath}")
endfunction()
