# Everything comes from the distribution's packages or the CUDA Toolkit; nothing is downloaded.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)

# What the library's object code needs at link time; a program that links a static amgsolve needs them too.
set(AMGSOLVE_LINK_LIBRARIES OpenMP::OpenMP_CXX ${CMAKE_DL_LIBS})
if(AMGSOLVE_HAVE_CUDA)
  list(APPEND AMGSOLVE_LINK_LIBRARIES CUDA::cudart CUDA::cusparse)
endif()

add_library(amgsolve_dependencies INTERFACE)
target_link_libraries(amgsolve_dependencies INTERFACE
  ${AMGSOLVE_LINK_LIBRARIES} Eigen3::Eigen fmt::fmt-header-only)
# Threads of Eigen's own would be as many as the machine has, and change bits.
target_compile_definitions(amgsolve_dependencies INTERFACE EIGEN_DONT_PARALLELIZE)
# Bytes of a temporary that Eigen puts on the stack, 18432 at least: threads of callers may have little, 128 KiB by musl.
target_compile_definitions(amgsolve_dependencies INTERFACE EIGEN_STACK_ALLOCATION_LIMIT=20480)
# Under a name of its own: a program that links a static amgsolve may have an Eigen compiled for other instructions, whose
# functions of the same name, as its allocator, would take the place of these.
target_compile_definitions(amgsolve_dependencies INTERFACE Eigen=amgsolve_eigen)
target_compile_definitions(amgsolve_dependencies INTERFACE AMGSOLVE_HAVE_CUDA=$<BOOL:${AMGSOLVE_HAVE_CUDA}>
  AMGSOLVE_HAVE_NCCL=$<BOOL:${AMGSOLVE_HAVE_NCCL}>)
if(AMGSOLVE_HAVE_NCCL)
  target_include_directories(amgsolve_dependencies SYSTEM INTERFACE ${NCCL_INCLUDE_DIR})
endif()

if(AMGSOLVE_BUILD_APPLICATION OR AMGSOLVE_BUILD_TESTS OR AMGSOLVE_BUILD_BENCHMARKS)
  find_package(yaml-cpp REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  if(NOT TARGET yaml-cpp::yaml-cpp)  # yaml-cpp before 0.8
    add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
  endif()
  add_library(amgsolve_application_dependencies INTERFACE)
  target_link_libraries(amgsolve_application_dependencies INTERFACE
    amgsolve_dependencies yaml-cpp::yaml-cpp CLI11::CLI11 nlohmann_json::nlohmann_json)

  # The plotting library of the page that output.html writes, version 3 or 4.
  find_file(AMGSOLVE_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH
            DOC "Chart.js, for output.html; empty: without")

  # Without one of them, a file compressed by gzip or xz, or SciPy's .npz, is an input error that says so.
  find_package(ZLIB)
  find_package(LibLZMA)
  # Its own package file asks for programs that Debian's libzip-dev has not.
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(LIBZIP IMPORTED_TARGET libzip)
  endif()
  add_library(amgsolve_decompression INTERFACE)
  target_link_libraries(amgsolve_decompression INTERFACE
    $<TARGET_NAME_IF_EXISTS:ZLIB::ZLIB> $<TARGET_NAME_IF_EXISTS:LibLZMA::LibLZMA>
    $<TARGET_NAME_IF_EXISTS:PkgConfig::LIBZIP> $<TARGET_NAME_IF_EXISTS:PkgConfig::AMGSOLVE_LIBHDF5>)
  target_compile_definitions(amgsolve_decompression INTERFACE
    AMGSOLVE_HAVE_ZLIB=$<BOOL:${ZLIB_FOUND}> AMGSOLVE_HAVE_LZMA=$<BOOL:${LIBLZMA_FOUND}>)
  set_source_files_properties(problems/zip_archive.cpp PROPERTIES COMPILE_DEFINITIONS
    AMGSOLVE_HAVE_ZIP=$<BOOL:${LIBZIP_FOUND}>)
  set_source_files_properties(problems/hdf5_file.cpp problems/hdf5_reader_host.cpp PROPERTIES COMPILE_DEFINITIONS
    AMGSOLVE_HAVE_HDF5=$<BOOL:${AMGSOLVE_HAVE_HDF5}>)
  set_source_files_properties(problems/gmsh_session.cpp problems/gmsh_model.cpp problems/mesh_gmsh.cpp PROPERTIES
    COMPILE_DEFINITIONS AMGSOLVE_HAVE_GMSH=$<BOOL:${AMGSOLVE_HAVE_GMSH}>)
endif()
