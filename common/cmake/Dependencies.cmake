# The C++ libraries: an installed one if there is one, else the pinned release from its origin.
include(FetchContent)

# nlohmann_json::nlohmann_json. The wheel of that name holds headers only, no CMake files.
function(rungs_need_json)
  if(TARGET nlohmann_json::nlohmann_json)
    return()
  endif()
  find_package(nlohmann_json 3.11 CONFIG QUIET GLOBAL)
  if(nlohmann_json_FOUND)
    return()
  endif()
  # The wheel stands beside the toolkit's wheels or, with another toolkit, in Python's environment.
  file(REAL_PATH "${RUNGS_CUDA_ROOT}" toolkit)
  cmake_path(GET RUNGS_PYTHON PARENT_PATH programs)
  file(GLOB wheels "${programs}/../lib/python3*/site-packages")
  list(TRANSFORM wheels APPEND "/nlohmann_json/include")
  find_path(RUNGS_JSON_INCLUDE nlohmann/json.hpp
            HINTS "${toolkit}/../../nlohmann_json/include" ${wheels})
  if(RUNGS_JSON_INCLUDE)
    add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
    target_include_directories(nlohmann_json::nlohmann_json INTERFACE "${RUNGS_JSON_INCLUDE}")
    return()
  endif()
  FetchContent_Declare(nlohmann_json
    URL https://github.com/nlohmann/json/releases/download/v3.12.0/json.tar.xz
    URL_HASH SHA256=42f6e95cad6ec532fd372391373363b62a14af6d771056dbfc86160e6dfff7aa)
  FetchContent_MakeAvailable(nlohmann_json)
endfunction()

# CLI11::CLI11
function(rungs_need_cli11)
  if(TARGET CLI11::CLI11)
    return()
  endif()
  find_package(CLI11 2.1 CONFIG QUIET GLOBAL)
  if(NOT CLI11_FOUND)
    FetchContent_Declare(CLI11
      GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
      GIT_TAG v2.4.2
      GIT_SHALLOW ON)
    FetchContent_MakeAvailable(CLI11)
  endif()
endfunction()

# GTest::gtest_main, for the tests only.
function(rungs_need_gtest)
  if(TARGET GTest::gtest_main)
    return()
  endif()
  find_package(GTest 1.12 CONFIG QUIET GLOBAL)
  if(NOT GTest_FOUND)
    set(INSTALL_GTEST OFF)
    FetchContent_Declare(googletest
      GIT_REPOSITORY https://github.com/google/googletest.git
      GIT_TAG v1.14.0
      GIT_SHALLOW ON)
    FetchContent_MakeAvailable(googletest)
  endif()
endfunction()
