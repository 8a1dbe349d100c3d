# The one include of every CMakeLists.txt: the toolchain, and what a rung and a ladder are built of.
#
#   cmake_minimum_required(VERSION 3.25)
#   include(../../../common/cmake/Rungs.cmake)
#   rungs_toolchain()                     before project(): finds and checks the compilers
#   project(matmul-transposed-a LANGUAGES CXX CUDA)
#   rungs_add_rung()                      the program of this folder
#
# What a build leaves stands in one folder that can be carried to another machine, build/bin:
#
#   matmul, matmul-transposed-a           the programs, which find lib/ beside themselves
#   lib/libcudart.so.13                   the toolkit's own runtime
#   lib/libcupti.so.13                    its kernel times
#   lib/librungs-measure.so               the instruments, for other languages
#   cpu-device/libcudart.so.13            the runtime that runs kernels on the CPU
#   machine-code/matmul/transposed-a.json what the disassembler counted
include_guard(GLOBAL)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH RUNGS_ROOT)
cmake_path(GET RUNGS_ROOT PARENT_PATH RUNGS_ROOT)
include("${CMAKE_CURRENT_LIST_DIR}/Toolkit.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Dependencies.cmake")

set(RUNGS_VERSION 0.1.0)
set(RUNGS_CUDA_ROOT "" CACHE PATH "Folder of the CUDA toolkit (default: .venv, else nvcc on PATH)")
set(RUNGS_ARCHITECTURES "90" CACHE STRING "GPU architectures beside 90, such as 89, or native")

# Chooses the compilers. Call it before project(); in a folder below another project it has been done.
macro(rungs_toolchain)
  if(NOT DEFINED RUNGS_BIN)
    if(CMAKE_BINARY_DIR STREQUAL CMAKE_SOURCE_DIR)
      message(FATAL_ERROR "The build folder is the source folder; choose another: cmake -B build.")
    endif()
    # A toolkit of another version must not reach the compilers' tests by these.
    foreach(variable IN ITEMS CUDA_HOME CUDA_PATH CUDAFLAGS LIBRARY_PATH
                              NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS)
      unset(ENV{${variable}})
    endforeach()
    rungs_require_python()
    rungs_find_toolkit()
    rungs_check_toolkit()
    rungs_check_architectures()
    rungs_require_host_compiler()
    rungs_read_kernel_flags()

    set(CMAKE_CUDA_COMPILER "${RUNGS_CUDA_ROOT}/bin/nvcc")
    set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
    # The kernels' flags are the ones that the source hash covers, whatever the build type.
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    foreach(type IN ITEMS DEBUG RELEASE RELWITHDEBINFO MINSIZEREL)
      set(CMAKE_CUDA_FLAGS_${type} "" CACHE STRING "Unused: kernels have flags of their own")
    endforeach()
    # The same variables again, for the time of the build.
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env --unset=CUDA_HOME
        --unset=CUDA_PATH --unset=LIBRARY_PATH --unset=NVCC_APPEND_FLAGS
        --unset=NVCC_PREPEND_FLAGS)

    if(NOT CMAKE_BUILD_TYPE)
      set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
    endif()
    # Not by CMAKE_CXX_STANDARD: CUDA would take it over, and CMake 3.25 knows no CUDA20 for
    # nvcc 13. The kernels' flags say the same.
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-std=c++20>")
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    set(RUNGS_BIN "${CMAKE_BINARY_DIR}/bin")
  endif()
endmacro()

# Adds the course's libraries, once: rungs::main, rungs::rung, rungs::check, the CPU device.
function(rungs_need_common)
  if(NOT TARGET rungs::rung)
    add_subdirectory("${RUNGS_ROOT}/common" "${CMAKE_BINARY_DIR}/common")
  endif()
endfunction()

# Adds what a ladder's program is compared with, once: rungs::peers and rungs::floors. A rung that
# is configured alone does without.
function(rungs_need_peers)
  if(NOT TARGET rungs::peers)
    add_subdirectory("${RUNGS_ROOT}/common/peers" "${CMAKE_BINARY_DIR}/common/peers")
  endif()
endfunction()

# Puts a program into FOLDER, where it loads the build's own libcudart.so.13, not the first that
# the machine has. RUNPATH says where bin/lib is, seen from FOLDER.
function(rungs_place_program target folder runpath)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${folder}"
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "${runpath}")
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
endfunction()

# Compiles the CUDA files of a target as every kernel is compiled: by the flags that the source
# hash covers, and for the other architectures asked for.
function(rungs_compile_kernels target)
  list(JOIN RUNGS_KERNEL_FLAGS " " flags)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:${flags}>")
  foreach(architecture IN LISTS RUNGS_BUILT_ARCHITECTURES)
    if(NOT architecture EQUAL 90)  # 90 is among the flags
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-gencode \
arch=compute_${architecture},code=[compute_${architecture},sm_${architecture}]>")
    endif()
  endforeach()
  # The runtime is linked by its file, rungs::cudart: CMake must not choose another.
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX CUDA_RUNTIME_LIBRARY None)
endfunction()

