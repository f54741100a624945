#pragma once

#if AMGSOLVE_HAVE_GMSH
#include <gmshc.h>

#include <cstddef>
#include <string>
#include <type_traits>

#include "core/errors.hpp"
#include "core/loaded_library.hpp"

/// Gmsh's functions for C, found in its library where it is loaded.
namespace amgsolve {

/// Gmsh at work, from its beginning to its end.
class GmshSession {
 public:
  /// Throws InputError "what: ..." where the library cannot be loaded.
  explicit GmshSession(std::string what);
  ~GmshSession();
  GmshSession(const GmshSession&) = delete;
  GmshSession& operator=(const GmshSession&) = delete;

  /// Calls the function of that type and name with the arguments and one for its error, which is thrown as an
  /// InputError.
  template <class Function, class... Arguments>
  auto call(const char* name, Arguments... arguments) const {
    int error = 0;
    auto* const function = find<Function>(name);
    if constexpr (std::is_void_v<decltype(function(arguments..., &error))>) {
      function(arguments..., &error);
      require(error);
    } else {
      const auto result = function(arguments..., &error);
      require(error);
      return result;
    }
  }

  /// Of what Gmsh has allocated.
  void free(void* memory) const { find<decltype(gmshFree)>("gmshFree")(memory); }

 private:
  template <class Function>
  Function* find(const char* name) const {
    auto* const function = library_.find<Function>(name);
    if (function == nullptr) {
      throw_missing(name);
    }
    return function;
  }
  [[noreturn]] void throw_missing(const char* name) const;
  void require(int error) const;

  std::string what_;
  LoadedLibrary library_;
};

#define AMGSOLVE_GMSH(session, function, ...) (session).call<decltype(function)>(#function __VA_OPT__(, ) __VA_ARGS__)

/// Memory that Gmsh allocates and this frees.
template <class T>
class GmshArray {
 public:
  explicit GmshArray(const GmshSession& session) : session_(session) {}
  ~GmshArray() {
    if (data != nullptr) {
      session_.free(data);
    }
  }
  GmshArray(const GmshArray&) = delete;
  GmshArray& operator=(const GmshArray&) = delete;

  const T* begin() const { return data; }
  const T* end() const { return data + size; }

  T* data = nullptr;
  std::size_t size = 0;

 private:
  const GmshSession& session_;
};

}  // namespace amgsolve
#endif
