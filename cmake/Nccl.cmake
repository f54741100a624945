# Decides AMGSOLVE_HAVE_NCCL from AMGSOLVE_NCCL. Only its header is needed here: the library is loaded where several ranks have
# devices. Without it messages between devices pass through the host.
set(AMGSOLVE_HAVE_NCCL OFF)

if(NOT AMGSOLVE_NCCL MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "AMGSOLVE_NCCL is '${AMGSOLVE_NCCL}'; it must be AUTO, ON or OFF")
endif()

if(AMGSOLVE_HAVE_CUDA AND NOT AMGSOLVE_NCCL STREQUAL "OFF")
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  mark_as_advanced(NCCL_INCLUDE_DIR)
  if(NCCL_INCLUDE_DIR)
    set(AMGSOLVE_HAVE_NCCL ON)
    message(STATUS "Messages between devices by NCCL: yes (${NCCL_INCLUDE_DIR}/nccl.h)")
  endif()
endif()

if(NOT AMGSOLVE_HAVE_NCCL)
  if(AMGSOLVE_NCCL STREQUAL "ON")
    message(FATAL_ERROR "AMGSOLVE_NCCL=ON, but it takes CUDA and nccl.h: NVIDIA's libnccl-dev")
  endif()
  message(STATUS "Messages between devices by NCCL: no")
endif()
