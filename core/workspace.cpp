#include "core/workspace.hpp"

#include <algorithm>

namespace amgsolve {

template <MemorySpace S>
std::byte* Workspace<S>::take(std::size_t bytes) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  while (top_.block < blocks_.size() && blocks_[top_.block].size - top_.used < rounded) {
    top_ = {top_.block + 1, 0};
  }
  if (top_.block == blocks_.size()) {
    add_block(std::max(rounded, smallest_block));
  }
  std::byte* taken = blocks_[top_.block].data + top_.used;
  top_.used += rounded;
  return taken;
}

template <MemorySpace S>
void Workspace<S>::add_block(std::size_t bytes) {
  blocks_.reserve(blocks_.size() + 1);
  blocks_.push_back({static_cast<std::byte*>(memory_->allocate(bytes)), bytes});
  ++changes_;
}

template <MemorySpace S>
void Workspace<S>::merge_blocks() {
  std::size_t total = 0;
  for (const Block& block : blocks_) {
    total += block.size;
  }
  release();
  add_block(total);
}

template <MemorySpace S>
void Workspace<S>::release() {
  for (const Block& block : blocks_) {
    memory_->deallocate(block.data, block.size);
  }
  blocks_.clear();
  top_ = {};
  ++changes_;
}

template <MemorySpace S>
WorkspaceScope<S>::WorkspaceScope(Workspace<S>& workspace) : workspace_(&workspace) {
  if (workspace.open_scopes_ == 0 && workspace.blocks_.size() > 1) {
    workspace.merge_blocks();
  }
  mark_ = workspace.top_;
  ++workspace.open_scopes_;
}

template <MemorySpace S>
WorkspaceScope<S>::~WorkspaceScope() {
  workspace_->top_ = mark_;
  --workspace_->open_scopes_;
}

template class Workspace<Host>;
template class WorkspaceScope<Host>;
#if AMGSOLVE_HAVE_CUDA
template class Workspace<Cuda>;
template class WorkspaceScope<Cuda>;
#endif

}  // namespace amgsolve
