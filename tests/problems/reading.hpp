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

/// What read() throws.
template <class Read>
std::string message_of(const Read& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline std::string message_of_reading(const std::filesystem::path& path) {
  return message_of([&] { text_of(path); });
}

/// What read() throws, without the folder of the file.
template <class Read>
std::string error_of(const Read& read) {
  const std::string message = message_of(read);
  return message.substr(message.rfind('/') + 1);
}

}  // namespace amgsolve
