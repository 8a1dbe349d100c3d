# Finds the CUDA toolkit and refuses one that would build something else than it says.
#
# rungs_require_toolkit() runs before project(), so it asks programs, not languages.
# Each refusal is one sentence: what is wrong, and what would work.

# Sets RUNGS_CUDA_ROOT in the cache: as given, else the one in .venv, else nvcc's own on PATH.
function(rungs_find_toolkit)
  if(RUNGS_CUDA_ROOT)
    get_filename_component(root "${RUNGS_CUDA_ROOT}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
    if(NOT EXISTS "${root}/bin/nvcc")
      message(FATAL_ERROR "RUNGS_CUDA_ROOT is ${root}, which has no bin/nvcc; give the folder "
                          "that holds the toolkit's bin, include and lib.")
    endif()
  else()
    file(GLOB installed "${RUNGS_ROOT}/.venv/lib/python3*/site-packages/nvidia/cu13/bin/nvcc")
    if(installed)
      list(GET installed 0 nvcc)
    else()
      find_program(nvcc nvcc NO_CACHE)
    endif()
    if(NOT nvcc)
      message(FATAL_ERROR "No CUDA compiler: there is neither .venv nor an nvcc on PATH; "
                          "./course setup installs one, -DRUNGS_CUDA_ROOT=FOLDER names another.")
    endif()
    file(REAL_PATH "${nvcc}" nvcc)
    cmake_path(GET nvcc PARENT_PATH root)
    cmake_path(GET root PARENT_PATH root)
  endif()
  set(RUNGS_CUDA_ROOT "${root}" CACHE PATH "Folder of the CUDA toolkit" FORCE)
endfunction()

# Refuses a toolkit whose parts are incomplete or of several versions.
function(rungs_check_toolkit)
  set(root "${RUNGS_CUDA_ROOT}")
  foreach(link lib64/libcudart.so lib/libcudart.so)
    if(NOT EXISTS "${root}/${link}")
      message(FATAL_ERROR "The CUDA toolkit in ${root} has no ${link}, which nvcc links with; "
                          "./course setup makes the links that the wheels leave out.")
    endif()
  endforeach()

  execute_process(COMMAND "${root}/bin/nvcc" --version OUTPUT_VARIABLE said ERROR_VARIABLE said
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT said MATCHES "release ([0-9]+\\.[0-9]+), V([0-9.]+)")
    message(FATAL_ERROR "${root}/bin/nvcc does not run: it said \"${said}\" to --version.")
  endif()
  set(compiler ${CMAKE_MATCH_1})
  set(RUNGS_NVCC_VERSION ${CMAKE_MATCH_2} PARENT_SCOPE)

  set(header_file "${root}/include/cuda_runtime_api.h")
  if(NOT EXISTS "${header_file}")
    message(FATAL_ERROR "The CUDA toolkit in ${root} has no include/cuda_runtime_api.h; "
                        "install the CUDA runtime's headers of version ${compiler}.")
  endif()
  file(STRINGS "${header_file}" header REGEX "define CUDART_VERSION ")
  rungs_dotted_version("${header}" header)

  execute_process(
    COMMAND "${RUNGS_PYTHON}" -c
      "import ctypes, sys; v = ctypes.c_int(); \
ctypes.CDLL(sys.argv[1]).cudaRuntimeGetVersion(ctypes.byref(v)); print('version', v.value)"
      "${root}/lib64/libcudart.so"
    OUTPUT_VARIABLE library ERROR_VARIABLE why)
  rungs_dotted_version("${library}" library)

  if(NOT compiler STREQUAL header OR NOT compiler STREQUAL library)
    message(FATAL_ERROR "The CUDA toolkit in ${root} is mixed: nvcc is ${compiler}, the headers "
                        "are ${header}, libcudart is ${library}; install the three of one version.")
  endif()
  if(NOT compiler MATCHES "^13\\.")
    message(FATAL_ERROR "nvcc in ${root} is ${compiler}; the CPU device stands in for the runtime "
                        "of CUDA 13, so a toolkit 13 is needed.")
  endif()
endfunction()

# "... 13000" -> 13.0, as CUDART_VERSION and cudaRuntimeGetVersion() write a version.
function(rungs_dotted_version text result)
  if(text MATCHES " ([0-9]+)")
    math(EXPR major "${CMAKE_MATCH_1} / 1000")
    math(EXPR minor "${CMAKE_MATCH_1} % 1000 / 10")
    set(${result} "${major}.${minor}" PARENT_SCOPE)
  else()
    set(${result} "unknown" PARENT_SCOPE)
  endif()
endfunction()

# Sets RUNGS_BUILT_ARCHITECTURES: 90, which records and tests are of, and what was asked for.
function(rungs_check_architectures)
  if(RUNGS_ARCHITECTURES STREQUAL "")
    message(FATAL_ERROR "RUNGS_ARCHITECTURES is empty; give numbers such as 90 or 90;89, or native.")
  endif()
  execute_process(COMMAND "${RUNGS_CUDA_ROOT}/bin/nvcc" --list-gpu-arch OUTPUT_VARIABLE known)
  string(REGEX MATCHALL "[0-9]+" known "${known}")

  set(built 90)
  foreach(architecture IN LISTS RUNGS_ARCHITECTURES)
    if(architecture STREQUAL "native")
      execute_process(COMMAND "${RUNGS_CUDA_ROOT}/bin/__nvcc_device_query"
                      OUTPUT_VARIABLE query ERROR_QUIET RESULT_VARIABLE status)
      string(REGEX MATCH "[0-9]+" architecture "${query}")
      if(NOT status EQUAL 0 OR NOT architecture)
        message(FATAL_ERROR "RUNGS_ARCHITECTURES is native, but there is no GPU here to ask; "
                            "give its number, such as 90.")
      endif()
    endif()
    string(REGEX REPLACE "[af]$" "" number "${architecture}")
    if(NOT number IN_LIST known)
      list(JOIN known ", " known)
      message(FATAL_ERROR "nvcc ${RUNGS_NVCC_VERSION} has no architecture ${architecture} "
                          "(RUNGS_ARCHITECTURES); it has ${known}.")
    endif()
    list(APPEND built ${architecture})
  endforeach()
  list(REMOVE_DUPLICATES built)
  set(RUNGS_BUILT_ARCHITECTURES "${built}" PARENT_SCOPE)
endfunction()

# Sets RUNGS_PYTHON, which counts machine code and says how kernels are compiled.
function(rungs_require_python)
  find_program(RUNGS_PYTHON python3 HINTS "${RUNGS_ROOT}/.venv/bin" DOC "Python 3.11 or newer")
  if(NOT RUNGS_PYTHON)
    message(FATAL_ERROR "No python3 on PATH; install Python 3.11 or newer.")
  endif()
  execute_process(COMMAND "${RUNGS_PYTHON}" -c "import sys; sys.exit(sys.version_info < (3, 11))"
                  RESULT_VARIABLE status ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${RUNGS_PYTHON} is older than 3.11; give another by "
                        "-DRUNGS_PYTHON=PROGRAM.")
  endif()
endfunction()

# Sets CMAKE_CXX_COMPILER, which nvcc uses for host code too.
function(rungs_require_host_compiler)
  if(CMAKE_CXX_COMPILER)
    set(asked "${CMAKE_CXX_COMPILER}")
  elseif(DEFINED ENV{CXX})
    string(REGEX MATCH "^[^ ]+" asked "$ENV{CXX}")
  else()
    set(asked c++ g++ clang++)
  endif()
  find_program(compiler NAMES ${asked} NO_CACHE)
  if(NOT compiler)
    list(JOIN asked ", " asked)
    message(FATAL_ERROR "No C++ compiler: found none of ${asked}; install g++ 12 or newer.")
  endif()
  set(CMAKE_CXX_COMPILER "${compiler}" CACHE FILEPATH "C++ compiler")
endfunction()

# Sets RUNGS_KERNEL_FLAGS: the flags that the source hash covers, from the file that defines it.
function(rungs_read_kernel_flags)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${RUNGS_ROOT}/common"
      "${RUNGS_PYTHON}" -B -m evidence.source_hash --flags
    OUTPUT_VARIABLE flags ERROR_VARIABLE why RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "evidence.source_hash does not say the kernels' flags: ${why}")
  endif()
  set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               "${RUNGS_ROOT}/common/evidence/source_hash.py")
  string(REPLACE "\n" ";" flags "${flags}")
  set(RUNGS_KERNEL_FLAGS "${flags}" PARENT_SCOPE)
endfunction()
