# Decides AMGSOLVE_HAVE_HDF5 from AMGSOLVE_HDF5: whether MATLAB's files of version 7.3 are read. Makes the target
# PkgConfig::AMGSOLVE_LIBHDF5, since a find_package(HDF5) of a project around this would take variables called HDF5_.
set(AMGSOLVE_HAVE_HDF5 OFF)

if(NOT AMGSOLVE_HDF5 MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "AMGSOLVE_HDF5 is '${AMGSOLVE_HDF5}'; it must be AUTO, ON or OFF")
endif()

if(NOT AMGSOLVE_HDF5 STREQUAL "OFF")
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(AMGSOLVE_LIBHDF5 QUIET IMPORTED_TARGET hdf5)
  endif()
  if(AMGSOLVE_LIBHDF5_FOUND)
    set(AMGSOLVE_HAVE_HDF5 ON)
    message(STATUS "MATLAB's files of version 7.3: yes (HDF5 ${AMGSOLVE_LIBHDF5_VERSION})")
  elseif(AMGSOLVE_HDF5 STREQUAL "ON")
    message(FATAL_ERROR "AMGSOLVE_HDF5=ON, but pkg-config finds no hdf5: install libhdf5-dev")
  else()
    message(STATUS "MATLAB's files of version 7.3: no (pkg-config finds no hdf5: libhdf5-dev is not installed)")
  endif()
else()
  message(STATUS "MATLAB's files of version 7.3: no (AMGSOLVE_HDF5=OFF)")
endif()
