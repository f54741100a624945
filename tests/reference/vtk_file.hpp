#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace amgsolve::reference {

/// The numbers of the array of that name in the bytes of a VTK file with appended raw data; empty where there is none.
template <class T>
std::vector<T> vtk_array(const std::string& bytes, const std::string& name) {
  const std::size_t element = bytes.find(" Name=\"" + name + "\"");
  if (element == std::string::npos) {
    return {};
  }
  const std::string begin_of_offset = "offset=\"";
  const std::size_t offset =
      std::stoull(bytes.substr(bytes.find(begin_of_offset, element) + begin_of_offset.size(), 20));
  const std::string begin_of_data = "encoding=\"raw\">\n_";
  const std::size_t at = bytes.find(begin_of_data) + begin_of_data.size() + offset;
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + at, sizeof(size));
  EXPECT_LE(at + sizeof(size) + size, bytes.size());
  std::vector<T> values(size / sizeof(T));
  std::memcpy(values.data(), bytes.data() + at + sizeof(size), size);
  return values;
}

}  // namespace amgsolve::reference