# Links OBJECTS (object libraries of kernels) and the one main() into the program NAME.
function(rungs_add_program name)
  add_executable(${name})
  target_link_libraries(${name} PRIVATE ${ARGN} rungs::main)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX CUDA_RUNTIME_LIBRARY None)
  rungs_place_program(${name} "${RUNGS_BIN}" "$ORIGIN/lib")
  set_property(GLOBAL APPEND PROPERTY RUNGS_PROGRAMS ${name})
  add_dependencies(${name} rungs_cudart_copy)
  if(TARGET rungs_cpu_device)
    add_dependencies(${name} rungs_cpu_device)
  endif()
endfunction()

# Splits a rung's folder, lessons/matmul/3-transposed-a, into ladder (matmul) and rung (transposed-a).
function(rungs_split_folder folder ladder rung)
  cmake_path(GET folder FILENAME name)
  cmake_path(GET folder PARENT_PATH parent)
  cmake_path(GET parent FILENAME parent)
  if(NOT name MATCHES "^x?[0-9]+-([a-z0-9-]+)$")
    message(FATAL_ERROR "The folder ${name} is not named as a rung is: 3-transposed-a, or "
                        "x1-small-tile for an aside.")
  endif()
  set(${rung} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  set(${ladder} "${parent}" PARENT_SCOPE)
endfunction()

# Adds the rung of this folder: its kernel, its program and its machine-code counts.
function(rungs_add_rung)
  rungs_need_common()
  rungs_split_folder("${CMAKE_CURRENT_SOURCE_DIR}" ladder rung)
  set(name ${ladder}-${rung})
  if(NOT PROJECT_NAME STREQUAL name)
    message(FATAL_ERROR "The project is called ${PROJECT_NAME}, but its folder says ${name}.")
  endif()

  set(kernel ${name}-kernel)
  add_library(${kernel} OBJECT "${rung}.cu")
  target_link_libraries(${kernel} PRIVATE rungs::headers)
  rungs_compile_kernels(${kernel})
  set_property(GLOBAL APPEND PROPERTY RUNGS_KERNELS_OF_${ladder} ${kernel})

  rungs_count_machine_code(${kernel} ${ladder} ${rung})
  rungs_add_program(${name} ${kernel})
  add_dependencies(${name} ${name}-machine-code)
endfunction()

# Writes bin/machine-code/LADDER/RUNG.json from the object file of a kernel.
function(rungs_count_machine_code kernel ladder rung)
  set(counts "${RUNGS_BIN}/machine-code/${ladder}/${rung}.json")
  file(GLOB programs CONFIGURE_DEPENDS "${RUNGS_ROOT}/common/machine_code/*.py"
       "${RUNGS_ROOT}/common/evidence/*.py")
  add_custom_command(
    OUTPUT "${counts}"
    COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${RUNGS_ROOT}/common"
      "${RUNGS_PYTHON}" -B -m machine_code --toolkit "${RUNGS_CUDA_ROOT}"
      --rung "${ladder}/${rung}" --object "$<TARGET_OBJECTS:${kernel}>" --output "${counts}"
    DEPENDS ${kernel} "$<TARGET_OBJECTS:${kernel}>" ${programs}
    COMMENT "Counting the machine code of ${ladder}/${rung}"
    VERBATIM)
  add_custom_target(${ladder}-${rung}-machine-code ALL DEPENDS "${counts}")
endfunction()

# Compiles the ladder's peers, FOLDER/peers.cpp or peers.cu, if it has any, and says by RESULT
# what its program links to have them and the floors.
function(rungs_add_peers folder ladder result)
  rungs_need_peers()
  set(libraries rungs::floors)
  foreach(file IN ITEMS "${folder}/peers.cpp" "${folder}/peers.cu")
    if(EXISTS "${file}")
      set(peers ${ladder}-peers)
      add_library(${peers} OBJECT "${file}")
      target_link_libraries(${peers} PRIVATE rungs::rung rungs::peers)
      rungs_compile_kernels(${peers})
      list(APPEND libraries rungs::peers ${peers})
    endif()
  endforeach()
  set(${result} ${libraries} PARENT_SCOPE)
endfunction()

# Adds every rung of the folder LADDER, and the program that holds them all, their peers and the
# floors.
function(rungs_add_ladder folder)
  cmake_path(GET folder FILENAME ladder)
  set_property(GLOBAL APPEND PROPERTY RUNGS_LADDERS ${ladder})
  file(GLOB rungs CONFIGURE_DEPENDS "${folder}/*/CMakeLists.txt")
  foreach(rung IN LISTS rungs)
    cmake_path(GET rung PARENT_PATH rung)
    add_subdirectory("${rung}")
  endforeach()
  get_property(kernels GLOBAL PROPERTY RUNGS_KERNELS_OF_${ladder})
  rungs_add_peers("${folder}" ${ladder} peers)
  rungs_add_program(${ladder} ${kernels} ${peers})
  add_dependencies(${ladder} rungs_measure_library)
  foreach(kernel IN LISTS kernels)
    string(REGEX REPLACE "-kernel$" "-machine-code" counts "${kernel}")
    add_dependencies(${ladder} ${counts})
  endforeach()
endfunction()
