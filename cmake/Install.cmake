# The installed package: library, public headers, find_package(amgsolve), amgsolve.pc and the command.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/amgsolve)

install(TARGETS amgsolve EXPORT amgsolve_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/amgsolve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT amgsolve_targets NAMESPACE amgsolve:: DESTINATION ${package_dir} FILE amgsolveTargets.cmake)
if(AMGSOLVE_BUILD_APPLICATION)
  install(TARGETS amgsolve_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(cmake/amgsolveConfig.cmake.in ${PROJECT_BINARY_DIR}/amgsolveConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/amgsolveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/amgsolveConfig.cmake ${PROJECT_BINARY_DIR}/amgsolveConfigVersion.cmake
  DESTINATION ${package_dir})

# pkg-config --libs must suffice for the one kind of library that is installed.
set(pc_libs "-L\${libdir} -lamgsolve")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND pc_libs " ${OpenMP_CXX_FLAGS}")
  if(AMGSOLVE_HAVE_CUDA)
    string(APPEND pc_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart -lcusparse -lcublas -lcusolver")
  endif()
endif()
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
cmake_path(APPEND pc_libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND pc_includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(cmake/amgsolve.pc.in ${PROJECT_BINARY_DIR}/amgsolve.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/amgsolve.pc DESTINATION ${pc_dir})
