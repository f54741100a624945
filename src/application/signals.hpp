#pragma once

namespace amgsolve {

/// While it lives, the first SIGINT or SIGTERM asks for the end and the next one ends the process at once; a closed
/// standard output is an error of writing and no signal. Signals that whoever started the process has ignored stay so.
/// One at a time.
class SignalHandlers {
 public:
  SignalHandlers();
  ~SignalHandlers();
  SignalHandlers(const SignalHandlers&) = delete;
  SignalHandlers& operator=(const SignalHandlers&) = delete;

  static bool asked_to_stop();
};

}  // namespace amgsolve
