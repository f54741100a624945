#include <amgsolve/amgsolve.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "src/application/command_line.hpp"
#include "src/application/exit_code.hpp"
#include "src/application/job.hpp"
#include "src/application/ranks.hpp"
#include "src/application/signals.hpp"
#include "src/application/waiting_threads.hpp"
#include "src/library/device_ranks.hpp"

namespace {

/// Called before the static objects of any library are made, which take memory.
[[gnu::used, gnu::section(".preinit_array")]] void (*const before_all)() = amgsolve::exit_when_out_of_memory;

/// Those that whoever started the process has closed: else the next file has their number, and gets what is printed.
/// What is written there fails as before.
void open_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) < 0) {
      ::open("/dev/null", O_RDONLY);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace amgsolve;
  open_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file past `ulimit -f` is an error of writing
  limit_spinning(argv);
  Ranks ranks(argc, argv);
  if (ranks.are_too_many()) {
    return static_cast<int>(Status::bad_configuration);
  }
  watch_exit();
  const int exit_code = run_command_line(
      argc, argv,
      [&](const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity, Task task) {
        const Communicator& hosts = ranks.communicator();
        const auto meet = [&ranks](int code) { ranks.meet(code); };
        if (task == Task::forecast) {
          return dry_run_job(hosts.size() > 1 ? on_ranks(configuration, hosts) : configuration, schema, verbosity,
                             hosts, meet);
        }
        const SignalHandlers handlers;
        const auto stop = [&ranks] { return ranks.hears_of_end(SignalHandlers::asked_to_stop()); };
        if (task == Task::solve && hosts.size() > 1) {
          const JobConfiguration shared = on_ranks(configuration, hosts);
          expect_messages_in_turn();
          const std::unique_ptr<Communicator> devices =
              shared.backend == Backend::cuda ? connect_devices(hosts, shared.device, shared.device_messages) : nullptr;
          return run_job(shared, schema, verbosity, stop, devices ? *devices : hosts, meet);
        }
        return task == Task::analyse ? analyse_job(configuration, schema, verbosity, stop)
                                     : run_job(configuration, schema, verbosity, stop);
      },
      ranks.communicator().rank() == 0);
  allow_exit();
  return ranks.finish(exit_code);
}
