! Solves -Laplace(u) = 1 on the unit square, u = 0 on its boundary, with the five-point stencil on n x n unknowns.
program embed_fortran
  use, intrinsic :: iso_c_binding
  use amgsolve
  implicit none

  integer(c_int32_t), parameter :: n = 255, rows = n * n
  integer(c_int32_t), allocatable, target :: row_offsets(:), col_indices(:)
  real(c_double), allocatable, target :: values(:), b(:), u(:)
  real(c_double), parameter :: h = 1.0_c_double / (n + 1)
  type(amgsolve_matrix) :: A
  type(amgsolve_result) :: result
  type(amgsolve_hierarchy) :: hierarchy
  type(c_ptr) :: options, solver
  real(c_double) :: middle

  allocate (row_offsets(rows + 1), col_indices(5 * rows), values(5 * rows))
  allocate (b(rows), u(rows))
  call fill_matrix()
  b = h * h
  u = 0

  call check(amgsolve_options_create(options))
  call check(amgsolve_options_set_real(options, "solver.tolerance" // c_null_char, 1.0e-10_c_double))
  call check(amgsolve_create(amgsolve_double, options, c_null_ptr, solver))
  call check(amgsolve_setup(solver, A, c_null_ptr, 0_c_int))
  call check(amgsolve_solve(solver, int(rows, c_int64_t), c_loc(b), c_loc(u), amgsolve_settings(), result))

  call check(amgsolve_get_hierarchy(solver, hierarchy))
  print '(3a, i0, a, f5.3)', "amgsolve ", amgsolve_version(), ": ", hierarchy%levels, &
    " levels, operator complexity ", hierarchy%operator_complexity

  middle = u(rows / 2 + 1)
  print '(a, f9.6, a, i0, a, es8.1)', "u(1/2, 1/2) = ", middle, " after ", result%iterations, &
    " iterations, relative residual ", result%relative_residual
  call amgsolve_destroy(solver)
  call amgsolve_options_destroy(options)
  ! The solution's value in the middle; the stencil's error there is below h^2.
  if (abs(middle - 0.0736713532_c_double) > h * h) error stop "that is not the solution"

contains

  ! Rows and columns count from 0; the columns of each row ascend.
  subroutine fill_matrix()
    integer(c_int32_t) :: x, y, i, entries
    entries = 0
    row_offsets(1) = 0
    do y = 0, n - 1
      do x = 0, n - 1
        i = y * n + x
        if (y > 0) call add(i - n, -1.0_c_double, entries)
        if (x > 0) call add(i - 1, -1.0_c_double, entries)
        call add(i, 4.0_c_double, entries)
        if (x + 1 < n) call add(i + 1, -1.0_c_double, entries)
        if (y + 1 < n) call add(i + n, -1.0_c_double, entries)
        row_offsets(i + 2) = entries
      end do
    end do
    A%rows = rows
    A%cols = rows
    A%nonzeros = entries
    A%row_offsets = c_loc(row_offsets)
    A%col_indices = c_loc(col_indices)
    A%values = c_loc(values)
  end subroutine fill_matrix

  subroutine add(column, value, entries)
    integer(c_int32_t), intent(in) :: column
    real(c_double), intent(in) :: value
    integer(c_int32_t), intent(inout) :: entries
    entries = entries + 1
    col_indices(entries) = column
    values(entries) = value
  end subroutine add

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= amgsolve_converged) then
      print '(a)', amgsolve_last_error()
      error stop 1
    end if
  end subroutine check
end program embed_fortran
