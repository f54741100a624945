# What ranks that fail have to say is heard: of one that a library ends, and of all together, however slowly it is read.
include(${CMAKE_CURRENT_LIST_DIR}/run_command.cmake)

# A rank that the runtime of OpenMP ends, which can have no thread.
execute_process(COMMAND ${MPIEXEC} -n 1 ${COMMAND} problem.yaml --set solver.backend=host
    : -n 1 env OMP_STACKSIZE=100000000G OMP_NUM_THREADS=4 ${COMMAND} problem.yaml --set solver.backend=host
  WORKING_DIRECTORY ${DIRECTORY} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 10)
if(COMPILER STREQUAL "GNU")
  expect_once("libgomp: Thread creation failed" "${err}")
endif()
expect_once("amgsolve: ended by a library that could not go on" "${err}")
if(NOT code EQUAL 4)
  message(SEND_ERROR "a rank without threads: ended with ${code}\n${out}\n${err}")
endif()

# All ranks fail together, and the first one takes longer than they wait for each other to hand its report over.
file(WRITE ${DIRECTORY}/zero_row.mtx "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 3 1\n")
file(WRITE ${DIRECTORY}/read_late.sh "rm -f slow
mkfifo slow
(sleep 4; timeout 15 cat slow > slow.json) &
\"$@\"
code=$?
wait
exit $code
")
execute_process(COMMAND sh read_late.sh ${MPIEXEC} -n 3 ${COMMAND} zero_row.mtx --set solver.backend=host --json slow
  WORKING_DIRECTORY ${DIRECTORY} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err TIMEOUT 25)
expect_once("row 2 of the matrix is zero" "${err}")
unset(status)
file(READ ${DIRECTORY}/slow.json report)
string(JSON status ERROR_VARIABLE missing GET "${report}" status)
if(NOT status STREQUAL "bad_input" OR NOT code EQUAL 3)
  message(SEND_ERROR "a report that is read late: ended with ${code} and '${status}'\n${out}\n${err}")
endif()
