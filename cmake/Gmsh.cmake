# Decides AMGSOLVE_HAVE_GMSH from AMGSOLVE_GMSH: whether meshes of Gmsh are read and made. Only its header is needed here: the
# command loads the library where a problem asks for it, since it comes with ninety others, and under the GPL.
set(AMGSOLVE_HAVE_GMSH OFF)

if(NOT AMGSOLVE_GMSH MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "AMGSOLVE_GMSH is '${AMGSOLVE_GMSH}'; it must be AUTO, ON or OFF")
endif()

if(NOT AMGSOLVE_GMSH STREQUAL "OFF")
  find_path(GMSH_INCLUDE_DIR gmshc.h)
  mark_as_advanced(GMSH_INCLUDE_DIR)
  if(GMSH_INCLUDE_DIR)
    set(AMGSOLVE_HAVE_GMSH ON)
    message(STATUS "Meshes of Gmsh: yes (${GMSH_INCLUDE_DIR}/gmshc.h)")
  elseif(AMGSOLVE_GMSH STREQUAL "ON")
    message(FATAL_ERROR "AMGSOLVE_GMSH=ON, but there is no gmshc.h: install libgmsh-dev")
  else()
    message(STATUS "Meshes of Gmsh: no (no gmshc.h: libgmsh-dev is not installed)")
  endif()
else()
  message(STATUS "Meshes of Gmsh: no (AMGSOLVE_GMSH=OFF)")
endif()
