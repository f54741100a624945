#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "src/application/completion.hpp"
#include "src/application/job_schema.hpp"
#include "src/application/json_schema.hpp"
#include "src/application/manual_page.hpp"
#include "src/application/presets.hpp"
#include "src/application/yaml_reader.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CommandDocuments : public testing::Test {
 protected:
  // The words a program prints; its exit code in `status`.
  std::vector<std::string> run(const std::string& command) {
    const std::filesystem::path output = directory_.path() / "out";
    status_ = std::system(("cd '" + directory_.path().string() + "' && (" + command + ") > out 2> err").c_str());
    std::istringstream words(reference::bytes_of_file(output));
    return {std::istream_iterator<std::string>(words), {}};
  }
  bool has(const std::string& program) { return std::system(("command -v " + program + " > /dev/null").c_str()) == 0; }

  const CommandDescription command_{
      {{"set", "", "KEY=VALUE", "Set a key"},
       {"preset", "", "PRESET", "Solve a preset"},
       {"explain", "", "KEY", "Print a key's meaning"},
       {"json", "", "FILE", "Write the report; '-': print it [all]"},
       {"threads", "", "N", "Threads"},
       {"quiet", "q", "", "Print errors only"}},
      {{"compare", "Runs beside each other: two or more", true, {{"report", "", "FILE", "Write a page"}}},
       {"convert", "Write another format", true, {}},
       {"bench", "Measure", false, {{"json", "", "FILE", "Figures"}, {"backend", "", "BACKEND", "Where"}}}}};
  JobConfiguration configuration_;
  Schema schema_ = job_schema(configuration_);
  reference::TemporaryDirectory directory_;
  int status_ = -1;
};

class BashCompletion : public CommandDocuments {
 protected:
  BashCompletion() { directory_.write("completion", completion("bash", command_, schema_)); }

  // What the shell would offer for a line, the cursor at its end. All behind the command stands for the word there.
  std::vector<std::string> offers(const std::string& line, const std::string& word_breaks = "=: ") {
    return run("bash -c 'source ./completion; COMP_WORDBREAKS=\"" + word_breaks + "\"; COMP_LINE=\"" + line +
               "\"; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(\"${COMP_LINE#* }\"); COMP_CWORD=0; _amgsolve; printf "
               "\"%s\\n\" \"${COMPREPLY[@]}\"'");
  }
};

TEST_F(BashCompletion, OffersOptions) {
  EXPECT_THAT(offers("amgsolve --"), ElementsAre("--set", "--preset", "--explain", "--json", "--threads", "--quiet"));
  EXPECT_THAT(offers("amgsolve problem.yaml --ex"), ElementsAre("--explain"));
  EXPECT_THAT(offers("amgsolve -q"), ElementsAre("-q"));
}

TEST_F(BashCompletion, OffersKeysAndWhatTheyTake) {
  EXPECT_THAT(offers("amgsolve --set solver.tol"), ElementsAre("solver.tolerance="));
  EXPECT_THAT(offers("amgsolve --set amg.cycle="), ElementsAre("auto", "V", "W", "F", "K"));
  EXPECT_THAT(offers("amgsolve --set amg.cycle=W"), ElementsAre("W"));
  EXPECT_THAT(offers("amgsolve --set amg.cycle=", " "),
              ElementsAre("amg.cycle=auto", "amg.cycle=V", "amg.cycle=W", "amg.cycle=F", "amg.cycle=K"));
  EXPECT_THAT(offers("amgsolve --set problem.generate.discretization=q"), ElementsAre("q1"));
  EXPECT_THAT(offers("amgsolve --explain amg.sm"), Contains("amg.smoother"));
  EXPECT_THAT(offers("amgsolve --preset poi"), ElementsAre("poisson-2d", "poisson-3d"));
}

TEST_F(BashCompletion, OffersFiles) {
  directory_.write("poisson.yaml", "");
  directory_.write("A.mtx", "");
  EXPECT_THAT(offers("amgsolve po"), ElementsAre("poisson.yaml"));
  EXPECT_THAT(offers("amgsolve -q A"), ElementsAre("A.mtx"));
  EXPECT_THAT(offers("amgsolve --set problem.matrix=A"), ElementsAre("A.mtx"));
  EXPECT_THAT(offers("amgsolve --json po"), ElementsAre("poisson.yaml"));
  EXPECT_THAT(offers("amgsolve --threads "), IsEmpty());
}

TEST_F(BashCompletion, LeavesNamesInQuotesToTheShell) {
  directory_.write("my file.yaml", "");
  directory_.write("file.yaml", "");
  EXPECT_THAT(offers(R"(amgsolve my\ f)"), IsEmpty());
  EXPECT_THAT(offers(R"(amgsolve \"my f)"), IsEmpty());
}

TEST_F(BashCompletion, OffersSubcommandsAndTheirOptions) {
  directory_.write("a.json", "");
  EXPECT_THAT(offers("amgsolve c"), ElementsAre("compare", "convert", "completion"));
  EXPECT_THAT(offers("amgsolve compare -"), ElementsAre("--report"));
  EXPECT_THAT(offers("amgsolve compare a"), ElementsAre("a.json"));
  EXPECT_THAT(offers("amgsolve compare a.json c"), ElementsAre("completion"));
  EXPECT_THAT(offers("amgsolve compare --report a"), ElementsAre("a.json"));
  EXPECT_THAT(offers("amgsolve convert --"), IsEmpty());
  EXPECT_THAT(offers("amgsolve bench --"), ElementsAre("--json", "--backend"));
  EXPECT_THAT(offers("amgsolve bench --backend "), ElementsAre("auto", "host", "cuda"));
  EXPECT_THAT(offers("amgsolve bench a"), IsEmpty());
}

