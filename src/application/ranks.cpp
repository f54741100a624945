#include "src/application/ranks.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "core/errors.hpp"
#include "core/output_file.hpp"
#include "src/application/exit_code.hpp"
#include "src/application/job_schema.hpp"
#include "src/library/device_ranks.hpp"
#include "src/library/same_options.hpp"

#if AMGSOLVE_HAVE_MPI
#include "src/application/program_mpi.hpp"
#endif

namespace amgsolve {
namespace {

/// What Open MPI, and MPICH and its kin, tell the processes that they start, and Slurm where it starts them for one of
/// them: tasks that have MPI have a rank of PMI, too.
int started_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"}) {
    if (const char* size = std::getenv(name)) {
      return std::atoi(size);
    }
  }
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks != nullptr && std::getenv("PMIX_RANK") != nullptr ? std::atoi(tasks) : 1;
}

#if AMGSOLVE_HAVE_MPI
/// Errors begin here: all from 2 on.
constexpr int first_error = 2;

/// Ranks that fail together are this close.
constexpr double seconds_to_wait = 3.0;
constexpr double seconds_to_meet = 0.5;

/// The standard output and error of a rank that does not print; the only one of its process.
class HeldBack {
 public:
  HeldBack() : text_(memfd_create("standard error", MFD_CLOEXEC)), standard_error_(dup(STDERR_FILENO)) {
    if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      dup2(text_ >= 0 ? text_ : nowhere, STDERR_FILENO);
      close(nowhere);
    }
    only_ = this;
    prepare_end([] { only_->let_go(); });
  }
  HeldBack(const HeldBack&) = delete;
  HeldBack& operator=(const HeldBack&) = delete;
  ~HeldBack() {
    prepare_end(nullptr);
    close(text_);
  }

  void print() {
    std::fflush(stderr);
    std::array<char, 4096> text;
    for (off_t at = 0;;) {
      const ssize_t count = pread(text_, text.data(), text.size(), at);
      if (count <= 0 || !write_all(standard_error_, {text.data(), static_cast<std::size_t>(count)}, OnSignal::go_on)) {
        return;
      }
      at += count;
    }
  }

  /// Prints it, and whatever follows. Nothing that might take memory.
  void let_go() {
    print();
    dup2(standard_error_, STDERR_FILENO);
  }

 private:
  static inline HeldBack* only_ = nullptr;

  int text_;  ///< in memory: a directory for temporary files may be full or none
  int standard_error_;
};
#endif

/// Refuses problem files and command lines that differ between ranks. Collective.
void require_alike(const JobConfiguration& configuration, const Communicator& ranks) {
  JobConfiguration compared;
  const Schema schema = job_schema(compared);
  compared = configuration;
  forget_place(compared);
  compared.output.report.clear();  // which the first rank alone writes
  compared.output.html.clear();
  require_same_options(schema, ranks);
}

}  // namespace

#if AMGSOLVE_HAVE_MPI
struct Ranks::State {
  State(int& argc, char**& argv) {
    if (started_ranks() > 1) {
      program.emplace(argc, argv);
      if (program->world().rank() > 0) {
        held_back.emplace();
      }
    }
  }

  /// What this rank had to say that has not been seen.
  void print() {
    if (held_back) {
      held_back->print();
    }
  }

  std::optional<MpiProgram> program;
  std::optional<HeldBack> held_back;
};

const Communicator& Ranks::communicator() const {
  return state_->program ? state_->program->world() : Communicator::serial();
}

bool Ranks::are_too_many() const { return false; }

bool Ranks::hears_of_end(bool is_asked) { return state_->program ? state_->program->hears_of_end(is_asked) : is_asked; }

bool Ranks::meet(int exit_code) {
  // The first rank, which writes the report and ends the others, is not kept from it by an interruption.
  const bool is_over = exit_code == static_cast<int>(Status::interrupted) && communicator().rank() == 0;
  const double seconds = is_over ? seconds_to_meet : exit_code >= first_error ? seconds_to_wait : 0.0;
  return !state_->program || state_->program->meet(seconds);
}

int Ranks::finish(int exit_code) {
  if (!state_->program) {
    return exit_code;
  }
  if (!meet(exit_code)) {
    state_->print();
    MpiProgram::abort(exit_code);
  }
  const std::vector<int> codes = communicator().all_gather(exit_code);
  const auto failed = std::ranges::find_if(codes, [](int code) { return code != 0; });
  if (failed - codes.begin() == communicator().rank()) {
    state_->print();
  }
  return failed == codes.end() ? 0 : *failed;
}
#else
struct Ranks::State {
  State(int&, char**&) {}
};

const Communicator& Ranks::communicator() const { return Communicator::serial(); }

bool Ranks::are_too_many() const {
  if (started_ranks() > 1) {
    std::fprintf(stderr,
                 "amgsolve: started as %d ranks, but built without MPI: each would solve the whole problem; install "
                 "libopenmpi-dev and build again (AMGSOLVE_MPI=ON)\n",
                 started_ranks());
    return true;
  }
  return false;
}

bool Ranks::hears_of_end(bool is_asked) { return is_asked; }

bool Ranks::meet(int) { return true; }

int Ranks::finish(int exit_code) { return exit_code; }
#endif

JobConfiguration on_ranks(JobConfiguration configuration, const Communicator& ranks) {
  require_alike(configuration, ranks);
  if (!configuration.output.hierarchy.empty()) {
    throw ConfigurationError("'output.hierarchy' is given; several ranks do not write it so far");
  }
  place_rank(configuration, ranks);
  return configuration;
}

Ranks::Ranks(int& argc, char**& argv) : state_(std::make_unique<State>(argc, argv)) {}
Ranks::~Ranks() = default;

}  // namespace amgsolve
