message(FATAL_ERROR "amgsolve includes the module CompileOptions of the project around it")
