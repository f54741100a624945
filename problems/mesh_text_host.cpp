#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "problems/line_blocks.hpp"
#include "problems/line_error.hpp"
#include "problems/mesh_text.hpp"
#include "problems/parse_number.hpp"

namespace amgsolve {
namespace {

constexpr char comment = '#';

/// Takes the next line off the text: its numbers, without the blanks before them and the comment behind them. Empty
/// where it is no record.
std::string_view take_numbers(std::string_view& text) {
  const std::string_view line = skip_blanks(take_line(text));
  return line.substr(0, line.find(comment));
}

struct Header {
  Index points = 0;
  Index dimensions = 0;
  Index elements = 0;
  Offset line = 0;        ///< its number
  std::string_view body;  ///< behind it
};

/// Takes a number from `least` to `most` off the line.
Index take_size(std::string_view& line, Index least, Index most, std::string_view expected, const std::string& name,
                Offset number) {
  Index size = 0;
  const std::string_view start = line;
  if (take_number(line, size) != NumberStatus::valid || size < least || size > most) {
    throw_unexpected(name, number, expected, first_token(skip_blanks(start)));
  }
  return size;
}

Header take_header(std::string_view text, const std::string& name) {
  Header header;
  std::string_view line;
  do {
    if (text.empty()) {
      throw_at_line(name, std::max(header.line, Offset{1}),
                    "expected 'points dimensions elements nodes_per_element', found the end of the file");
    }
    line = take_numbers(text);
    ++header.line;
  } while (line.empty());
  const auto take = [&](Index least, Index most, std::string_view expected) {
    return take_size(line, least, most, expected, name, header.line);
  };
  header.points = take(1, max_index, "a number of points");
  header.dimensions = take(2, 3, "2 or 3 dimensions");
  header.elements = take(1, max_index, "a number of elements");
  take(header.dimensions + 1, header.dimensions + 1,
       header.dimensions == 2 ? "3 nodes per element: in 2 dimensions they are triangles"
                              : "4 nodes per element: in 3 dimensions they are tetrahedra");
  if (line = skip_blanks(line); !line.empty()) {
    throw_unexpected(name, header.line, "the end of the line", first_token(line));
  }
  header.body = text;
  return header;
}

enum class Wanted { nothing, coordinate, node, end_of_line };

struct Fault {
  Wanted wanted = Wanted::nothing;
  Offset line = 0;
  std::string_view token;
};

/// Takes a record, which is a point or an element, to its place.
Wanted take_record(std::string_view& line, Offset record, const Header& header, Mesh& mesh) {
  const auto dimensions = static_cast<std::size_t>(header.dimensions);
  if (record < header.points) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (take_number(line, mesh.points.data()[static_cast<std::size_t>(record) * dimensions + d]) !=
          NumberStatus::valid) {
        return Wanted::coordinate;
      }
    }
  } else {
    const std::size_t first = static_cast<std::size_t>(record - header.points) * (dimensions + 1);
    for (std::size_t k = 0; k <= dimensions; ++k) {
      Index& node = mesh.corners[first + k];
      const std::string_view start = line;
      if (take_number(line, node) != NumberStatus::valid || node < 0 || node >= header.points) {
        line = skip_blanks(start);
        return Wanted::node;
      }
    }
  }
  line = skip_blanks(line);
  return line.empty() ? Wanted::nothing : Wanted::end_of_line;
}

Fault take_block(const LineBlock& block, const Header& header, Mesh& mesh) {
  Offset number = block.first_line;
  Offset record = block.first_record;
  for (std::string_view rest = block.text; !rest.empty(); ++number) {
    std::string_view line = take_numbers(rest);
    if (!line.empty()) {
      if (const Wanted wanted = take_record(line, record++, header, mesh); wanted != Wanted::nothing) {
        return {wanted, number, first_token(line)};
      }
    }
  }
  return {};
}

[[noreturn]] void throw_fault(const Fault& fault, const Header& header, const std::string& name) {
  throw_unexpected(name, fault.line,
                   fault.wanted == Wanted::coordinate ? "a coordinate, a finite number"
                   : fault.wanted == Wanted::node     ? format_text("a node from 0 to {}", header.points - 1)
                                                      : "the end of the line",
                   fault.token);
}

}  // namespace

Mesh parse_mesh_text(Context<Host>& ctx, std::string_view text, const std::string& name, ElementsOfNodes& around) {
  const ScopedTimer timer(ctx, "parse");
  const Header header = take_header(text, name);
  const LineBlocks lines = split_lines(ctx, header.body, header.line + 1, comment);
  const Offset records = Offset{header.points} + header.elements;
  if (lines.records < records) {
    throw_at_line(
        name, lines.last_line,
        format_text("the file ends; {} of points and {} of elements should follow the header, and there are {}",
                    format_count(header.points, "line"), header.elements, lines.records));
  }
  if (lines.records > records) {
    throw_at_line(name, line_of_record(lines, records), "expected the end of the file behind the last element");
  }
  Mesh mesh{.name = name,
            .points = MultiVector<double, Host>(ctx, header.points, header.dimensions),
            .corners = Buffer<Index, Host>(
                ctx, static_cast<std::size_t>(header.elements) * static_cast<std::size_t>(header.dimensions + 1)),
            .groups = {}};
  std::vector<Fault> faults(lines.blocks.size());
  parallel_blocks(ctx, static_cast<std::int64_t>(faults.size()), [&](std::int64_t b) {
    const auto block = static_cast<std::size_t>(b);
    faults[block] = take_block(lines.blocks[block], header, mesh);
  });
  for (const Fault& fault : faults) {
    if (fault.wanted != Wanted::nothing) {
      throw_fault(fault, header, name);
    }
  }
  around = elements_of_nodes(ctx, mesh);
  const auto at_record = [&](const char* what, Offset record) {
    return format_text("{}:{}: the {}", name, line_of_record(lines, record), what);
  };
  check_mesh(
      ctx, mesh, around, [&](Index node) { return at_record("node", node); },
      [&](Index element) { return at_record("element", Offset{header.points} + element); });
  return mesh;
}

}  // namespace amgsolve
