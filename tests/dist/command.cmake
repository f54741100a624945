# Runs the command as its users do, with 1 to 4 ranks: the same solution, byte by byte, and one report; one message and
# the right exit code where something is wrong.
#   cmake -D MPIEXEC=... -D COMMAND=... -D DIRECTORY=... -P command.cmake
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
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 10)
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

foreach(ranks 1 2 3 4)
  run(${ranks} 0 problem.yaml --set output.solution=x${ranks}.npy --json report${ranks}.json)
  expect_once("true relative residual" "${out}")
  expect_once("Discretisation error" "${out}")
  file(READ ${DIRECTORY}/report${ranks}.json report)
  string(JSON told GET "${report}" problem ranks)
  string(JSON iterations GET "${report}" iterations)
  if(NOT told EQUAL ranks)
    message(SEND_ERROR "the report of ${ranks} ranks tells of ${told}")
  endif()
  if(ranks EQUAL 1)
    set(expected_iterations ${iterations})
  else()
    expect_once("shared by the ranks: [2-9] of" "${out}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${DIRECTORY}/x1.npy ${DIRECTORY}/x${ranks}.npy
      RESULT_VARIABLE differ)
    if(differ OR NOT iterations EQUAL expected_iterations)
      message(SEND_ERROR "${ranks} ranks give another solution than one, or take other iterations")
    endif()
  endif()
endforeach()

run(3 2 problem.yaml --set solver.toleranse=1)
expect_once("unknown key" "${err}")
run(3 2 problem.yaml --set problem.initial_guess=x1.npy)
expect_once("several ranks read no files" "${err}")
run(3 2 problem.yaml --set solver.backend=cuda)
expect_once("several ranks work on the host only" "${err}")
run(3 1 problem.yaml --set solver.max_iterations=2 --set solver.tolerance=1e-12 --quiet)
run(2 0 problem.yaml --set problem.generate.boundary=neumann --set problem.rhs=random)
expect_once("true relative residual" "${out}")
run(3 2 problem.yaml --set output.solution=/nowhere/x.npy)
expect_once("there is no directory" "${err}")
run(3 4 problem.yaml --set solver.memory_limit=100000)
expect_once("out of host memory" "${err}")
