#pragma once

/// What esc_global trades one resource of a GPU for another by; all of it fits any GPU.
namespace amgsolve::esc {

/// Products of a thread that expands: their block looks for the rows of all of them at once.
inline constexpr int products_per_thread = 4;

}  // namespace amgsolve::esc
