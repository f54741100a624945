! The library for Fortran 2008: interfaces of <amgsolve/amgsolve.h>, which says what each function does. Compile this
! source, which is amgsolve_FORTRAN_MODULE where CMake found the library, with your program. What is an amgsolve_solver*
! or an amgsolve_options* in C is a type(c_ptr) here, c_null_ptr where it could not be made, texts are ended by
! c_null_char, and indices of a matrix count from 0.
module amgsolve
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: amgsolve_converged = 0
  integer(c_int), parameter :: amgsolve_not_converged = 1
  integer(c_int), parameter :: amgsolve_bad_configuration = 2
  integer(c_int), parameter :: amgsolve_bad_input = 3
  integer(c_int), parameter :: amgsolve_out_of_memory = 4
  integer(c_int), parameter :: amgsolve_breakdown = 5
  integer(c_int), parameter :: amgsolve_device_failed = 6
  integer(c_int), parameter :: amgsolve_interrupted = 7
  integer(c_int), parameter :: amgsolve_internal_error = 70

  integer(c_int), parameter :: amgsolve_double = 0
  integer(c_int), parameter :: amgsolve_float = 1
  integer(c_int), parameter :: amgsolve_host = 0
  integer(c_int), parameter :: amgsolve_device = 1
  integer(c_int), parameter :: amgsolve_borrow = 0
  integer(c_int), parameter :: amgsolve_copy = 1
  integer(c_int), parameter :: amgsolve_a = 0
  integer(c_int), parameter :: amgsolve_p = 1
  integer(c_int), parameter :: amgsolve_r = 2

  type, bind(c) :: amgsolve_matrix
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: cols = 0
    integer(c_int64_t) :: nonzeros = 0
    integer(c_int) :: offset_bits = 32
    type(c_ptr) :: row_offsets = c_null_ptr
    type(c_ptr) :: col_indices = c_null_ptr
    type(c_ptr) :: values = c_null_ptr
    integer(c_int) :: memory = amgsolve_host
    integer(c_int) :: ownership = amgsolve_borrow
  end type amgsolve_matrix

  type, bind(c) :: amgsolve_settings
    integer(c_int) :: columns = 1
    integer(c_int) :: memory = amgsolve_host
    real(c_double) :: tolerance = -1.0_c_double
    integer(c_int) :: max_iterations = -1
    type(c_funptr) :: product = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type amgsolve_settings

  type, bind(c) :: amgsolve_result
    integer(c_int) :: status = amgsolve_not_converged
    integer(c_int) :: iterations = 0
    real(c_double) :: relative_residual = 0
    real(c_double) :: backward_error = 0
    real(c_double) :: outside_range = 0
    real(c_double) :: convergence_factor = 0 ! NaN where no iteration was made
    real(c_double) :: jacobi_change = 0
  end type amgsolve_result

  type, bind(c) :: amgsolve_hierarchy
    integer(c_int) :: levels = 0
    real(c_double) :: operator_complexity = 0
    real(c_double) :: grid_complexity = 0
  end type amgsolve_hierarchy

  type, bind(c) :: amgsolve_level
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: nonzeros = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: aggregates = 0
    real(c_double) :: mean_aggregate_size = 0
    real(c_double) :: strength_threshold = 0
    real(c_double) :: spectral_radius = 0
  end type amgsolve_level

  interface
    function amgsolve_options_create(options) bind(c) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: options
      integer(c_int) :: status
    end function amgsolve_options_create

    subroutine amgsolve_options_destroy(options) bind(c)
      import :: c_ptr
      type(c_ptr), value :: options
    end subroutine amgsolve_options_destroy

    function amgsolve_options_set(options, key, text) bind(c) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: key(*), text(*)
      integer(c_int) :: status
    end function amgsolve_options_set

    function amgsolve_options_set_integer(options, key, number) bind(c) result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: number
      integer(c_int) :: status
    end function amgsolve_options_set_integer

    function amgsolve_options_set_real(options, key, number) bind(c) result(status)
      import :: c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: key(*)
      real(c_double), value :: number
      integer(c_int) :: status
    end function amgsolve_options_set_real

    ! Texts, here and below: the first call, with capacity 0, tells the length.
    function amgsolve_options_get(options, key, text, capacity, length) bind(c) result(status)
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: key(*)
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function amgsolve_options_get

    function amgsolve_create(precision, options, stream, solver) bind(c) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: precision
      type(c_ptr), value :: options, stream
      type(c_ptr), intent(out) :: solver
      integer(c_int) :: status
    end function amgsolve_create

    subroutine amgsolve_destroy(solver) bind(c)
      import :: c_ptr
      type(c_ptr), value :: solver
    end subroutine amgsolve_destroy

    function amgsolve_setup(solver, A, near_nullspace, vectors) bind(c) result(status)
      import :: amgsolve_matrix, c_int, c_ptr
      type(c_ptr), value :: solver, near_nullspace
      type(amgsolve_matrix), intent(in) :: A
      integer(c_int), value :: vectors
      integer(c_int) :: status
    end function amgsolve_setup

    function amgsolve_setup_body(solver, A, coordinates, nodes, dimensions) bind(c) result(status)
      import :: amgsolve_matrix, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solver, coordinates
      type(amgsolve_matrix), intent(in) :: A
      integer(c_int64_t), value :: nodes
      integer(c_int), value :: dimensions
      integer(c_int) :: status
    end function amgsolve_setup_body

    function amgsolve_update_values(solver, A) bind(c) result(status)
      import :: amgsolve_matrix, c_int, c_ptr
      type(c_ptr), value :: solver
      type(amgsolve_matrix), intent(in) :: A
      integer(c_int) :: status
    end function amgsolve_update_values

    function amgsolve_solve(solver, rows, b, x, settings, result) bind(c) result(status)
      import :: amgsolve_result, amgsolve_settings, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solver, b, x
      integer(c_int64_t), value :: rows
      type(amgsolve_settings), intent(in) :: settings
      type(amgsolve_result), intent(out) :: result
      integer(c_int) :: status
    end function amgsolve_solve

    function amgsolve_precondition(solver, rows, r, z, columns, memory) bind(c) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solver, r, z
      integer(c_int64_t), value :: rows
      integer(c_int), value :: columns, memory
      integer(c_int) :: status
    end function amgsolve_precondition

    function amgsolve_share(solver, threads, stream, sharing) bind(c) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: solver, stream
      integer(c_int), value :: threads
      type(c_ptr), intent(out) :: sharing
      integer(c_int) :: status
    end function amgsolve_share

    ! stop(user) and go_on(iterations, relative_residual, user) are functions with bind(c).
    function amgsolve_stop_when(solver, stop, user) bind(c) result(status)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: solver, user
      type(c_funptr), value :: stop
      integer(c_int) :: status
    end function amgsolve_stop_when

    function amgsolve_on_iteration(solver, go_on, user) bind(c) result(status)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: solver, user
      type(c_funptr), value :: go_on
      integer(c_int) :: status
    end function amgsolve_on_iteration

    function amgsolve_message(solver, text, capacity, length) bind(c) result(status)
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: solver
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function amgsolve_message

    function amgsolve_residual_history(solver, values, capacity, length) bind(c) result(status)
      import :: c_double, c_int, c_ptr, c_size_t
      type(c_ptr), value :: solver
      real(c_double), intent(out) :: values(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function amgsolve_residual_history

    function amgsolve_report(solver, text, capacity, length) bind(c) result(status)
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: solver
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function amgsolve_report

    function amgsolve_report_json(solver, text, capacity, length) bind(c) result(status)
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: solver
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function amgsolve_report_json

    function amgsolve_get_hierarchy(solver, hierarchy) bind(c) result(status)
      import :: amgsolve_hierarchy, c_int, c_ptr
      type(c_ptr), value :: solver
      type(amgsolve_hierarchy), intent(out) :: hierarchy
      integer(c_int) :: status
    end function amgsolve_get_hierarchy

    ! Levels count from 0, the finest.
    function amgsolve_get_level(solver, level, statistics) bind(c) result(status)
      import :: amgsolve_level, c_int, c_ptr
      type(c_ptr), value :: solver
      integer(c_int), value :: level
      type(amgsolve_level), intent(out) :: statistics
      integer(c_int) :: status
    end function amgsolve_get_level

    function amgsolve_get_level_matrix(solver, level, part, matrix) bind(c) result(status)
      import :: amgsolve_matrix, c_int, c_ptr
      type(c_ptr), value :: solver
      integer(c_int), value :: level, part
      type(amgsolve_matrix), intent(out) :: matrix
      integer(c_int) :: status
    end function amgsolve_get_level_matrix

    function amgsolve_version_text() bind(c, name="amgsolve_version") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function amgsolve_version_text

    function amgsolve_status_name_text(status) bind(c, name="amgsolve_status_name") result(text)
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function amgsolve_status_name_text

    function amgsolve_last_error_text() bind(c, name="amgsolve_last_error") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function amgsolve_last_error_text
  end interface

  private :: string_at

contains

  !> amgsolve_version() as a string.
  function amgsolve_version() result(version)
    character(len=:), allocatable :: version
    version = string_at(amgsolve_version_text())
  end function amgsolve_version

  !> amgsolve_status_name() as a string.
  function amgsolve_status_name(status) result(name)
    integer(c_int), intent(in) :: status
    character(len=:), allocatable :: name
    name = string_at(amgsolve_status_name_text(status))
  end function amgsolve_status_name

  !> amgsolve_last_error() as a string.
  function amgsolve_last_error() result(message)
    character(len=:), allocatable :: message
    message = string_at(amgsolve_last_error_text())
  end function amgsolve_last_error

  !> A text that a zero byte ends, of at most 1023 bytes.
  function string_at(text) result(string)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: string
    character(kind=c_char), pointer :: bytes(:)
    integer :: i, length
    call c_f_pointer(text, bytes, [1024])
    length = findloc(bytes, c_null_char, dim=1) - 1
    allocate (character(len=length) :: string)
    do i = 1, length
      string(i:i) = bytes(i)
    end do
  end function string_at
end module amgsolve
