#pragma once

#include <string>

namespace amgsolve {

/// A shared library that is loaded where something asks for it: what links amgsolve does not need it. Stays loaded.
class LoadedLibrary {
 public:
  /// @param name  as the loader knows it: "libnccl.so.2"
  explicit LoadedLibrary(const std::string& name);

  /// Why it cannot be had, in the loader's words; empty where it is there.
  const std::string& problem() const { return problem_; }

  /// The function of that type and name; null where there is none.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace amgsolve
