#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.hpp"

namespace amgsolve {

template <MemorySpace S>
class WorkspaceScope;

/// A stack of scratch memory that operations share: an operation opens a WorkspaceScope, takes what it needs, and gives
/// all of it back when the scope closes. Blocks added on the way become one, as large as all of them, when the next
/// outermost scope opens; so after its first run no operation allocates any more.
template <MemorySpace S>
class Workspace {
 public:
  explicit Workspace(Memory<S>& memory) : memory_(&memory) {}
  ~Workspace() { release(); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Give all blocks back to the context's memory. Only while no scope is open.
  void release();

  /// Where memory is taken next: what is taken from the same place lies where it lay.
  struct Place {
    std::int64_t changes;  ///< of the blocks
    std::size_t block;
    std::size_t used;  ///< bytes of that block

    bool operator==(const Place&) const = default;
  };
  Place place() const { return {changes_, top_.block, top_.used}; }

 private:
  friend class WorkspaceScope<S>;

  struct Block {
    std::byte* data;
    std::size_t size;
  };
  /// The top of the stack: the block in use and the bytes taken from it.
  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;
  };

  static constexpr std::size_t alignment = 256;
  static constexpr std::size_t smallest_block = std::size_t{1} << 20;

  std::byte* take(std::size_t bytes);
  void add_block(std::size_t bytes);
  void merge_blocks();

  Memory<S>* memory_;
  std::vector<Block> blocks_;
  Mark top_;
  int open_scopes_ = 0;
  std::int64_t changes_ = 0;
};

/// Scratch memory taken from a workspace until the end of the scope. Scopes nest like function calls.
template <MemorySpace S>
class WorkspaceScope {
 public:
  explicit WorkspaceScope(Workspace<S>& workspace);
  ~WorkspaceScope();
  WorkspaceScope(const WorkspaceScope&) = delete;
  WorkspaceScope& operator=(const WorkspaceScope&) = delete;

  /// `size` uninitialised elements, aligned to 256 bytes. Throws OutOfMemoryError.
  template <class T>
  Span<T, S> take(std::size_t size) {
    return {reinterpret_cast<T*>(workspace_->take(checked_multiply(size, sizeof(T), "workspace size in bytes"))), size};
  }

 private:
  Workspace<S>* workspace_;
  typename Workspace<S>::Mark mark_;
};

}  // namespace amgsolve
