#include "problems/hdf5_file.hpp"

#if AMGSOLVE_HAVE_HDF5
#include <cmath>
#include <limits>

#include "core/format.hpp"
#include "problems/binary_input.hpp"

namespace amgsolve {
namespace {

constexpr const char* sparse_attribute = "MATLAB_sparse";

/// HDF5 prints no errors of its own while this is there.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

Hdf5Handle open_image(std::string_view bytes, const std::string& name) {
  const Quiet quiet;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  constexpr std::size_t growth = 1 << 16;
  constexpr hbool_t stays_in_memory = 0;
  if (!access.is_open() || H5Pset_fapl_core(access.get(), growth, stays_in_memory) < 0 ||
      H5Pset_file_image(access.get(), const_cast<char*>(bytes.data()), bytes.size()) < 0) {
    refuse_file(name, "HDF5 has no memory for the file");
  }
  // What is in memory must have the name of no file, nor that of other bytes.
  const std::string no_file = format_text("/dev/null/{}", fmt::ptr(bytes.data()));
  Hdf5Handle file(H5Fopen(no_file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file.is_open()) {
    refuse_file(name, "HDF5 cannot open the file: it is damaged, or ends early");
  }
  return file;
}

/// Whether the data lie in this file, and not in another one that it names.
bool is_in_file(hid_t dataset) {
  const Hdf5Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  return creation.is_open() && H5Pget_layout(creation.get()) != H5D_VIRTUAL &&
         H5Pget_external_count(creation.get()) == 0;
}

/// Whether an attribute is that text, of fixed length as MATLAB writes it.
bool has_attribute(hid_t object, const char* name, std::string_view wanted) {
  if (H5Aexists(object, name) <= 0) {
    return false;
  }
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
      H5Tget_size(type.get()) != wanted.size() || H5Sget_simple_extent_npoints(space.get()) != 1) {
    return false;
  }
  std::string text(wanted.size(), '\0');
  return H5Aread(attribute.get(), type.get(), text.data()) >= 0 && text == wanted;
}

/// Whether a data set holds numbers, be they complex ones: in files of MATLAB's they also hold text, the sizes of what
/// is empty, and references.
bool holds_numbers(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  return (kind == H5T_FLOAT || kind == H5T_INTEGER || kind == H5T_COMPOUND) &&
         H5Aexists(dataset, "MATLAB_empty") <= 0 && !has_attribute(dataset, "MATLAB_class", "char");
}

}  // namespace

Hdf5Dataset::Hdf5Dataset(Hdf5Handle handle, std::string name) : handle_(std::move(handle)), name_(std::move(name)) {
  const Quiet quiet;
  if (!handle_.is_open()) {
    refuse_file(name_, "HDF5 cannot open the data set");
  }
  const Hdf5Handle type(H5Dget_type(handle_.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) {
    refuse_file(name_, kind == H5T_COMPOUND ? "the numbers are complex, or of several parts; they must be real"
                                            : "the data set is not of real numbers");
  }
  if (!is_in_file(handle_.get())) {
    refuse_file(name_, "the data lie in another file, which is not read");
  }
  const Hdf5Handle space(H5Dget_space(handle_.get()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::vector<hsize_t> sizes(rank > 0 ? static_cast<std::size_t>(rank) : 0);
  if (rank > 0) {
    H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
  }
  // Deflate makes at most a thousandth of what it is given.
  constexpr double largest_ratio = 1100.0;
  double size = 1.0;
  for (const hsize_t each : sizes) {
    size *= static_cast<double>(each);
  }
  const double bytes = size * static_cast<double>(H5Tget_size(type.get()));
  if (rank < 0 || bytes > largest_ratio * static_cast<double>(H5Dget_storage_size(handle_.get()))) {
    refuse_file(name_, format_text("the data set has {:.6g} numbers by its sizes, which are not all stored", size));
  }
  for (const hsize_t each : sizes) {
    shape_.push_back(static_cast<std::int64_t>(each));
    size_ *= shape_.back();
  }
}

void Hdf5Dataset::read(hid_t type, void* numbers) const {
  const Quiet quiet;
  if (size_ > 0 && H5Dread(handle_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0) {
    refuse_file(name_, "HDF5 cannot read the data set: it is damaged, or the file ends early");
  }
}

Hdf5File::Hdf5File(std::string_view bytes, const std::string& name) : name_(name), file_(open_image(bytes, name)) {
  const Quiet quiet;
  H5G_info_t top;
  if (H5Gget_info(file_.get(), &top) < 0) {
    refuse_file(name_, "HDF5 cannot read what the file holds");
  }
  for (hsize_t k = 0; k < top.nlinks; ++k) {
    const auto link_name = [&](char* text, std::size_t size) {
      return H5Lget_name_by_idx(file_.get(), ".", H5_INDEX_NAME, H5_ITER_INC, k, text, size, H5P_DEFAULT);
    };
    const auto length = link_name(nullptr, 0);
    if (length <= 0) {
      continue;
    }
    std::string link(static_cast<std::size_t>(length), '\0');
    link_name(link.data(), link.size() + 1);
    // A soft or an external one would lead elsewhere.
    H5L_info_t info;
    if (H5Lget_info(file_.get(), link.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
      continue;
    }
    const Hdf5Handle object(H5Oopen(file_.get(), link.c_str(), H5P_DEFAULT), H5Oclose);
    const H5I_type_t kind = object.is_open() ? H5Iget_type(object.get()) : H5I_BADID;
    if (kind == H5I_DATASET && holds_numbers(object.get())) {
      datasets_.push_back(link);
    } else if (kind == H5I_GROUP && H5Aexists(object.get(), sparse_attribute) > 0) {
      matrices_.push_back(link);
    }
  }
}

std::int64_t Hdf5File::rows_of(const std::string& matrix) const {
  const Quiet quiet;
  const Hdf5Handle attribute(H5Aopen_by_name(file_.get(), matrix.c_str(), sparse_attribute, H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  const Hdf5Handle type(attribute.is_open() ? H5Aget_type(attribute.get()) : H5I_INVALID_HID, H5Tclose);
  const Hdf5Handle space(attribute.is_open() ? H5Aget_space(attribute.get()) : H5I_INVALID_HID, H5Sclose);
  std::int64_t rows = 0;
  if (!type.is_open() || H5Tget_class(type.get()) != H5T_INTEGER || H5Sget_simple_extent_npoints(space.get()) != 1 ||
      H5Aread(attribute.get(), H5T_NATIVE_INT64, &rows) < 0) {
    refuse_file(name_, format_text("{}: '{}' is no number of rows", printable(matrix), sparse_attribute));
  }
  return rows;
}

Hdf5Dataset Hdf5File::dataset(const std::string& path) const {
  const Quiet quiet;
  return {Hdf5Handle(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose),
          format_text("{}: {}", name_, printable(path))};
}

}  // namespace amgsolve
#endif
