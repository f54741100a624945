# amgsolve_options: how our own code is compiled.
add_library(amgsolve_options INTERFACE)
target_compile_options(amgsolve_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${AMGSOLVE_WERROR}>>:-Werror>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O3>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${AMGSOLVE_NATIVE}>>:-march=native>
  $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda -Xcompiler=-Wall,-Wextra>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${AMGSOLVE_WERROR}>>:--Werror=all-warnings>)

# Bitwise reproducible results: a·b + c is contracted or not by the compiler's rules for one source, never by run-time
# choice, and -ffast-math is out of the question.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(AMGSOLVE_SANITIZER)
  if(NOT AMGSOLVE_SANITIZER MATCHES "^(address|undefined|thread)$")
    message(FATAL_ERROR "AMGSOLVE_SANITIZER is '${AMGSOLVE_SANITIZER}'; it must be address, undefined or thread")
  endif()
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${AMGSOLVE_SANITIZER}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${AMGSOLVE_SANITIZER})
endif()
