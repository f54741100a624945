#!/usr/bin/env bash
# build.sh SITE: the documentation as static pages in the folder SITE, by MkDocs (Debian's mkdocs and python3-pymdownx), in the
# theme Material where that is installed (mkdocs-material); what Doxygen writes of the public headers is in SITE/api. Warnings are errors.
set -euo pipefail

command -v mkdocs >/dev/null || { echo "skipped: MkDocs is not installed (mkdocs)"; exit 77; }
python=$(sed -n '1s/^#! *//p' "$(command -v mkdocs)")
$python -c 'import pymdownx' || { echo "skipped: MkDocs has no pymdownx (python3-pymdownx)"; exit 77; }
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
site=$(realpath -m -- "${1:?a folder for the site}")

# Pages link to files beside docs/, so the site has the same tree, of links.
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
ln -s "$root"/{README,CONTRIBUTING,CHANGELOG,SECURITY}.md "$root"/{LICENSE,Dockerfile,quickstart,include,examples} "$source"
mkdir "$source/docs"
ln -s "$root"/docs/*.md "$root"/docs/*.svg "$root/docs/tutorial" "$source/docs"

export AMGSOLVE_SITE_SOURCE=$source
if [[ -d /usr/share/mkdocs/themes/material ]]; then
  export AMGSOLVE_SITE_THEME=material
fi
if command -v doxygen >/dev/null; then
  cd "$root/include"
  doxygen - <<DOXYGEN
PROJECT_NAME = amgsolve
INPUT = amgsolve
FILE_PATTERNS = *.hpp *.h
PREDEFINED = AMGSOLVE_EXPORT= __cplusplus
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
OUTPUT_DIRECTORY = $source
HTML_OUTPUT = api
GENERATE_LATEX = NO
JAVADOC_AUTOBRIEF = YES
EXTRACT_ALL = YES
WARN_IF_INCOMPLETE_DOC = NO
HAVE_DOT = NO
QUIET = YES
WARN_AS_ERROR = YES
DOXYGEN
  rm "$source/docs/library.md"
  sed 's#`api/`#[`api/`](../api/index.html)#' "$root/docs/library.md" >"$source/docs/library.md"
fi

mkdocs build --quiet --clean --config-file "$root/docs/site/mkdocs.yml" --site-dir "$site"
