"""Arrays on a GPU as CuPy has them, by the CUDA runtime alone: no such library comes with Debian."""

import ctypes
import weakref

import numpy as np

_HOST_TO_DEVICE, _DEVICE_TO_HOST = 1, 2


def _runtime():
    for name in ("libcudart.so", "libcudart.so.13", "libcudart.so.12"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


_cudart = _runtime()


def _check(status):
    if status != 0:
        raise RuntimeError(f"CUDA error {status}")


def count():
    """How many GPUs there are."""
    found = ctypes.c_int(0)
    return found.value if _cudart and _cudart.cudaGetDeviceCount(ctypes.byref(found)) == 0 else 0


class Array:
    def __init__(self, values):
        values = np.ascontiguousarray(values)
        self.shape, self.dtype = values.shape, values.dtype
        self._address = ctypes.c_void_p()
        _check(_cudart.cudaMalloc(ctypes.byref(self._address), ctypes.c_size_t(max(values.nbytes, 1))))
        self._free = weakref.finalize(self, _cudart.cudaFree, self._address)
        self.set(values)

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._address.value, False), "version": 3}

    def __setitem__(self, everything, other):
        assert everything is Ellipsis
        self.set(other.get())

    def set(self, values):
        self._copy(self._address, ctypes.c_void_p(values.ctypes.data), values.nbytes, _HOST_TO_DEVICE)

    def get(self):
        values = np.empty(self.shape, self.dtype)
        self._copy(ctypes.c_void_p(values.ctypes.data), self._address, values.nbytes, _DEVICE_TO_HOST)
        return values

    @staticmethod
    def _copy(to, source, size, kind):
        _check(_cudart.cudaMemcpy(to, source, ctypes.c_size_t(size), kind))


def copy_of(view):
    """The values of what a library shows of its memory, when they are there."""
    interface = view.__cuda_array_interface__
    values = np.empty(interface["shape"], np.dtype(interface["typestr"]))
    source = ctypes.c_void_p(interface["data"][0])
    _check(_cudart.cudaDeviceSynchronize())
    Array._copy(ctypes.c_void_p(values.ctypes.data), source, values.nbytes, _DEVICE_TO_HOST)
    return values


def fill(view, values):
    """Gives what a library shows of its memory these values."""
    values = np.ascontiguousarray(values)
    to = ctypes.c_void_p(view.__cuda_array_interface__["data"][0])
    Array._copy(to, ctypes.c_void_p(values.ctypes.data), values.nbytes, _HOST_TO_DEVICE)


def zeros_like(array):
    return Array(np.zeros(array.shape, array.dtype))


class linalg:
    @staticmethod
    def norm(array):
        return np.linalg.norm(array.get())


class cuda:
    @staticmethod
    def synchronize():
        _check(_cudart.cudaDeviceSynchronize())
