# What the scripts share that run the command under mpirun.
#   cmake -D MPIEXEC=... -D COMMAND=... -D DIRECTORY=... -P SCRIPT
file(MAKE_DIRECTORY ${DIRECTORY})
file(WRITE ${DIRECTORY}/problem.yaml "problem:
  generate: {pde: poisson, grid: [24, 25, 26], discretization: fd}
  rhs: manufactured
  columns: 2
amg: {coarse_size: 100, direct_solve_limit: 100}
distributed: {replicate_below: 5000}
")

# run(RANKS EXIT_CODE [ARGUMENT...]): sets `out` and `err`
function(run ranks exit_code)
  execute_process(COMMAND ${MPIEXEC} -n ${ranks} ${COMMAND} ${ARGN} WORKING_DIRECTORY ${DIRECTORY}
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 30)
  if(NOT code EQUAL exit_code)
    message(SEND_ERROR "${ranks} ranks, ${ARGN}: ended with ${code}, not ${exit_code}\n${out}\n${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
endfunction()

# expect_once(TEXT IN)
function(expect_once text in)
  string(REGEX MATCHALL "${text}" found "${in}")
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    message(SEND_ERROR "'${text}' stands there ${count} times:\n${in}")
  endif()
endfunction()

# expect_same(FILE FILE)
function(expect_same a b)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${DIRECTORY}/${a} ${DIRECTORY}/${b} RESULT_VARIABLE differ)
  if(differ)
    message(SEND_ERROR "${b} is not as ${a}: ranks give another solution than one")
  endif()
endfunction()
