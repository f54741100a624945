# Writes the source of src/library/build_info.hpp: what reports say about this build.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(build_flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
list(JOIN AMGSOLVE_NATIVE_FLAGS " " native_flags)
string(APPEND build_flags " ${native_flags}")
if(AMGSOLVE_SANITIZER)
  string(APPEND build_flags " -fsanitize=${AMGSOLVE_SANITIZER}")
endif()
string(STRIP "${build_flags}" build_flags)
string(REGEX REPLACE "([\\\"])" "\\\\\\1" build_flags "${build_flags}")

set(build_cuda "")
if(AMGSOLVE_HAVE_CUDA)
  set(build_cuda "${CUDAToolkit_VERSION}")
endif()

# A source archive unpacked inside some other checkout has no commit of its own.
set(build_commit "")
find_package(Git QUIET)
if(Git_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short=12 HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE build_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

configure_file(${CMAKE_CURRENT_LIST_DIR}/build_info.cpp.in ${PROJECT_BINARY_DIR}/build_info.cpp @ONLY)
target_sources(amgsolve_objects PRIVATE ${PROJECT_BINARY_DIR}/build_info.cpp)
