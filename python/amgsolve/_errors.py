"""An exception for each way in which a call can fail."""


class Error(Exception):
    """What every failure of this package is; ``status`` names its kind as reports do."""

    status = "internal_error"


class ConfigurationError(Error, ValueError):
    """An option that does not exist, a value that it does not take, or options that contradict each other."""

    status = "bad_configuration"


class InputError(Error, ValueError):
    """A matrix or a vector that is not valid, does not fit, or is not where it is said to be."""

    status = "bad_input"


class OutOfMemoryError(Error, MemoryError):
    """No more memory, of the host or of the GPU, or of ``memory_limit``."""

    status = "out_of_memory"


class BreakdownError(Error, ArithmeticError):
    """NaN, divergence, or a matrix that is not positive definite."""

    status = "breakdown"


class DeviceError(Error, RuntimeError):
    """A GPU that is not there or has failed."""

    status = "device_failed"


class NotConvergedError(Error, ArithmeticError):
    """A solve that did not reach its tolerance; raised by ``Info.check()`` alone."""

    status = "not_converged"


class StoppedError(Error):
    """A callback asked for the end."""

    status = "interrupted"


class InternalError(Error, RuntimeError):
    """A mistake in amgsolve itself; please report it."""

    status = "internal_error"


BY_STATUS = {
    kind.status: kind
    for kind in (
        ConfigurationError,
        InputError,
        OutOfMemoryError,
        BreakdownError,
        DeviceError,
        NotConvergedError,
        StoppedError,
        InternalError,
    )
}
