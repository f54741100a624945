#include "src/application/command_line.hpp"
#include "src/application/job.hpp"

int main(int argc, char** argv) { return amgsolve::run_command_line(argc, argv, amgsolve::run_job); }
