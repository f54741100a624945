# Makes the packages of a build and looks at what they hold: BUILD, CPACK, DIRECTORY, LIBDIR (of the installed tree), PYTHON and
# CUDA (whether there is the Python package, and the backend), PYTHON_EXECUTABLE (which the package is for).
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${DIRECTORY})
file(MAKE_DIRECTORY ${DIRECTORY})

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${DIRECTORY} OUTPUT_VARIABLE output ERROR_VARIABLE errors
                  RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${ARGN}: ${failed}\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# has(WHAT TEXT...): whether `output` has each text
function(has what)
  foreach(text IN LISTS ARGN)
    string(FIND "${output}" "${text}" place)
    if(place EQUAL -1)
      message(SEND_ERROR "${what}: '${text}' is missing in\n${output}")
    endif()
  endforeach()
endfunction()

find_program(DPKG_DEB dpkg-deb)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(FILE_COMMAND file)
set(generators TGZ)
if(DPKG_DEB AND DPKG_SHLIBDEPS AND FILE_COMMAND AND NOT CUDA)  # whose libraries need not be in a package of the distribution
  set(generators "DEB;TGZ")
endif()
foreach(generator IN LISTS generators)
  run(${CPACK} --config ${BUILD}/CPackConfig.cmake -G ${generator} -B ${DIRECTORY})
endforeach()

set(command_files bin/amgsolve share/man/man1/amgsolve.1 share/bash-completion/completions/amgsolve
    share/zsh/site-functions/_amgsolve share/zsh/vendor-completions/_amgsolve share/fish/vendor_completions.d/amgsolve.fish share/amgsolve/problem.schema.json
    share/doc/amgsolve/copyright share/doc/amgsolve/README.md share/doc/amgsolve/docs/formats.md
    share/doc/amgsolve/examples/poisson3d.yaml)
set(development_files include/amgsolve/amgsolve.hpp include/amgsolve/amgsolve.h ${LIBDIR}/libamgsolve ${LIBDIR}/pkgconfig/amgsolve.pc
    ${LIBDIR}/cmake/amgsolve/amgsolveConfig.cmake share/doc/libamgsolve-dev/copyright
    share/doc/libamgsolve-dev/examples/embed/main.cpp)
set(python_files lib/python3/dist-packages/amgsolve/__init__.py lib/python3/dist-packages/amgsolve/__init__.pyi
    lib/python3/dist-packages/amgsolve/_amgsolve. share/doc/python3-amgsolve/copyright)
if(NOT PYTHON)
  set(python_files)
endif()

# Debian's packages, a component each.
if("DEB" IN_LIST generators)
  foreach(component command development python)
    set(package_command amgsolve)
    set(package_development libamgsolve-dev)
    set(package_python python3-amgsolve)
    if(NOT ${component}_files)
      continue()
    endif()
    file(GLOB package ${DIRECTORY}/${package_${component}}_*.deb)
    run(${DPKG_DEB} --contents ${package})
    list(TRANSFORM ${component}_files PREPEND "./usr/" OUTPUT_VARIABLE wanted)
    has("${package}" ${wanted})
    run(${DPKG_DEB} --field ${package})
    has("${package}" "Package: ${package_${component}}" "Depends: " "Maintainer: " "Description: ")
  endforeach()
  # What the command needs is what it was linked with.
  file(GLOB package ${DIRECTORY}/amgsolve_*.deb)
  run(${DPKG_DEB} --field ${package} Depends)
  has("${package}" libyaml-cpp libgomp)
endif()

# The archive holds all, and works wherever it is unpacked.
file(GLOB archive ${DIRECTORY}/amgsolve-*.tar.gz)
cmake_path(GET archive FILENAME name)
string(REGEX REPLACE "\\.tar\\.gz$" "" root "${name}")
file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${DIRECTORY}/elsewhere)
set(root ${DIRECTORY}/elsewhere/${root})
file(GLOB_RECURSE output RELATIVE ${root} ${root}/*)
has("${archive}" ${command_files} ${development_files} ${python_files})
if(NOT CUDA)  # which the loader may know from the build tree alone
  run(${root}/bin/amgsolve ${root}/share/doc/amgsolve/examples/poisson3d.yaml --set problem.generate.grid=[8,8,8])
  has("the unpacked command" "converged")
endif()
find_program(PYTHON3 python3)
if(PYTHON3)
  run(${PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/../docs/pages.py installed ${root}/share/doc/amgsolve)
endif()
run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${root}/${LIBDIR}/pkgconfig pkg-config --cflags amgsolve)
string(REPLACE " " "\\ " root_in_flags "${root}")
has("the unpacked amgsolve.pc" "-I${root_in_flags}/")

# Other libraries' symbols in the Python module stay hidden: they could clash with those of the process that loads it.
if(PYTHON)
  if(NOT CUDA)
    run(${CMAKE_COMMAND} -E env PYTHONPATH=${root}/lib/python3/dist-packages ${PYTHON_EXECUTABLE} -c "import amgsolve")
  endif()
  file(GLOB module ${root}/lib/python3/dist-packages/amgsolve/_amgsolve.*.so)
  run(nm -D --defined-only ${module})
  string(REGEX MATCH "[^\n]*(3fmt|5Eigen|8pybind11)[^\n]*" stranger "${output}")
  if(stranger)
    message(SEND_ERROR "${module} shows ${stranger}")
  endif()
endif()
