#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace amgsolve {

/// Writes what is in a file of any format that is read (docs/formats.md), plain or compressed, as the name of the other
/// ends: a matrix as .amg or .mtx, vectors as .amg, .mtx or .npy, with all bits of their values. The new file appears
/// when it is complete, and may have the name of the old one. Returns sentences about what is not wrong but should be
/// known. Throws ConfigurationError for another ending, before anything is read; InputError, OutputError,
/// OutOfMemoryError, InterruptedError where stop() says so.
std::vector<std::string> convert_file(const std::filesystem::path& from, const std::filesystem::path& to,
                                      const std::function<bool()>& stop = {});

}  // namespace amgsolve
