"""Options as Python spells them: keywords and nested dicts on the keys of problem.yaml."""

from . import _amgsolve
from ._errors import ConfigurationError

_SECTIONS = ("solver", "amg", "spgemm", "distributed")
_KEYS = frozenset(_amgsolve.Options.keys())

# What solve() calls the options that it takes.
_OF_SOLVE = {"rtol": "tol", "tolerance": "tol", "max_iterations": "maxiter"}


def keys():
    """All keys there are, such as ``"amg.strength.threshold"``; docs/configuration.md says what each means."""
    return sorted(_KEYS)


def _spelled(value):
    """A value as problem.yaml spells it."""
    if isinstance(value, str):
        return value
    if hasattr(value, "dtype") and (value.ndim > 0 or getattr(value.dtype, "kind", "") == "b"):  # of NumPy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_spelled(item) for item in value) + "]"
    # NumPy's numbers are registered as Python's.
    return repr(float(value)) if hasattr(value, "dtype") and value.dtype.kind == "f" else str(value)


def _is_known(key):
    return key in _KEYS or any(known.startswith(key + ".") for known in _KEYS)


def _key_of(name):
    """``tolerance`` is ``solver.tolerance`` and ``cycle`` is ``amg.cycle``; whole keys and sections are themselves, and
    so is what is none, for the library to tell which one is meant."""
    if not _is_known(name):
        for section in _SECTIONS:
            if _is_known(f"{section}.{name}"):
                return f"{section}.{name}"
    return name


def _flattened(key, value):
    """Pairs of a key and its value, of a dict those of all that is in it; None leaves an option as it is by default."""
    if isinstance(value, dict):
        for inner, inner_value in value.items():
            yield from _flattened(f"{key}.{inner}", inner_value)
    elif value is not None:
        yield key, value


def refuse(keywords):
    """Raise TypeError for a keyword that solve() does not take, naming what it is called there."""
    for name in keywords:
        meant = f"did you mean '{_OF_SOLVE[name]}'?" if name in _OF_SOLVE else "options are given to the constructor"
        raise TypeError(f"solve() takes no '{name}'; {meant}")


def number_of(key, value, kind):
    """A number that counts for one solve in place of the option's, by the same rules; None: the option's."""
    if value is None:
        return None
    text = make_options({key: value}).get(key)
    return None if text == "auto" else kind(float(text))


def make_options(keywords):
    """The library's options from keywords; raises ConfigurationError with the message that the command prints."""
    options = _amgsolve.Options()
    given = set()
    for name, value in keywords.items():
        if not isinstance(name, str):
            raise ConfigurationError(f"a key must be text, not {name!r}")
        for key, inner in _flattened(_key_of(name), value):
            if key in given:
                raise ConfigurationError(f"'{key}' is given twice")
            given.add(key)
            options.set(key, _spelled(inner))
    return options
