#pragma once

#include <filesystem>
#include <string_view>

#include "src/application/job_configuration.hpp"
#include "src/application/progress_line.hpp"

namespace amgsolve {

/// Write to the standard output, at once. Returns whether anybody can read it: not where its other end is closed, or
/// where a signal came while it was full. Throws OutputError.
bool write_standard_output(std::string_view text);

/// Whether what is written to the file comes out of the standard output: of "-", and of any name of the pipe, device or
/// open file that it is.
bool is_standard_output(const std::filesystem::path& file);
/// The same of one of the files.
bool is_standard_output(const OutputConfiguration& output);

/// Writes a file when its contents are complete, or those to the standard output. Throws OutputError, also where nobody
/// reads that; InterruptedError.
void write_file_or_standard_output(const std::filesystem::path& file, std::string_view text);

/// Where a job's words go: results to the standard output, warnings and the progress line to the standard error.
class Console {
 public:
  /// Quiet: nothing but complaints. Where the standard error is no terminal, only a verbose console tells of progress,
  /// in lines that stay.
  /// @param prints  the standard output is not taken by something else
  explicit Console(Verbosity verbosity, bool prints = true);

  /// Write to the standard output, as long as it has a reader. Throws OutputError.
  void print(std::string_view text);
  /// Neither quiet nor with another use of the standard output.
  bool prints() const { return prints_; }
  bool has_reader() const { return has_reader_; }
  /// "amgsolve: warning: text"
  void warn(std::string_view text);
  /// "amgsolve: text", quiet or not.
  void complain(std::string_view text);

  ProgressListener progress_listener();
  void clear_progress() { progress_.clear(); }

 private:
  Verbosity verbosity_;
  bool prints_;
  bool has_terminal_;
  bool has_reader_ = true;
  ProgressLine progress_;
};

}  // namespace amgsolve
