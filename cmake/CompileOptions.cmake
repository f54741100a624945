# How everything is compiled.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # the one that CUDA::cudart names; with two of them, streams would not be shared
# CMAKE_CUDA_STANDARD 20 would need CMake 3.26. Messages name sources as the repository does.
add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>
                    $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>
                    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)

# For this machine's processor. Microcode that closes Gather Data Sampling (CVE-2022-40982) lets Intel's processors from
# Skylake to Rocket Lake gather six times as slowly as they load values one by one. g++ knows since 12.4 and 13.3.
set(AMGSOLVE_NATIVE_FLAGS "")
if(AMGSOLVE_NATIVE)
  set(AMGSOLVE_NATIVE_FLAGS -march=native)
  set(loads_one_by_one -mtune-ctrl=^use_gather_2parts,^use_gather_4parts,^use_gather)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${AMGSOLVE_NATIVE_FLAGS} -Q --help=target
                  OUTPUT_VARIABLE target_options ERROR_QUIET)
  if(target_options MATCHES "-mtune=[ \t]+(skylake|cascadelake|cooperlake|cannonlake|icelake|tigerlake|rocketlake)")
    include(CheckCXXCompilerFlag)
    check_cxx_compiler_flag(${loads_one_by_one} AMGSOLVE_LOADS_ONE_BY_ONE)
    if(AMGSOLVE_LOADS_ONE_BY_ONE)
      list(APPEND AMGSOLVE_NATIVE_FLAGS ${loads_one_by_one})
    endif()
  endif()
endif()

# A node has a handful of neighbours. g++ gathers what is known of them into vectors all the same, and prepares those for
# each node: with values loaded one by one the steps of independent sets take three quarters of the time.
set_source_files_properties(amg/mis2_steps_host.cpp amg/aggregation_steps_host.cpp PROPERTIES
  COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fno-tree-vectorize>)

# amgsolve_options: what our own sources add to that. Results are bitwise the same for any number of threads: a·b + c is
# never contracted, since a loop's vector body and its remainder, or the host and the device, could differ in it.
add_library(amgsolve_options INTERFACE)
target_compile_options(amgsolve_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                              -ffp-contract=off>
  # g++'s ivdep; conditions joined without a branch in between; `omp simd` that a sanitizer's checks keep from vectors
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-unknown-pragmas>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-bitwise-instead-of-logical>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-pass-failed>
  # In a source that others include a name shadows those of other sources, and g++ takes anonymous namespaces for a header's.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wno-shadow>
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow=local>
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wno-subobject-linkage>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>  # false alarms in g++'s own AVX-512 header (bug 105593)
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${AMGSOLVE_WERROR}>>:-Werror>
  "$<$<COMPILE_LANGUAGE:CXX>:${AMGSOLVE_NATIVE_FLAGS}>"
  $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda -fmad=false -Xcompiler=-Wall,-Wextra>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${AMGSOLVE_WERROR}>>:--Werror=all-warnings>)

# The standard headers that most sources read, parsed once: half the time of a small source. house.private_headers compiles
# every header without them, so that none comes to lean on them.
set(AMGSOLVE_PRECOMPILED_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <limits> <memory> <optional> <span>
    <stdexcept> <string> <string_view> <utility> <vector> <fmt/format.h>)

if(NOT AMGSOLVE_SANITIZER MATCHES "^(address|undefined|thread)?$")
  message(FATAL_ERROR "AMGSOLVE_SANITIZER is '${AMGSOLVE_SANITIZER}'; it must be address, undefined or thread, or empty")
endif()
if(AMGSOLVE_SANITIZER)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${AMGSOLVE_SANITIZER};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=${AMGSOLVE_SANITIZER})
endif()
