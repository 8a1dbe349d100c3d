# Plain CUDA programs for tests: each has its own main() and runs on a GPU or on the CPU device.
include_guard(GLOBAL)

# Builds NAME from sources into build/bin/FOLDER, its kernels compiled as a rung's are.
# RUNPATH says where build/bin/lib is, seen from there.
function(rungs_add_plain_program name folder runpath)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE rungs::headers rungs::cudart ${CMAKE_DL_LIBS})
  list(JOIN RUNGS_KERNEL_FLAGS " " flags)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:SHELL:${flags}>)
  foreach(architecture IN LISTS RUNGS_BUILT_ARCHITECTURES)
    if(NOT architecture EQUAL 90)  # 90 is among the flags
      target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-gencode \
arch=compute_${architecture},code=[compute_${architecture},sm_${architecture}]>")
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX CUDA_RUNTIME_LIBRARY None)
  rungs_place_program(${name} "${RUNGS_BIN}/${folder}" "${runpath}")
endfunction()
