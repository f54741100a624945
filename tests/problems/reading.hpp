#pragma once

#include <filesystem>
#include <string>

#include "core/errors.hpp"
#include "problems/text_file.hpp"

namespace amgsolve {

inline std::string text_of(const std::filesystem::path& path) {
  Context<Host> ctx;
  const TextFile file(ctx, path);
  return std::string(file.text());
}

inline std::string message_of_reading(const std::filesystem::path& path) {
  try {
    text_of(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace amgsolve
