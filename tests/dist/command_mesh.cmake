# Runs the command on a mesh, which every rank reads whole: the same files for ParaView, byte by byte, with 1 to 3 ranks, and
# a group that is not there in one message.
include(${CMAKE_CURRENT_LIST_DIR}/run_command.cmake)

set(mesh ${CMAKE_CURRENT_LIST_DIR}/../../examples/l_shape.yaml)
foreach(ranks 1 2 3)
  run(${ranks} 0 ${mesh} --set problem.generate.pde=elasticity --set amg.coarse_size=30 --set amg.direct_solve_limit=30
    --set distributed.replicate_below=100 --set output.solution=u${ranks}.vtu)
  expect_once("225 nodes, 384 triangles" "${out}")
  expect_same(u1.vtu u${ranks}.vtu)
  run(${ranks} 0 ${mesh} --set "problem.generate.fixed={}" --set "problem.generate.source={}" --set problem.rhs=manufactured
    --set output.solution=v${ranks}.vtu)
  expect_once("Discretisation error" "${out}")
  expect_same(v1.vtu v${ranks}.vtu)
endforeach()
run(3 2 ${mesh} --set "problem.generate.fixed={rim: 0}")
expect_once("problem.generate.fixed: .*l_shape.txt has no group 'rim'" "${err}")
