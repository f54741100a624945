# Runs the command on matrices and vectors from files: the same solution, byte by byte, with 1 to 4 ranks, which read a plain
# file together and a compressed one each; mistakes in a file in one message.
include(${CMAKE_CURRENT_LIST_DIR}/run_command.cmake)

run(1 0 problem.yaml --write-hierarchy levels --set output.solution=x.mtx)
run(1 0 problem.yaml --set problem.rhs=random --set output.solution=b.npy)
file(COPY_FILE ${DIRECTORY}/levels/A0.mtx ${DIRECTORY}/A.mtx)
file(ARCHIVE_CREATE OUTPUT ${DIRECTORY}/A.mtx.gz PATHS ${DIRECTORY}/A.mtx FORMAT raw COMPRESSION GZip)
foreach(ranks 1 2 3 4)
  run(${ranks} 0 A.mtx --set problem.rhs=b.npy --set problem.initial_guess=x.mtx --set amg.coarse_size=100
    --set amg.direct_solve_limit=100 --set distributed.replicate_below=5000 --set output.solution=y${ranks}.mtx)
  expect_once("true relative residual" "${out}")
  if(ranks GREATER 1)
    expect_once("shared by the ranks: [2-9] of" "${out}")
    expect_same(y1.mtx y${ranks}.mtx)
  endif()
endforeach()
run(1 0 convert A.mtx A.amg)
run(1 0 convert b.npy b.amg)
run(2 0 A.amg --set problem.rhs=b.amg --set problem.initial_guess=x.mtx --set amg.coarse_size=100
  --set amg.direct_solve_limit=100 --set distributed.replicate_below=5000 --set output.solution=w.mtx)
expect_same(y1.mtx w.mtx)
run(2 0 A.mtx.gz --set problem.rhs=b.npy --set problem.initial_guess=x.mtx --set amg.coarse_size=100
  --set amg.direct_solve_limit=100 --set distributed.replicate_below=5000 --set output.solution=z.mtx)
expect_same(y1.mtx z.mtx)
file(WRITE ${DIRECTORY}/wrong_size.mtx "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n")
file(WRITE ${DIRECTORY}/wrong.mtx "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 x\n3 3 1\n")
run(3 3 wrong.mtx)
expect_once("amgsolve: wrong.mtx:4: expected a number, found 'x'\n" "${err}")
run(2 3 A.mtx --set problem.rhs=wrong.mtx)
expect_once("wrong.mtx: vectors of 3 rows for a matrix of 15600 rows" "${err}")
run(1 0 convert wrong_size.mtx wrong_size.npy)
run(2 3 A.mtx --set problem.rhs=wrong_size.npy)
expect_once("wrong_size.npy: vectors of 3 rows for a matrix of 15600 rows" "${err}")
