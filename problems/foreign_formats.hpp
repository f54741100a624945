#pragma once

#include <string_view>

namespace amgsolve {

/// What a file is that begins so, and what to do about it, as the end of a sentence: one of a format that others write
/// matrices in and amgsolve does not read, or reads vectors in alone. Empty where it is none that is known.
std::string_view describe_foreign_format(std::string_view text);

}  // namespace amgsolve
