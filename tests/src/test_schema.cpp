#include "src/library/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <amgsolve/amgsolve.hpp>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "core/errors.hpp"
#include "src/application/documentation.hpp"
#include "src/application/job_schema.hpp"
#include "src/library/nearest.hpp"
#include "src/library/schema_builders.hpp"
#include "tests/reference/temporary_directory.hpp"
#include "tests/reference/unprivileged.hpp"

namespace amgsolve {
namespace {

template <class Body>
std::string error_of(Body&& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

// A valid value that is not the default.
Value another_value(const SchemaEntry& entry, const std::string& file) {
  switch (entry.type) {
    case ValueType::boolean:
      return !std::get<bool>(entry.default_value);
    case ValueType::integer:
      return std::holds_alternative<std::string>(entry.default_value)
                 ? entry.parse("1")
                 : Value(std::get<std::int64_t>(entry.default_value) + 1);
    case ValueType::real:
      for (const char* text : {"0.125", "0.25", "1.125"}) {
        if (entry.range.contains(std::stod(text)) && format(entry.default_value) != text) {
          return entry.parse(text);
        }
      }
      return entry.default_value;
    case ValueType::choice:
      return entry.parse(format(entry.default_value) == entry.choices[0] ? entry.choices[1] : entry.choices[0]);
    case ValueType::integer_list:
      return entry.parse_list(std::vector<std::string>{"3", "4", "5"});
    case ValueType::named_numbers:
      return entry.parse_named(
          std::vector<std::pair<std::string, std::vector<std::string>>>{{"left", {"1.5"}}, {"3", {"1"}}});
    case ValueType::input_file:
    case ValueType::output_file:
      return entry.parse(file);
    case ValueType::output_folder:
      return entry.parse(std::filesystem::path(file).parent_path().string());
  }
  return {};
}

class JobSchema : public testing::Test {
 protected:
  const SchemaEntry& entry(std::string_view key) const { return *schema_.find(key); }
  std::string parse_error(std::string_view key, std::string_view text) const {
    return error_of([&] { entry(key).parse(text); });
  }

  JobConfiguration configuration_;
  Schema schema_ = job_schema(configuration_);
};

TEST_F(JobSchema, KeysAreUniqueAndExplained) {
  std::set<std::string_view> keys;
  for (const SchemaEntry& e : schema_.entries()) {
    EXPECT_TRUE(keys.insert(e.key).second) << e.key;
    EXPECT_FALSE(e.help.empty()) << e.key;
    EXPECT_EQ(e.help.find('\n'), std::string_view::npos) << e.key;
    EXPECT_FALSE(schema_.has_section(e.key)) << e.key << " is a key and a section";
  }
}

TEST_F(JobSchema, DefaultsAreValid) {
  for (const SchemaEntry& e : schema_.entries()) {
    EXPECT_EQ(e.get(), e.default_value) << e.key;
    if (e.type != ValueType::integer_list) {
      EXPECT_EQ(e.parse(format(e.default_value)), e.default_value) << e.key;
    }
  }
  EXPECT_NO_THROW(validate(Configuration{}));
}

TEST_F(JobSchema, EachKeySetsOneMemberOfItsOwn) {
  const reference::TemporaryDirectory directory;
  const std::string file = directory.write("file", "").string();
  for (const SchemaEntry& changed : schema_.entries()) {
    const Value before = changed.get();
    const Value after = another_value(changed, file);
    ASSERT_NE(before, after) << changed.key;
    changed.set(after);
    for (const SchemaEntry& e : schema_.entries()) {
      EXPECT_EQ(e.get(), e.key == changed.key ? after : e.default_value) << e.key << " after setting " << changed.key;
    }
    changed.set(before);
  }
}

// Two keys of the same type and default could be taken for each other unseen.
TEST_F(JobSchema, KeysOfTheSameDefaultSetTheMembersThatTheyName) {
  const reference::TemporaryDirectory directory;
  const std::string file = directory.write("file", "").string();
  const auto expect_set = [&](std::string_view key, const auto& member) {
    const auto before = member;
    const Value value = entry(key).get();
    entry(key).set(another_value(entry(key), file));
    EXPECT_FALSE(member == before) << key;
    entry(key).set(value);
  };
  const ProblemConfiguration& problem = configuration_.problem;
  const GeneratedProblem& generate = problem.generate;
  const AmgOptions& amg = configuration_.amg;
  expect_set("problem.generate.anisotropy.epsilon", generate.anisotropy.epsilon);
  expect_set("problem.generate.coefficient.value", generate.coefficient.value);
  expect_set("problem.generate.coefficient.low", generate.coefficient.low);
  expect_set("problem.generate.peclet", generate.peclet);
  expect_set("problem.generate.young", generate.body.young);
  expect_set("problem.generate.coefficient.seed", generate.coefficient.seed);
  expect_set("problem.generate.fixed", problem.conditions.fixed);
  expect_set("problem.generate.flux", problem.conditions.flux);
  expect_set("problem.generate.source", problem.conditions.source);
  expect_set("problem.generate.regions", problem.conditions.regions);
  expect_set("problem.mesh", problem.mesh);
  expect_set("problem.matrix", problem.matrix);
  expect_set("problem.coordinates", problem.coordinates);
  expect_set("problem.rhs", problem.rhs.file);
  expect_set("problem.initial_guess", problem.initial_guess.file);
  expect_set("problem.near_nullspace", problem.near_nullspace.file);
  expect_set("problem.columns", problem.columns);
  expect_set("problem.seed", problem.seed);
  expect_set("solver.device", configuration_.device);
  expect_set("solver.threads", configuration_.threads);
  expect_set("solver.memory_limit", configuration_.memory_limit);
  expect_set("solver.tolerance", configuration_.solver.tolerance);
  expect_set("solver.rebuild_factor", configuration_.solver.rebuild_factor);
  expect_set("solver.max_iterations", configuration_.solver.max_iterations);
  expect_set("solver.restart", configuration_.solver.restart);
  expect_set("amg.strength.threshold", amg.strength.threshold);
  expect_set("amg.smoother.lower_fraction", amg.smoother.lower_fraction);
  expect_set("amg.smoother.damping", amg.smoother.damping);
  expect_set("amg.prolongator_damping", amg.prolongator_damping);
  expect_set("amg.density_limit", amg.density_limit);
  expect_set("amg.prolongator_steps", amg.prolongator_steps);
  expect_set("amg.block_size", amg.block_size);
  expect_set("amg.smoother.degree", amg.smoother.degree);
  expect_set("amg.pre_sweeps", amg.smoother.pre_sweeps);
  expect_set("amg.post_sweeps", amg.smoother.post_sweeps);
  expect_set("distributed.replicate_below", amg.replicate_below);
  expect_set("spgemm.slice_products", amg.spgemm.slice_products);
  expect_set("spgemm.drop_zeros", amg.spgemm.drop_zeros);
  expect_set("spgemm.statistics", amg.spgemm.statistics);
  expect_set("output.report", configuration_.output.report);
  expect_set("output.html", configuration_.output.html);
  expect_set("output.solution", configuration_.output.solution);
  expect_set("output.hierarchy", configuration_.output.hierarchy);
}

TEST_F(JobSchema, EveryWordOfAChoiceReadsBack) {
  for (const SchemaEntry& e : schema_.entries()) {
    for (const std::string_view word : e.choices) {
      if (e.type == ValueType::named_numbers) {
        e.set(e.parse_named(std::vector<std::pair<std::string, std::vector<std::string>>>{{"left", {"2", "free"}}}));
        EXPECT_EQ(format(e.get()), "{left: [2, free]}") << e.key;
        continue;
      }
      e.set(e.parse(word));
      EXPECT_EQ(format(e.get()), word) << e.key;
    }
  }
}

TEST_F(JobSchema, ReadsNumbersAsYamlWritesThem) {
  const SchemaEntry& tolerance = entry("solver.tolerance");
  for (const char* text : {"1.0e-8", "1e-8", "1E-8", "+1e-08", ".00000001"}) {
    EXPECT_EQ(tolerance.parse(text), Value(1e-8)) << text;
  }
  const SchemaEntry& limit = entry("solver.memory_limit");
  EXPECT_EQ(limit.parse("8000000000"), Value(std::int64_t{8000000000}));
  EXPECT_EQ(limit.parse("8e9"), Value(std::int64_t{8000000000}));
  EXPECT_EQ(entry("problem.seed").parse("9223372036854775807"), Value(std::numeric_limits<std::int64_t>::max()));
}

TEST_F(JobSchema, RejectsWhatIsNotANumberInRange) {
  for (const char* text : {"fast", "1e-8x", "1 2", "nan", ".nan", "inf", "-1e-8", "1", "1e999", "0x1p-3", "1,0"}) {
    EXPECT_EQ(parse_error("solver.tolerance", text),
              "'solver.tolerance' is '" + std::string(text) + "'; it must be a number >= 0 and < 1, or auto");
  }
  const std::string zeros(400, '0');
  for (const std::string& text : {std::string("1e-400"), std::string("+1E-400"), "0." + zeros + "1"}) {
    EXPECT_EQ(parse_error("solver.tolerance", text),
              "'solver.tolerance' is '" + text + "', which is too small for a number in double precision");
  }
  EXPECT_EQ(parse_error("solver.tolerance", "-1e-400"),
            "'solver.tolerance' is '-1e-400'; it must be a number >= 0 and < 1, or auto");
  const std::string epsilon = "problem.generate.anisotropy.epsilon";
  for (const std::string& text : {std::string("1e400"), "1" + zeros}) {
    EXPECT_EQ(parse_error(epsilon, text),
              "'" + epsilon + "' is '" + text + "', which is too large for a number in double precision");
  }
  for (const char* text : {"1.5", "-1", "ten", "-1e300", "true"}) {
    EXPECT_EQ(parse_error("solver.max_iterations", text),
              "'solver.max_iterations' is '" + std::string(text) + "'; it must be an integer >= 0");
  }
  for (const char* text : {"2147483648", "1e10", "99999999999999999999", "1e300"}) {
    EXPECT_EQ(parse_error("solver.max_iterations", text),
              "'solver.max_iterations' is '" + std::string(text) + "'; it must be at most 2147483647");
  }
  for (const char* key : {"problem.seed", "problem.generate.coefficient.seed", "solver.memory_limit"}) {
    for (const char* text : {"9223372036854775808", "18446744073709551615", "1e300"}) {
      EXPECT_EQ(parse_error(key, text),
                "'" + std::string(key) + "' is '" + std::string(text) + "'; it must be at most 9223372036854775807");
    }
  }
}

TEST_F(JobSchema, EmptyValuesAreCalledThat) {
  EXPECT_EQ(parse_error("solver.max_iterations", ""),
            "'solver.max_iterations' has no value; it must be an integer >= 0");
}

TEST_F(JobSchema, WrongWordsNameTheAllowedOnes) {
  EXPECT_EQ(parse_error("solver.method", "qmr"),
            "'solver.method' is 'qmr'; it must be auto, cg, fcg, minres, gmres, fgmres, bicgstab or amg");
  EXPECT_EQ(parse_error("amg.cycle", "v"), "'amg.cycle' is 'v'; it must be auto, V, W, F or K");
  EXPECT_EQ(parse_error("problem.rhs", "onse"),
            "'problem.rhs' is 'onse'; it must be auto, ones, random, manufactured, load or a file that exists");
  EXPECT_EQ(parse_error("problem.rhs", ""),
            "'problem.rhs' has no value; it must be auto, ones, random, manufactured, load or a file that exists");
}

TEST_F(JobSchema, ListsHaveTwoOrThreeIntegers) {
  const SchemaEntry& grid = entry("problem.generate.grid");
  const auto parse = [&](std::vector<std::string> items) { return error_of([&] { grid.parse_list(items); }); };
  EXPECT_EQ(parse({"8", "8"}), "no error");
  EXPECT_EQ(parse({"8", "8", "8"}), "no error");
  const std::string expected = "; it must be a list of 2 to 3 integers >= 1";
  EXPECT_EQ(parse({"8"}), "'problem.generate.grid' is '[8]'" + expected);
  EXPECT_EQ(parse({"8", "8", "8", "8"}), "'problem.generate.grid' is '[8, 8, 8, 8]'" + expected);
  EXPECT_EQ(parse({"8", "0"}), "'problem.generate.grid' is '[8, 0]'" + expected);
  EXPECT_EQ(parse({"8", "x"}), "'problem.generate.grid' is '[8, x]'" + expected);
  EXPECT_EQ(parse_error("problem.generate.grid", "8"), "'problem.generate.grid' is '8'" + expected);
}

TEST_F(JobSchema, FilesMustExistToBeReadAndHaveADirectoryToBeWritten) {
  const reference::TemporaryDirectory directory;
  const std::string missing = (directory.path() / "no" / "file.mtx").string();
  EXPECT_EQ(parse_error("problem.matrix", missing),
            "'problem.matrix' is '" + missing + "'; it must be a file that exists");
  EXPECT_EQ(parse_error("problem.matrix", directory.path().string()),
            "'problem.matrix' is '" + directory.path().string() + "'; it must be a file that exists");
  EXPECT_EQ(parse_error("output.report", missing), "'output.report' is '" + missing + "', but there is no directory '" +
                                                       (directory.path() / "no").string() + "'");
  EXPECT_EQ(parse_error("output.report", directory.path().string()),
            "'output.report' is '" + directory.path().string() + "', which is a directory");
  EXPECT_EQ(parse_error("output.report", (directory.path() / "new.json").string()), "no error");
  EXPECT_EQ(parse_error("problem.matrix", ""), "no error");
}

TEST_F(JobSchema, TruthHasThreeSpellings) {
  for (const std::string text : {"true", "True", "TRUE"}) {
    EXPECT_EQ(schema_.find("amg.filter")->parse(text), Value("true")) << text;
    EXPECT_EQ(schema_.find("spgemm.drop_zeros")->parse(text), Value(true)) << text;
  }
  for (const std::string text : {"false", "False", "FALSE"}) {
    EXPECT_EQ(schema_.find("amg.filter")->parse(text), Value("false")) << text;
    EXPECT_EQ(schema_.find("spgemm.drop_zeros")->parse(text), Value(false)) << text;
  }
  EXPECT_EQ(parse_error("amg.filter", "tRUE"), "'amg.filter' is 'tRUE'; it must be auto, true or false");
}

TEST_F(JobSchema, WhatCannotBeReadIsRefusedBeforehand) {
  EXPECT_EQ(parse_error("problem.matrix", "/dev/null"),
            "'problem.matrix' is '/dev/null', which cannot be read: it is a device, not a file");
  const reference::TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "closed");
  const std::string file = directory.write("A.mtx", "");
  const std::string hidden = directory.write("closed/A.mtx", "");
  std::filesystem::permissions(file, std::filesystem::perms(0));
  std::filesystem::permissions(directory.path() / "closed", std::filesystem::perms(0));
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  {
    const reference::Unprivileged user;
    if (::geteuid() == 0) {
      GTEST_SKIP() << "root may read everything";
    }
    for (const std::string& path : {file, hidden}) {
      EXPECT_EQ(parse_error("problem.rhs", path),
                "'problem.rhs' is '" + path + "', which cannot be read: Permission denied");
    }
  }
  std::filesystem::permissions(directory.path() / "closed", std::filesystem::perms::owner_all);
}

TEST_F(JobSchema, WhatCannotBeWrittenIsRefusedBeforehand) {
  namespace fs = std::filesystem;
  const reference::TemporaryDirectory directory;
  const std::string path = directory.path().string();
  directory.write("old.json", "");
  fs::create_directory(directory.path() / "levels");
  for (const std::string name : {"/old.json", "/levels", ""}) {
    fs::permissions(path + name, fs::perms(0555));
  }
  const fs::path before = fs::current_path();
  const auto expect_refused = [&](const std::string& key, const std::string& file, const std::string& reason) {
    EXPECT_EQ(parse_error(key, file), "'" + key + "' is '" + file + "', which cannot be written: " + reason);
  };
  expect_refused("output.report", "/dev/fd/987", "Bad file descriptor");
  {
    const reference::Unprivileged user;
    if (::geteuid() == 0) {
      GTEST_SKIP() << "root may write everything";
    }
    expect_refused("output.report", path + "/new.json", "Permission denied");
    expect_refused("output.report", path + "/old.json", "Permission denied");
    expect_refused("output.hierarchy", path + "/new", "Permission denied");
    expect_refused("output.hierarchy", path + "/levels", "Permission denied");
    fs::current_path(path);
    EXPECT_EQ(parse_error("output.report", "-"), "no error");
    EXPECT_EQ(parse_error("output.report", ""), "no error");
  }
  fs::current_path(before);
  fs::permissions(path, fs::perms::owner_all);
}

TEST_F(JobSchema, FoldersMayEndInASlash) {
  const reference::TemporaryDirectory directory;
  const auto folder = [&](const std::string& text) {
    return std::get<std::string>(schema_.find("output.hierarchy")->parse(text));
  };
  const std::string plain = (directory.path() / "levels").string();
  EXPECT_EQ(folder(plain), plain);
  EXPECT_EQ(folder(plain + "/"), plain);
  if (::access("/", W_OK) == 0) {
    EXPECT_EQ(folder("/"), "/");
  }
  EXPECT_EQ(parse_error("output.hierarchy", plain + "/no/"),
            "'output.hierarchy' is '" + plain + "/no', but there is no directory '" + plain + "'");
}

TEST_F(JobSchema, EveryConflictIsNamed) {
  configuration_.problem.generate.grid = {2, {8, 8, 1}};
  configuration_.amg.smoother.pre_sweeps = 0;
  configuration_.amg.smoother.post_sweeps = 0;
  configuration_.amg.spgemm.bins = {3, 2, 1};
  configuration_.output.solution = "x.txt";
  configuration_.threads = 1'000'000;
  const std::string errors = error_of([this] { validate(configuration_); });
  EXPECT_EQ(std::ranges::count(errors, '\n'), 3) << errors;
  for (const char* key : {"'amg.pre_sweeps'", "'spgemm.bins'", "'output.solution'", "'solver.threads'"}) {
    EXPECT_NE(errors.find(key), std::string::npos) << errors;
  }
}

TEST_F(JobSchema, ConflictingValuesAreNamed) {
  configuration_.problem.generate.grid = {2, {8, 8, 1}};
  EXPECT_NO_THROW(validate(configuration_));
  const auto conflict = [this] { return error_of([this] { validate(configuration_); }); };

  configuration_.amg.prolongator_steps = 2;
  EXPECT_EQ(conflict(), "no error");
  configuration_.amg.prolongator_damping = 0.0;
  EXPECT_EQ(conflict(), "'amg.prolongator_damping' is 0, which is that of one step; 'amg.prolongator_steps' is 2");
  configuration_.amg.prolongator_steps = {};

  configuration_.amg.smoother.post_sweeps = 2;
  EXPECT_EQ(conflict(), "no error");
  configuration_.solver.method = Method::cg;
  EXPECT_EQ(conflict(),
            "'amg.pre_sweeps' is 1 and 'amg.post_sweeps' is 2; 'solver.method' cg needs a symmetric preconditioner, so "
            "they must be equal (fcg takes any)");
  configuration_.solver.method = Method::fcg;
  EXPECT_EQ(conflict(), "no error");
  configuration_.amg.cycle = CycleType::k;
  EXPECT_EQ(conflict(), "no error");
  configuration_.solver.method = Method::gmres;
  EXPECT_EQ(conflict(),
            "'amg.cycle' is K, which varies from step to step; 'solver.method' gmres needs a preconditioner that does "
            "not (fgmres takes any)");
  configuration_.solver.method = Method::minres;
  for (const CycleType cycle : {CycleType::f, CycleType::k}) {
    configuration_.amg.cycle = cycle;
    configuration_.amg.smoother.post_sweeps = 1;
    EXPECT_THAT(conflict(), testing::HasSubstr("'solver.method' minres needs a"));
    configuration_.amg.smoother.post_sweeps = 2;
    EXPECT_THAT(conflict(), testing::HasSubstr("so they must be equal (fgmres takes any)"));
  }
  configuration_.amg.cycle = CycleType::v;
  configuration_.amg.smoother.pre_sweeps = 0;
  configuration_.amg.smoother.post_sweeps = 0;
  EXPECT_EQ(conflict(), "'amg.pre_sweeps' and 'amg.post_sweeps' are both 0; one of them must be at least 1");
  configuration_.amg.smoother.pre_sweeps = 1;

  configuration_.amg.smoother.post_sweeps = 1;
  configuration_.amg.smoother.type = SmootherType::gmres_polynomial;
  for (const Method method : {Method::automatic, Method::gmres, Method::fgmres, Method::bicgstab, Method::amg}) {
    configuration_.solver.method = method;
    EXPECT_EQ(conflict(), "no error");
  }
  for (const Method method : {Method::cg, Method::fcg, Method::minres}) {
    configuration_.solver.method = method;
    EXPECT_EQ(conflict(),
              "'amg.smoother.type' is gmres_polynomial, of which a cycle need not be positive definite; "
              "'solver.method' " +
                  std::string(name(method)) + " needs that it is (gmres, fgmres and bicgstab take any)");
  }
  configuration_.solver.method = Method::automatic;
  configuration_.amg.smoother.type = SmootherType::automatic;

  configuration_.amg.spgemm.bins = {32, 16, 6144};
  EXPECT_EQ(conflict(), "'spgemm.bins' is [32, 16, 6144]; its numbers must ascend");
  configuration_.amg.spgemm.bins = {32, 1025, 6144};
  EXPECT_EQ(conflict(), "'spgemm.bins' is [32, 1025, 6144]; its numbers are at most [32, 1024, 6144]");
  configuration_.amg.spgemm.bins = {0, 16, 16};
  EXPECT_EQ(conflict(), "no error");

  configuration_.output.solution = "u.txt";
  EXPECT_EQ(conflict(), "'output.solution' is 'u.txt'; its name must end in .mtx, .npy, .amg, .vti or .vtu");
  configuration_.output.solution = "u.vti";
  EXPECT_EQ(conflict(), "no error");

  configuration_.problem.generate.stencil = 7;
  EXPECT_EQ(conflict(), "problem.generate.stencil is 7; a 2D grid has stencil 5 or 9");
  configuration_.problem.generate.grid.dimensions = 0;
  EXPECT_EQ(conflict(), "nothing to solve: give 'problem.generate' with a 'grid', 'problem.mesh' or 'problem.matrix'");
  configuration_.problem.matrix = "A.mtx";
  EXPECT_EQ(conflict(),
            "'output.solution' is 'u.vti'; .vti needs the grid of 'problem.generate', a matrix from a file has none: "
            "use .mtx, .npy or .amg");
  configuration_.output.solution.clear();
  configuration_.problem.rhs.word = RightHandSide::manufactured;
  EXPECT_EQ(conflict(), "'problem.rhs' is 'manufactured', which needs 'problem.generate'");
}

TEST_F(JobSchema, ExplainsKeysAndSections) {
  EXPECT_EQ(explain(schema_, "solver.memory_limit"),
            "solver.memory_limit\n"
            "  Most memory that matrices and vectors may take, of the host or of the GPU; 0 is no limit\n"
            "  values   an integer >= 0 (bytes)\n"
            "  default  0\n");
  const std::string smoother = explain(schema_, "amg.smoother");
  EXPECT_NE(smoother.find("amg.smoother.type\n"), std::string::npos);
  EXPECT_NE(smoother.find("amg.smoother.lower_fraction\n"), std::string::npos);
  EXPECT_EQ(smoother.find("amg.cycle"), std::string::npos);
}

TEST_F(JobSchema, ReferenceIsCurrent) {
  EXPECT_TRUE(reference::bytes_of_file(AMGSOLVE_SOURCE_DIR "/docs/configuration.md") ==
              configuration_reference(schema_))
      << "a key changed; write the page anew: amgsolve --configuration-reference > docs/configuration.md";
}

TEST(SchemaBuilders, BooleanIsTrueOrFalse) {
  bool flag = true;
  const SchemaEntry entry = schema::boolean("section.flag", flag, "A flag");
  entry.set(entry.parse("false"));
  EXPECT_FALSE(flag);
  EXPECT_EQ(format(entry.get()), "false");
  EXPECT_EQ(error_of([&] { entry.parse("yes"); }), "'section.flag' is 'yes'; it must be true or false");
}

TEST(SchemaBuilders, NumbersMayBeLeftToTheProgram) {
  std::optional<double> x;
  std::optional<int> n = 2;
  const SchemaEntry real = schema::real("x", x, schema::above(0), "");
  const SchemaEntry integer = schema::integer("n", n, schema::at_least(1), "");
  EXPECT_EQ(real.describe_values(), "a number > 0, or auto");
  EXPECT_EQ(format(real.get()), "auto");
  EXPECT_EQ(format(integer.get()), "2");
  real.set(real.parse("0.5"));
  integer.set(integer.parse("auto"));
  EXPECT_EQ(x, 0.5);
  EXPECT_EQ(n, std::nullopt);
  EXPECT_THROW(real.parse("automatic"), ConfigurationError);
  EXPECT_THROW(integer.parse("0"), ConfigurationError);
}

TEST(Range, SaysWhatItContains) {
  EXPECT_EQ(Range{}.describe(), "");
  EXPECT_EQ(schema::above(0).describe(), "> 0");
  EXPECT_EQ(schema::strictly_between(0, 2).describe(), "> 0 and < 2");
  EXPECT_EQ((Range{.low = 1, .high = 4}.describe()), ">= 1 and <= 4");
  EXPECT_FALSE(schema::above(0).contains(0));
  EXPECT_TRUE(schema::at_least(0).contains(0));
  EXPECT_FALSE(schema::at_least_and_below(0, 1).contains(1));
  EXPECT_TRUE((Range{.low = 1, .high = 4}.contains(4)));
}

TEST(Nearest, CountsEdits) {
  const std::vector<std::string_view> names{"cycle", "degree", "damping", "tolerance"};
  EXPECT_EQ(nearest("cylce", names), "cycle");       // a swap is one edit
  EXPECT_EQ(nearest("dampping", names), "damping");  // an insertion
  EXPECT_EQ(nearest("dgree", names), "degree");      // a deletion
  EXPECT_EQ(nearest("DEGREE", names), "degree");     // case is no edit
  EXPECT_EQ(nearest("toleranse", names), "tolerance");
  EXPECT_EQ(nearest("strength", names), "");
  EXPECT_EQ(nearest("x", names), "");
}

TEST(Options, SetsAndGetsEveryType) {
  Options options;
  options.set("solver.tolerance", 1e-10).set("solver.max_iterations", 50).set("solver.method", "fcg");
  EXPECT_EQ(options.get("solver.tolerance"), "1e-10");
  EXPECT_EQ(options.get("solver.max_iterations"), "50");
  EXPECT_EQ(options.get("solver.method"), "fcg");
  options.set("solver.tolerance", 0.5F).set("solver.max_iterations", 60.0).set("solver.memory_limit", 1UL << 40);
  EXPECT_EQ(options.get("solver.tolerance"), "0.5");
  EXPECT_EQ(options.get("solver.max_iterations"), "60");
  EXPECT_EQ(options.get("solver.memory_limit"), "1099511627776");
}

TEST(Options, EveryKeyReadsBack) {
  Options options;
  for (const std::string& key : Options::keys()) {
    EXPECT_NO_THROW(options.set(key, options.get(key))) << key;
  }
  EXPECT_EQ(options.get("amg.cycle"), "auto");
}

TEST(Options, ThatMakeACycleAnotherAreTold) {
  Configuration configuration;
  EXPECT_EQ(options_of_cycle(configuration), "");
  configuration.amg.smoother.type = SmootherType::jacobi;
  configuration.amg.smoother.damping = 1.9;
  configuration.amg.spectral_radius_steps = 1;
  configuration.amg.max_levels = 2;
  EXPECT_EQ(options_of_cycle(configuration),
            "amg.smoother.type=jacobi, amg.smoother.damping=1.9, amg.spectral_radius_steps=1");
}

TEST(Options, ThatMakeACycleSlowAreTold) {
  Configuration configuration;
  EXPECT_EQ(options_of_slow_cycle(configuration), "");
  configuration.amg.max_levels = 1;
  configuration.amg.smoother.pre_sweeps = 0;
  configuration.amg.smoother.post_sweeps = 3;
  configuration.amg.smoother.degree = 6;
  configuration.amg.prolongator_damping = 0.0;
  EXPECT_EQ(options_of_slow_cycle(configuration), "amg.pre_sweeps=0, amg.max_levels=1, amg.prolongator_damping=0");
}

TEST(Options, WrongOnesThrowAndChangeNothing) {
  Options options;
  const auto set = [&](std::string_view key, auto value) { return error_of([&] { options.set(key, value); }); };
  EXPECT_EQ(set("solver.toleranse", 1e-8), "unknown key 'solver.toleranse'; did you mean 'solver.tolerance'?");
  EXPECT_EQ(set("solver.tolerance", 2), "'solver.tolerance' is '2'; it must be a number >= 0 and < 1, or auto");
  EXPECT_EQ(set("solver.tolerance", std::numeric_limits<double>::quiet_NaN()),
            "'solver.tolerance' is 'nan'; it must be a number >= 0 and < 1, or auto");
  EXPECT_EQ(set("solver.max_iterations", true), "'solver.max_iterations' is 'true'; it must be an integer >= 0");
  EXPECT_EQ(set("solver.max_iterations", 1.5), "'solver.max_iterations' is '1.5'; it must be an integer >= 0");
  EXPECT_THROW(options.set("solver.method", "qmr"), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(options.get("problem.matrix")), std::invalid_argument);
  EXPECT_EQ(options.get("solver.tolerance"), "auto");
  EXPECT_EQ(options.get("solver.method"), "auto");
}

TEST(Options, CopiesAreIndependent) {
  Options a;
  a.set("amg.coarse_size", 7);
  Options b = a;
  b.set("amg.coarse_size", 8);
  EXPECT_EQ(a.get("amg.coarse_size"), "7");
  EXPECT_EQ(b.get("amg.coarse_size"), "8");
  a = b;
  EXPECT_EQ(a.get("amg.coarse_size"), "8");
  Options c = std::move(a);
  EXPECT_EQ(c.get("amg.coarse_size"), "8");
}

}  // namespace
}  // namespace amgsolve
