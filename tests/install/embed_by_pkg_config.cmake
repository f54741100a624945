# Builds `source` by that `standard` of C++ or C, into `program` with the flags of the amgsolve.pc installed in `library_dir`, and runs it.
set(ENV{PKG_CONFIG_PATH} ${library_dir}/pkgconfig)
execute_process(COMMAND ${pkg_config} --cflags --libs amgsolve
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND ${compiler} -std=${standard} -O2 -Wall -Wextra -Werror ${source} -o ${program} ${flags} -Wl,-rpath,${library_dir}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${program} COMMAND_ERROR_IS_FATAL ANY)
