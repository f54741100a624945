#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if AMGSOLVE_HAVE_HDF5
#include <hdf5.h>

namespace amgsolve {

/// Something of HDF5's that is open.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (is_open()) {
      close_(id_);
    }
  }

  bool is_open() const { return id_ >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_;
  Close close_;
};

/// A data set of real numbers.
class Hdf5Dataset {
 public:
  /// @param name  what errors call it
  /// Throws InputError where it is not of real numbers in this file, as many as can have been stored.
  Hdf5Dataset(Hdf5Handle handle, std::string name);

  const std::string& name() const { return name_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t size() const { return size_; }

  /// Whether MATLAB has written it: then its dimensions are in reverse.
  bool is_of_matlab() const { return H5Aexists(handle_.get(), "MATLAB_class") > 0; }

  /// Reads all numbers, converted; integers that do not fit become the nearest that do.
  void read(double* numbers) const { read(H5T_NATIVE_DOUBLE, numbers); }
  void read(std::int32_t* numbers) const { read(H5T_NATIVE_INT32, numbers); }
  void read(std::int64_t* numbers) const { read(H5T_NATIVE_INT64, numbers); }

 private:
  void read(hid_t type, void* numbers) const;

  Hdf5Handle handle_;
  std::string name_;
  std::vector<std::int64_t> shape_;
  std::int64_t size_ = 1;
};

/// A file in memory, of which HDF5 makes a copy.
class Hdf5File {
 public:
  /// Throws InputError "name: ..." where it is none.
  Hdf5File(std::string_view bytes, const std::string& name);

  /// The names at its top, of groups that are sparse matrices, and of data sets of numbers.
  const std::vector<std::string>& matrices() const { return matrices_; }
  const std::vector<std::string>& datasets() const { return datasets_; }

  /// The number that is the attribute MATLAB_sparse of a group.
  std::int64_t rows_of(const std::string& matrix) const;

  bool has(const std::string& path) const { return H5Lexists(file_.get(), path.c_str(), H5P_DEFAULT) > 0; }
  Hdf5Dataset dataset(const std::string& path) const;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
  Hdf5Handle file_;
  std::vector<std::string> matrices_;
  std::vector<std::string> datasets_;
};

}  // namespace amgsolve
#endif
