#pragma once

namespace amgsolve {

/// Prints the exception that is being handled to the standard error as one message. Returns the number of its Status.
int exit_code_of_exception();

/// Runs the body and returns its exit code, or that of what it throws.
template <class Body>
int guard(Body&& body) {
  try {
    return body();
  } catch (...) {
    return exit_code_of_exception();
  }
}

/// From now on memory that runs out where no exception can get to guard(), while a static object is made or in a
/// destructor, ends the process with the number of Status::out_of_memory, too, and not by a signal.
void exit_when_out_of_memory();

/// Between these, exit() ends the process with the number of Status::out_of_memory, whatever number it is given:
/// nothing here calls it. The runtime of OpenMP does, with that of Status::not_converged, where it can have no thread
/// or memory.
void watch_exit();
void allow_exit();

/// Has `prepare` called before either of these ends says what it is; null: nothing.
void prepare_end(void (*prepare)());

}  // namespace amgsolve
