# Decides AMGSOLVE_HAVE_HDF5 from AMGSOLVE_HDF5: whether MATLAB's files of version 7.3 are read. Makes the target
# PkgConfig::HDF5.
set(AMGSOLVE_HAVE_HDF5 OFF)

if(NOT AMGSOLVE_HDF5 MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "AMGSOLVE_HDF5 is '${AMGSOLVE_HDF5}'; it must be AUTO, ON or OFF")
endif()

if(NOT AMGSOLVE_HDF5 STREQUAL "OFF")
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(HDF5 IMPORTED_TARGET hdf5)
    set(AMGSOLVE_HAVE_HDF5 ${HDF5_FOUND})
  endif()
  if(AMGSOLVE_HDF5 STREQUAL "ON" AND NOT AMGSOLVE_HAVE_HDF5)
    message(FATAL_ERROR "AMGSOLVE_HDF5=ON, but pkg-config finds no hdf5: install libhdf5-dev")
  endif()
endif()
