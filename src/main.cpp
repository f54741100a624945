#include "src/application/command_line.hpp"
#include "src/application/job.hpp"
#include "src/application/signals.hpp"

int main(int argc, char** argv) {
  using namespace amgsolve;
  return run_command_line(argc, argv,
                          [](const JobConfiguration& configuration, const Schema& schema, Verbosity verbosity) {
                            const SignalHandlers handlers;
                            return run_job(configuration, schema, verbosity, SignalHandlers::asked_to_stop);
                          });
}
