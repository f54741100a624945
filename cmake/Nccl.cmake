# Decides AMGSOLVE_HAVE_NCCL from AMGSOLVE_NCCL. AUTO does without where there are no ranks, no CUDA or no NCCL: messages between
# devices then pass through the host. Makes the target NCCL::NCCL.
set(AMGSOLVE_HAVE_NCCL OFF)

if(NOT AMGSOLVE_NCCL MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "AMGSOLVE_NCCL is '${AMGSOLVE_NCCL}'; it must be AUTO, ON or OFF")
endif()

if(AMGSOLVE_HAVE_CUDA AND AMGSOLVE_HAVE_MPI AND NOT AMGSOLVE_NCCL STREQUAL "OFF")
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
  if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
    add_library(NCCL::NCCL UNKNOWN IMPORTED)
    set_target_properties(NCCL::NCCL PROPERTIES
      IMPORTED_LOCATION "${NCCL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${NCCL_INCLUDE_DIR}")
    set(AMGSOLVE_HAVE_NCCL ON)
    message(STATUS "Messages between devices by NCCL: yes (${NCCL_LIBRARY})")
  endif()
endif()

if(NOT AMGSOLVE_HAVE_NCCL)
  if(AMGSOLVE_NCCL STREQUAL "ON")
    message(FATAL_ERROR "AMGSOLVE_NCCL=ON, but it takes CUDA, MPI and NCCL (nccl.h and libnccl: NVIDIA's libnccl-dev)")
  endif()
  message(STATUS "Messages between devices by NCCL: no")
endif()
