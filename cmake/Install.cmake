# The installed package: library, public headers, find_package(amgsolve), amgsolve.pc (component development), the command
# (command) and the Python package (python).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/amgsolve)

install(TARGETS amgsolve EXPORT amgsolve_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/amgsolve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT amgsolve_targets NAMESPACE amgsolve:: DESTINATION ${package_dir} FILE amgsolveTargets.cmake
  COMPONENT development)
export(EXPORT amgsolve_targets NAMESPACE amgsolve:: FILE amgsolveTargets.cmake)  # for -Damgsolve_DIR=<this build tree>
# amgsolve_install_licence(COMPONENT NAME): where Debian looks for it in the package of that name
function(amgsolve_install_licence component name)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright COMPONENT ${component})
endfunction()
amgsolve_install_licence(development libamgsolve-dev)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libamgsolve-dev/examples COMPONENT development
  PATTERN "*.yaml" EXCLUDE PATTERN "l_shape.txt" EXCLUDE)
if(AMGSOLVE_BUILD_APPLICATION)
  install(TARGETS amgsolve_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  amgsolve_install_licence(command amgsolve)
  install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/amgsolve COMPONENT command)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/amgsolve COMPONENT command PATTERN site EXCLUDE)
  cmake_path(APPEND pages_dir "\${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_DATADIR}/doc/amgsolve")
  file(RELATIVE_PATH headers_dir ${CMAKE_INSTALL_FULL_DATADIR}/doc/amgsolve ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  install(CODE "set(folder \"\$ENV{DESTDIR}${pages_dir}\")\nset(headers \"${headers_dir}\")" COMPONENT command)
  install(SCRIPT cmake/InstalledPages.cmake COMPONENT command)
  file(GLOB problem_files CONFIGURE_DEPENDS examples/*.yaml examples/*.txt)
  install(FILES ${problem_files} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/amgsolve/examples COMPONENT command)
endif()
if(AMGSOLVE_HAVE_PYTHON)
  # As Debian's interpreter has it in /usr; elsewhere PYTHONPATH names the folder.
  set(python_dir lib/python3/dist-packages/amgsolve)
  file(GLOB python_sources CONFIGURE_DEPENDS python/amgsolve/*.py python/amgsolve/*.pyi python/amgsolve/py.typed)
  install(FILES ${python_sources} DESTINATION ${python_dir} COMPONENT python)
  install(TARGETS _amgsolve LIBRARY DESTINATION ${python_dir} COMPONENT python)
  amgsolve_install_licence(python python3-amgsolve)
endif()

# What man, shells and editors know of the command, which writes it itself.
if(AMGSOLVE_BUILD_APPLICATION AND NOT CMAKE_CROSSCOMPILING)
  # amgsolve_install_document(FILE FOLDER OPTION...): what the command prints, in a folder of share/
  function(amgsolve_install_document file folder)
    set(document ${PROJECT_BINARY_DIR}/share/${folder}/${file})
    cmake_path(GET document PARENT_PATH parent)
    file(MAKE_DIRECTORY ${parent})
    add_custom_command(OUTPUT ${document} COMMAND amgsolve_command ${ARGN} > ${document} VERBATIM)
    set_property(GLOBAL APPEND PROPERTY amgsolve_documents ${document})
    install(FILES ${document} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT command)
  endfunction()
  amgsolve_install_document(amgsolve.1 man/man1 --man-page)
  amgsolve_install_document(amgsolve bash-completion/completions --completion bash)
  amgsolve_install_document(_amgsolve zsh/site-functions --completion zsh)
  amgsolve_install_document(_amgsolve zsh/vendor-completions --completion zsh)  # where Debian's zsh looks in /usr
  amgsolve_install_document(amgsolve.fish fish/vendor_completions.d --completion fish)
  amgsolve_install_document(problem.schema.json amgsolve --json-schema)
  get_property(documents GLOBAL PROPERTY amgsolve_documents)
  add_custom_target(amgsolve_documents ALL DEPENDS ${documents})
endif()

configure_package_config_file(cmake/amgsolveConfig.cmake.in ${PROJECT_BINARY_DIR}/amgsolveConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/amgsolveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/amgsolveConfig.cmake ${PROJECT_BINARY_DIR}/amgsolveConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# pkg-config --libs must suffice for the one kind of library that is installed.
set(pc_libs "-L\${libdir} -lamgsolve")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND pc_libs " ${OpenMP_CXX_FLAGS}")
  foreach(library IN ITEMS stdc++ c++ m)  # which a linker for C or Fortran does not take by itself
    if(library IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
      string(APPEND pc_libs " -l${library}")
    endif()
  endforeach()
  if(AMGSOLVE_HAVE_CUDA)
    string(APPEND pc_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart -lcusparse")
  endif()
endif()
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
cmake_path(APPEND pc_libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND pc_includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(cmake/amgsolve.pc.in ${PROJECT_BINARY_DIR}/amgsolve.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/amgsolve.pc DESTINATION ${pc_dir} COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
  include(Packages)
endif()
