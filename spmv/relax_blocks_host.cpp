#include <algorithm>

#include "core/parallel_host.hpp"
#include "spmv/relax_blocks.hpp"

namespace amgsolve::detail {

template <class Ref, class T>
void relax_blocks(Context<Host>& ctx, const Ref& A, std::int64_t row_work, const BlockRelaxation<T>& relaxation) {
  const Index columns = relaxation.columns;
  const Index block_rows = relaxation.block_rows;
  const std::int64_t blocks = (std::int64_t{A.rows} + block_rows - 1) / block_rows;
  parallel_for(
      ctx, blocks,
      [&](std::int64_t number) {
        const RowBlock block = RowBlock::at(number, block_rows, A.rows);
        std::copy(relaxation.x + Offset{block.first} * columns, relaxation.x + Offset{block.end} * columns,
                  relaxation.x_out + Offset{block.first} * columns);
        for (Index step = 0; step < block.end - block.first; ++step) {
          const Index row = block.row(step, relaxation.backwards);
          const auto entries = A.row(row);
          for (Index j = 0; j < columns; ++j) {
            T sum = 0;
            for (Index e = 0; e < entries.count; ++e) {
              const Index l = entries.column(e);
              if (!Ref::has_padding || l != padding) {
                const T* const y = block.has(l) ? relaxation.x_out : relaxation.x;
                sum += A.values[entries.place(e)] * y[Offset{l} * columns + j];
              }
            }
            relaxation(row, j, sum);
          }
        }
      },
      row_work * columns * block_rows);
}

#define AMGSOLVE_INSTANTIATE(T, Ref) \
  template void relax_blocks(Context<Host>&, const Ref&, std::int64_t, const BlockRelaxation<T>&);
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail
