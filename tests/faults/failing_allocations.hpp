#pragma once

#include <cstdint>

/// A heap that fails when a test says so. Linking failing_allocations.cpp replaces operator new, and by the linker's
/// --wrap what amgsolve and its header-only libraries take by malloc() and its like; the C library and the OpenMP
/// runtime, which end a process that they get no memory for, keep theirs.
namespace amgsolve::faults {

enum class Fails { once, from_then_on };

/// The n-th allocation from now on fails, counted from 1. Also armed by the environment, from the first allocation of
/// the process on: AMGSOLVE_FAIL_ALLOCATION=n, or n+ for those after it, too.
void arm(std::int64_t n, Fails fails);

/// No allocation fails any more. Returns how many there were since arm().
std::int64_t disarm();

/// Blocks that were taken and not given back.
std::int64_t live_blocks();

}  // namespace amgsolve::faults