TEST_F(CommandDocuments, CompletionsAreWhatTheirShellsRead) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion(shell, command_, schema_);
    for (const CommandOption& option : command_.options) {
      EXPECT_THAT(script, HasSubstr(option.long_name)) << shell;
    }
    for (const Subcommand& subcommand : command_.subcommands) {
      EXPECT_THAT(script, HasSubstr(subcommand.name)) << shell;
    }
    for (const SchemaEntry& entry : schema_.entries()) {
      EXPECT_THAT(script, HasSubstr(std::string(entry.key))) << shell;
    }
    if (has(shell)) {
      directory_.write("completion", script);
      run(shell + " -n ./completion");
      EXPECT_EQ(status_, 0) << shell << ": " << reference::bytes_of_file(directory_.path() / "err");
    }
  }
  EXPECT_THROW(completion("tcsh", command_, schema_), ConfigurationError);
}

TEST_F(CommandDocuments, FishOffersKeysAndWhatTheyTake) {
  if (!has("fish")) {
    GTEST_SKIP() << "there is no fish";
  }
  directory_.write("completion", completion("fish", command_, schema_));
  const auto offers = [&](const std::string& line) {
    return run("fish -N -c 'source ./completion; complete -C \"" + line + "\"' | cut -f 1");
  };
  EXPECT_THAT(offers("amgsolve --set amg.cycle="),
              ElementsAre("amg.cycle=auto", "amg.cycle=F", "amg.cycle=K", "amg.cycle=V", "amg.cycle=W"));
  EXPECT_THAT(offers("amgsolve --set solver.tol"), ElementsAre("solver.tolerance=auto"));
  EXPECT_THAT(offers("amgsolve --preset poi"), ElementsAre("poisson-2d", "poisson-3d"));
  EXPECT_THAT(offers("amgsolve bench --b"), ElementsAre("--backend"));
}

TEST_F(CommandDocuments, TheManualPageIsWithoutMistakes) {
  const std::string page = manual_page(command_, schema_);
  EXPECT_THAT(page, testing::StartsWith(".TH AMGSOLVE 1"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\n"));
  EXPECT_THAT(page, HasSubstr("\\fBsolver.tolerance\\fR\n"));
  EXPECT_THAT(page, HasSubstr("\\fBpoisson\\-3d\\fR\n"));
  EXPECT_THAT(page, HasSubstr("\\fBbench\\fR\nMeasure\n.RS\n"));
  EXPECT_THAT(page, HasSubstr("\n\\fB7\\fR\n"));
  if (!has("groff")) {
    GTEST_SKIP() << "there is no groff to read it";
  }
  directory_.write("amgsolve.1", page);
  run("groff -man -Tascii -ww amgsolve.1");
  EXPECT_EQ(status_, 0);
  EXPECT_EQ(reference::bytes_of_file(directory_.path() / "err"), "");
}

TEST_F(CommandDocuments, TheJsonSchemaHasEveryKeyNestedAndDotted) {
  const nlohmann::json json = nlohmann::json::parse(json_schema(schema_));
  const nlohmann::json& definitions = json["$defs"];
  for (const SchemaEntry& entry : schema_.entries()) {
    const std::string key(entry.key);
    ASSERT_TRUE(definitions.contains(key)) << key;
    EXPECT_EQ(definitions[key]["description"].get<std::string>().substr(0, entry.help.size()), entry.help);
    const nlohmann::json reference{{"$ref", "#/$defs/" + key}};
    EXPECT_EQ(definitions["problem.yaml"]["properties"][key], reference);
    const nlohmann::json* section = &definitions["problem.yaml"];
    std::istringstream names(key);
    for (std::string name; std::getline(names, name, '.');) {
      section = &section->at("properties").at(name);
    }
    EXPECT_EQ(*section, reference) << key;
  }
  EXPECT_EQ(definitions["amg.cycle"]["enum"], (nlohmann::json{"auto", "V", "W", "F", "K"}));
  EXPECT_THAT(definitions["problem.generate.stencil"]["enum"], Contains(nlohmann::json(7)));
  EXPECT_THAT(definitions["amg.filter"]["enum"], Contains(nlohmann::json(true)));
  const nlohmann::json& top = definitions["problem.yaml"]["properties"];
  EXPECT_EQ(top["problem.generate"]["properties"]["grid"]["$ref"], "#/$defs/problem.generate.grid");
  EXPECT_EQ(top["amg"]["properties"]["smoother"]["properties"]["type"]["$ref"], "#/$defs/amg.smoother.type");
  EXPECT_EQ(definitions["solver.tolerance"]["anyOf"][1]["exclusiveMaximum"], 1.0);
  EXPECT_EQ(definitions["problem.generate.grid"]["maxItems"], 3);
  EXPECT_EQ(definitions["problem.yaml"]["additionalProperties"], false);
}

TEST_F(CommandDocuments, PresetsAreValidConfigurations) {
  for (const Preset& each : presets()) {
    JobConfiguration configuration;
    std::vector<Override> settings;
    for (const Preset::Setting& setting : preset(each.name).settings) {
      settings.push_back({std::string(setting.key), std::string(setting.value), std::string(each.name)});
    }
    EXPECT_NO_THROW(read_configuration({}, settings, job_schema(configuration), configuration)) << each.name;
    EXPECT_GE(configuration.problem.generate.grid.dimensions, 2) << each.name;
  }
  EXPECT_THROW(preset("poisson-4d"), ConfigurationError);
}

}  // namespace
}  // namespace amgsolve
