#include "src/application/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "src/application/presets.hpp"

namespace amgsolve {
namespace {

using WordList = std::vector<std::string_view>;

/// What may follow "key=".
WordList words_of(const SchemaEntry& entry) {
  return entry.type == ValueType::boolean         ? WordList{"true", "false"}
         : entry.type == ValueType::named_numbers ? WordList{}  // its words stand for numbers within
                                                  : WordList(entry.choices);
}

/// What --explain takes: keys, and the sections they are in.
WordList keys_and_sections(const Schema& schema) {
  WordList result;
  for (const SchemaEntry& entry : schema.entries()) {
    for (std::size_t end = entry.key.find('.'); result.empty() || result.back() != entry.key;) {
      const std::string_view begin = entry.key.substr(0, end);
      if (std::ranges::find(result, begin) == result.end()) {
        result.push_back(begin);
      }
      end = end == std::string_view::npos ? end : entry.key.find('.', end + 1);
    }
  }
  return result;
}

constexpr std::string_view setting = "KEY=VALUE";

/// The words that an option takes; empty where it takes a file, a number, a setting or nothing.
WordList choices_of(const CommandOption& option, const Schema& schema) {
  WordList result;
  if (option.argument == "KEY") {
    result = keys_and_sections(schema);
  } else if (option.argument == "PRESET") {
    std::ranges::transform(presets(), std::back_inserter(result), &Preset::name);
  } else if (option.argument == "SHELL") {
    result.assign(completion_shells.begin(), completion_shells.end());
  } else if (option.argument == "BACKEND") {
    result = {"auto", "host", "cuda"};
  }
  return result;
}

bool is_path(const CommandOption& option) { return option.argument == "FILE" || option.argument == "DIR"; }

/// Between single quotes, within which the shells take nothing but the quote for their own.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

/// The array "key" → "its words" between the parentheses of a shell's declaration.
std::string values_by_key(const Schema& schema, std::string_view entry_format) {
  std::string result;
  for (const SchemaEntry& entry : schema.entries()) {
    if (const WordList words = words_of(entry); !words.empty()) {
      result += format_text(fmt::runtime(entry_format), entry.key, in_quotes(format_text("{}", fmt::join(words, " "))));
    }
  }
  return result;
}

std::string keys(const Schema& schema, std::string_view suffix) {
  std::string result;
  for (const SchemaEntry& entry : schema.entries()) {
    result += format_text("{}{}{}", result.empty() ? "" : " ", entry.key, suffix);
  }
  return result;
}

/// --set -q and so on, of options.
std::string dashed_names(const CommandOptions& options) {
  std::string names;
  for (const CommandOption& option : options) {
    names += format_text("{}--{}", names.empty() ? "" : " ", option.long_name);
    names += option.short_name.empty() ? "" : " -" + option.short_name;
  }
  return names;
}

/// The options of solving and of all subcommands, each name once: what one takes does not depend on where it stands.
CommandOptions all_options(const CommandDescription& command) {
  CommandOptions result = command.options;
  for (const Subcommand& subcommand : command.subcommands) {
    for (const CommandOption& option : subcommand.options) {
      if (std::ranges::find(result, option.long_name, &CommandOption::long_name) == result.end()) {
        result.push_back(option);
      }
    }
  }
  return result;
}

std::string subcommand_names(const CommandDescription& command) {
  std::string names;
  for (const Subcommand& subcommand : command.subcommands) {
    names += (names.empty() ? "" : " ") + subcommand.name;
  }
  return names;
}

// What is typed is taken from the line: whether '=' ends a word is up to the user's COMP_WORDBREAKS.
std::string bash_completion(const CommandDescription& command, const Schema& schema) {
  std::string cases;
  std::string subcommands;
  for (const Subcommand& subcommand : command.subcommands) {
    subcommands += format_text("    {}) names={} may_be={} ;;\n", subcommand.name,
                               in_quotes(dashed_names(subcommand.options)), subcommand.takes_files ? "yes" : "");
  }
  const std::string settings = format_text(R"(
      if [[ $current == *=* ]]; then
        local -A values=({})
        words=${{values[${{current%%=*}}]-}}
        [[ $COMP_WORDBREAKS == *=* ]] || before=${{current%%=*}}=
        current=${{current#*=}}
        [[ -n $words ]] || files=yes
      else
        words='{}'
        compopt -o nospace 2>/dev/null
      fi)",
                                           values_by_key(schema, "[{}]={} "), keys(schema, "="));
  for (const CommandOption& option : all_options(command)) {
    if (const WordList words = choices_of(option, schema); !words.empty()) {
      cases +=
          format_text("    --{}) words={} ;;\n", option.long_name, in_quotes(format_text("{}", fmt::join(words, " "))));
    } else if (option.argument == "N") {
      cases += format_text("    --{}) return ;;\n", option.long_name);
    } else if (is_path(option)) {
      cases += format_text("    --{}) files=yes ;;\n", option.long_name);
    } else if (option.argument == setting) {
      cases += format_text("    --{}){} ;;\n", option.long_name, settings);
    }
  }
  return format_text(R"(# Completion of amgsolve for bash, written by `amgsolve --completion bash`.
_amgsolve() {{
  local line=${{COMP_LINE:0:COMP_POINT}}
  local current=${{line##*[[:space:]]}}
  local typed words= files= before= names='{}' may_be=yes
  read -ra typed < <(printf '%s\n' "${{line%"$current"}}")
  COMPREPLY=()
  if [[ ${{COMP_WORDS[COMP_CWORD]-}} == *[\\\"\']* ]]; then
    compopt -o default 2>/dev/null  # a name with blanks: the shell completes what it quoted itself
    return
  fi
  case ${{typed[1]-}} in
{}  esac
  case ${{typed[${{#typed[@]}} - 1]}} in
{}    *)
      if [[ $current == -* ]]; then
        words=$names
      else
        files=$may_be
        [[ ${{#typed[@]}} -gt 1 ]] || words='{}'
      fi
      ;;
  esac
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "$current")
  fi
}}
complete -F _amgsolve amgsolve
)",
                     dashed_names(command.options), subcommands, cases, subcommand_names(command));
}

/// The text of an argument's or an option's description, in which _arguments gives '[', ']' and ':' a meaning.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += std::string_view("[]:\\").find(c) == std::string_view::npos ? "" : "\\";
    result += c;
  }
  return result;
}

/// What _arguments reads of options, a line each.
std::string zsh_specifications(const CommandOptions& options, const Schema& schema) {
  std::string specifications;
  const auto add = [&](std::string_view name, const CommandOption& option) {
    std::string text = format_text("{}{}[{}]", option.argument == setting ? "*" : "", name, zsh_text(option.help));
    if (const WordList words = choices_of(option, schema); !words.empty()) {
      text += format_text(":{}:({})", option.argument, fmt::join(words, " "));
    } else if (option.argument == setting) {
      text += ":setting:_amgsolve_setting";
    } else if (!option.argument.empty()) {
      text += format_text(":{}:{}", option.argument,
                          option.argument == "FILE"  ? "_files"
                          : option.argument == "DIR" ? "_files -/"
                                                     : "");
    }
    specifications += format_text("  {} \\\n", in_quotes(text));
  };
  for (const CommandOption& option : options) {
    add("--" + option.long_name, option);
    if (!option.short_name.empty()) {
      add("-" + option.short_name, option);
    }
  }
  return specifications;
}

std::string zsh_completion(const CommandDescription& command, const Schema& schema) {
  std::string descriptions;
  std::string cases;
  for (const Subcommand& subcommand : command.subcommands) {
    descriptions += in_quotes(format_text("{}:{}", subcommand.name, subcommand.help)) + " ";
    cases += format_text("    {}) _arguments -s \\\n{}  '*:file:{}'; return ;;\n", subcommand.name,
                         zsh_specifications(subcommand.options, schema), subcommand.takes_files ? "_files" : "");
  }
  return format_text(R"(#compdef amgsolve
# Completion of amgsolve for zsh, written by `amgsolve --completion zsh`.
_amgsolve_setting() {{
  local -A values=({})
  if [[ $PREFIX == *=* ]]; then
    local key=${{PREFIX%%=*}}
    compset -P 1 '*='
    if (( ${{+values[$key]}} )); then
      compadd -- ${{=values[$key]}}
    else
      _files
    fi
  else
    compadd -S = -- {}
  fi
}}
_amgsolve_first() {{
  local -a subcommands=({})
  _describe subcommand subcommands
  _files
}}
if (( CURRENT > 2 )); then
  case $words[2] in
{}  esac
fi
_arguments -s \
{}  '1:problem:_amgsolve_first' '*:problem:_files'
)",
                     values_by_key(schema, "{} {} "), keys(schema, ""), descriptions, cases,
                     zsh_specifications(command.options, schema));
}

/// Lines of `complete` for options, which fish offers where the condition holds.
std::string fish_options(const CommandOptions& options, const Schema& schema, std::string_view condition) {
  std::string lines;
  for (const CommandOption& option : options) {
    lines += format_text("complete -c amgsolve -n '{}' -l {}", condition, option.long_name);
    lines += option.short_name.empty() ? "" : format_text(" -s {}", option.short_name);
    if (const WordList words = choices_of(option, schema); !words.empty()) {
      lines += format_text(" -x -a '{}'", fmt::join(words, " "));
    } else if (option.argument == setting) {
      lines += " -x -a '(__amgsolve_settings)'";
    } else if (!option.argument.empty()) {
      lines += is_path(option) ? " -r -F" : " -x";
    }
    lines += format_text(" -d {}\n", in_quotes(option.help));
  }
  return lines;
}

std::string fish_completion(const CommandDescription& command, const Schema& schema) {
  std::string settings;
  for (const SchemaEntry& entry : schema.entries()) {
    WordList words = words_of(entry);
    if (words.empty()) {
      words.emplace_back();
    }
    for (const std::string_view word : words) {
      settings += format_text("  echo {}={}\\t{}\n", entry.key, word, in_quotes(entry.help));
    }
  }
  const std::string none = format_text("not __fish_seen_subcommand_from {}", subcommand_names(command));
  std::string lines = fish_options(command.options, schema, none);
  for (const Subcommand& subcommand : command.subcommands) {
    lines += format_text("complete -c amgsolve -n __fish_use_subcommand -a {} -d {}\n", subcommand.name,
                         in_quotes(subcommand.help));
    lines += fish_options(subcommand.options, schema, "__fish_seen_subcommand_from " + subcommand.name);
  }
  return format_text(R"(# Completion of amgsolve for fish, written by `amgsolve --completion fish`.
function __amgsolve_settings
{}end
{})",
                     settings, lines);
}

}  // namespace

std::string completion(std::string_view shell, const CommandDescription& command, const Schema& schema) {
  if (shell == "bash") {
    return bash_completion(command, schema);
  }
  if (shell == "zsh") {
    return zsh_completion(command, schema);
  }
  if (shell == "fish") {
    return fish_completion(command, schema);
  }
  throw ConfigurationError(
      format_text("--completion {}: it must be one of {}", shell, fmt::join(completion_shells, ", ")));
}

}  // namespace amgsolve
