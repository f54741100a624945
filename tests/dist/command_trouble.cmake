# What goes wrong on one of several ranks, or comes from outside, ends them all within ten seconds, with one message.
include(${CMAKE_CURRENT_LIST_DIR}/run_command.cmake)

# run_pair(EXIT_CODE ARGUMENT...): two ranks, of which the second has the arguments beside.
function(run_pair exit_code)
  execute_process(COMMAND ${MPIEXEC} -n 1 ${COMMAND} problem.yaml --set solver.backend=host
      : -n 1 ${COMMAND} problem.yaml --set solver.backend=host ${ARGN}
    WORKING_DIRECTORY ${DIRECTORY} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 10)
  if(NOT code EQUAL exit_code)
    message(SEND_ERROR "the second rank with ${ARGN}: ended with ${code}, not ${exit_code}\n${out}\n${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
endfunction()

foreach(limit 100000 2000000 4000000)  # bytes: it runs out while the matrix is made, checked, coarsened
  run_pair(4 --set solver.memory_limit=${limit})
  expect_once("out of host memory" "${err}")
endforeach()

# A solve that takes hours, of which one rank is told to end: all do, after the same iteration.
file(WRITE ${DIRECTORY}/endless.yaml "problem:
  generate: {pde: poisson, grid: [400, 400], discretization: fd}
solver: {backend: host, method: amg, tolerance: 1.0e-12, max_iterations: 100000000}
amg: {max_levels: 1, smoother: {type: jacobi}}
")
file(REMOVE ${DIRECTORY}/endless.json)
execute_process(COMMAND ${MPIEXEC} -n 1 ${COMMAND} endless.yaml --json endless.json
    : -n 1 timeout --foreground --preserve-status -s TERM 3 ${COMMAND} endless.yaml
  WORKING_DIRECTORY ${DIRECTORY} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 15)
expect_once("interrupted" "${out}")
if(EXISTS ${DIRECTORY}/endless.json)
  file(READ ${DIRECTORY}/endless.json report)
  string(JSON status GET "${report}" status)
endif()
if(NOT status STREQUAL "interrupted" OR NOT code EQUAL 7)
  message(SEND_ERROR "a signal to one rank: ended with ${code} and '${status}'\n${out}\n${err}")
endif()
# As an iteration that takes minutes has no step to agree on, the rank gives the others word and waits no longer.
file(WRITE ${DIRECTORY}/long_iteration.yaml "problem:
  generate: {pde: poisson, grid: [400, 400], discretization: fd}
solver: {backend: host, method: amg}
amg: {pre_sweeps: 1000, smoother: {degree: 100}}
")
file(REMOVE ${DIRECTORY}/long_iteration.json)
unset(status)
execute_process(COMMAND ${MPIEXEC} -n 1 ${COMMAND} long_iteration.yaml --json long_iteration.json
    : -n 1 timeout --foreground --preserve-status -s TERM 3 ${COMMAND} long_iteration.yaml
  WORKING_DIRECTORY ${DIRECTORY} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 15)
if(EXISTS ${DIRECTORY}/long_iteration.json)
  file(READ ${DIRECTORY}/long_iteration.json report)
  string(JSON status GET "${report}" status)
endif()
if(NOT status STREQUAL "interrupted" OR NOT code EQUAL 7)
  message(SEND_ERROR "a signal within an iteration: ended with ${code} and '${status}'\n${out}\n${err}")
endif()
# mpirun tells its ranks, and kills those that are left soon after: Open MPI after one second.
foreach(signal INT TERM)
  execute_process(COMMAND timeout -s ${signal} 2 ${MPIEXEC} -n 2 ${COMMAND} endless.yaml
    WORKING_DIRECTORY ${DIRECTORY} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 12)
  if(NOT code EQUAL 124)
    message(SEND_ERROR "${signal} to mpirun: ended with ${code}\n${out}\n${err}")
  endif()
endforeach()

file(WRITE ${DIRECTORY}/two.mtx "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 2\n")
run(4 0 two.mtx)
expect_once("4 ranks share 2 rows: some have none" "${err}")

# A file that one rank does not see, and a number that only the last rank's part has wrong.
file(WRITE ${DIRECTORY}/here/two.mtx "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n")
execute_process(COMMAND ${MPIEXEC} -n 1 ${COMMAND} two.mtx : -n 1 --wdir ${DIRECTORY} ${COMMAND} here/../absent.mtx
  WORKING_DIRECTORY ${DIRECTORY}/here RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 10)
expect_once("it must be a file that exists" "${err}")
if(NOT code EQUAL 2)
  message(SEND_ERROR "a file that one rank does not see: ended with ${code}\n${out}\n${err}")
endif()
# Problem files that differ between machines without a shared folder, here beside each other; paths and limits may.
foreach(folder one other)
  file(WRITE ${DIRECTORY}/${folder}/problem.yaml "problem: {matrix: A.mtx}\nsolver: {backend: host}\n")
  file(COPY_FILE ${DIRECTORY}/here/two.mtx ${DIRECTORY}/${folder}/A.mtx)
endforeach()
# run_apart(EXIT_CODE ARGUMENT...): two ranks, of which the second is in the other folder and has the arguments beside.
function(run_apart exit_code)
  execute_process(COMMAND ${MPIEXEC} -n 1 ${COMMAND} problem.yaml
      : -n 1 --wdir ${DIRECTORY}/other ${COMMAND} problem.yaml ${ARGN}
    WORKING_DIRECTORY ${DIRECTORY}/one RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 10)
  if(NOT code EQUAL exit_code)
    message(SEND_ERROR "the second rank apart with ${ARGN}: ended with ${code}, not ${exit_code}\n${out}\n${err}")
  endif()
  set(err "${err}" PARENT_SCOPE)
endfunction()
run_apart(0)
run_apart(0 --threads 1 --set solver.memory_limit=1e9 --json other.json)
run_apart(2 --set solver.tolerance=1e-2)
expect_once("ranks were given different options: 'solver.tolerance' of rank 1 is not" "${err}")
run_apart(2 --set output.solution=x.npy)
expect_once("'output.solution' of rank 1 is not that of rank 0" "${err}")

# What is no run on ranks the first one does alone, which has the standard input.
file(WRITE ${DIRECTORY}/piped.yaml "problem: {matrix: /dev/stdin}\n")
foreach(arguments "convert;/dev/stdin;piped.amg" "piped.yaml;--analyse")
  execute_process(COMMAND ${MPIEXEC} -n 3 ${COMMAND} ${arguments} WORKING_DIRECTORY ${DIRECTORY}
    INPUT_FILE ${DIRECTORY}/two.mtx RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 10)
  if(NOT code EQUAL 0)
    message(SEND_ERROR "${arguments}, piped: ended with ${code}\n${out}\n${err}")
  endif()
endforeach()
run(1 0 convert two.mtx file.amg)
expect_same(file.amg piped.amg)
run(3 3 convert absent.mtx x.amg)
expect_once("absent.mtx" "${err}")
# A rank that alone has something to say.
execute_process(COMMAND ${MPIEXEC} -n 1 ${COMMAND} --version : -n 1 ${COMMAND} --versio
  WORKING_DIRECTORY ${DIRECTORY} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 10)
expect_once("The following argument was not expected: --versio" "${err}")
if(NOT code EQUAL 2)
  message(SEND_ERROR "an option that one rank does not know: ended with ${code}\n${out}\n${err}")
endif()

file(WRITE ${DIRECTORY}/nan.mtx "%%MatrixMarket matrix array real general\n2 1\n1\nnan\n")
run(2 3 two.mtx --set problem.rhs=nan.mtx)
expect_once("nan.mtx:4: expected a finite number, found 'nan'" "${err}")
