"""Looks at the pages of the documentation: CONTRIBUTING.md says what their blocks may be.

    pages.py links ROOT          every link leads to a file or a heading that is there, and the navigation to every page
    pages.py installed FOLDER    the same of the links of installed pages
    pages.py run PAGE            runs the blocks of a page, from top to bottom, in an empty folder
    pages.py cpp SOURCE PAGE...  writes the `cpp` blocks of all pages as one program
    pages.py site FOLDER         every link of a built site leads somewhere in it, and nothing is loaded from elsewhere
"""

import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import urllib.parse

RUN_LANGUAGES = ("sh", "yaml", "python")
CHECKED_LANGUAGES = (*RUN_LANGUAGES, "cpp")
NOT_RUN = re.compile(r"<!-- Not run by the tests: (?:(?!-->).)+ -->$")
DECLARATION = re.compile(r"^(template|struct|class|namespace|using)\b|^[\w:<>&* ]+ \w+\([^()]*\) \{$", re.MULTILINE)
EXCERPT = re.compile(r"^From \[`[^`]+`\]\(([^)]+)\)")
PRINTED = re.compile(r"<!-- Printed by: ((?:(?!-->).)+) -->$")
BYTES = re.compile(r"\d+(\.\d+)? [kMG]?B\b")


class Block:
    """A fenced block, or one that an HTML comment hides: what a block needs and a reader does not."""

    def __init__(self, page, line, language, text, paragraph, hidden):
        self.place = f"{page}:{line}"
        self.line = line
        self.language = language
        self.text = textwrap.dedent(text)
        self.hidden = hidden
        self.is_run = hidden or not NOT_RUN.search(paragraph)
        match = None if hidden else EXCERPT.search(paragraph)
        self.source = page.parent / match[1] if match else None
        self.folder = page.parent.resolve()
        match = None if hidden else PRINTED.search(paragraph)
        self.printed_by = match[1] if match else None

    def check_excerpt(self):
        """Its lines stand in the file that it is from, one below the other, however far indented."""
        strip = lambda text: [line.strip() for line in text.strip().splitlines()]
        if "\n".join(strip(self.text)) not in "\n".join(strip(self.source.read_text())):
            raise SystemExit(f"{self.place}: this does not stand in {self.source}")

    def check_printed(self):
        """Its lines are among those that the command prints, in this order, but for memory, which machines differ in."""
        done = subprocess.run(self.printed_by, shell=True, cwd=self.folder, capture_output=True, text=True, check=False)
        words = lambda line: BYTES.sub("bytes", line).split()
        printed = iter([words(line) for line in done.stdout.splitlines()])
        for line in filter(str.strip, self.text.splitlines()):
            if words(line) not in printed:
                raise SystemExit(f"{self.place}: not printed by {self.printed_by}:\n{line}\n{done.stdout}{done.stderr}")


def blocks_of(page):
    """In the order of the page. A mark in its first paragraph is one of all of them."""
    blocks = []
    paragraph, last_paragraph = [], ""
    text = page.read_text()
    is_run = not NOT_RUN.search(" ".join(text.split("\n\n")[1].split()))
    lines = enumerate(text.splitlines(), 1)
    for number, line in lines:
        fence = re.match(r"( *)```(\w*)$", line)
        comment = re.match(rf"<!-- ({'|'.join(CHECKED_LANGUAGES)})$", line)
        if fence or comment:
            end = f"{fence[1]}```" if fence else "-->"
            inner_lines = []
            for _, inner in lines:
                if inner == end:
                    break
                inner_lines.append(inner + "\n")
            else:
                raise SystemExit(f"{page}:{number}: this block has no end")
            above = " ".join(paragraph) or last_paragraph
            language = fence[2] if fence else comment[1]
            blocks.append(Block(page, number, language, "".join(inner_lines), above, bool(comment)))
            if fence:
                paragraph, last_paragraph = [], ""
        elif line.strip():
            paragraph.append(line.strip())
        elif paragraph:
            paragraph, last_paragraph = [], " ".join(paragraph)
    return blocks if is_run else []


# Blocks that run.


def run(page):
    blocks = blocks_of(page)
    names = {"__name__": page.stem}
    left_out = False
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["HOME"] = folder
        for block in blocks:
            if block.source:
                block.check_excerpt()
            elif block.printed_by:
                block.check_printed()
            elif left_out or not block.is_run or block.language not in RUN_LANGUAGES:
                continue
            elif block.language == "yaml":
                run_yaml(block)
            elif block.language == "sh":
                run_program(block, ["bash", "-euo", "pipefail", "-c", block.text])
            elif os.environ.get("AMGSOLVE_DOCS_PYTHON_PACKAGE"):
                exec(compile(block.text, block.place, "exec"), names)
            else:
                left_out = True
        os.chdir("/")
    if left_out:
        print(f"{page}: left out from the first block in Python on: the package is not built")


def run_yaml(block):
    """Its first line may name the file that later blocks find it in."""
    named = re.match(r"# (\S+\.yaml)\b", block.text)
    name = named[1] if named else "problem.yaml"
    pathlib.Path(name).write_text(block.text)
    run_program(block, ["amgsolve", name, "--print-config"])


def run_program(block, command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode == 2 and "Chart.js" in done.stderr:
        print(f"{block.place}: left out: the build is without Chart.js")
        return
    if done.returncode != 0:
        raise SystemExit(f"{block.place}: exit code {done.returncode}\n{block.text}\n{done.stdout}{done.stderr}")


# Blocks that are compiled.


def write_cpp(source, pages):
    """Each page is a namespace. A block with declarations stands there, the lines of the others in one function. A main()
    is called as that is, and has to return 0."""
    includes, namespaces, calls = set(), [], []
    for page in pages:
        outside, inside = [], []
        name = re.sub(r"\W", "_", f"{page.parent.name}_{page.stem}")
        blocks = [b for b in blocks_of(page) if b.language == "cpp" and b.is_run and not b.source]
        for number, block in enumerate(blocks):
            lines = block.text.splitlines()
            includes.update(line for line in lines if line.startswith("#include"))
            text = "\n".join([f'#line {block.line + 1} "{page}"', *("" if l.startswith("#") else l for l in lines), ""])
            if re.search(r"^int main\(", block.text, re.MULTILINE):
                outside.append(f"namespace program_{number} {{\n{text}}}\n")
                calls.append(f"  failed |= {name}::program_{number}::main();\n")
            elif DECLARATION.search(block.text):
                outside.append(text)
            else:
                inside.append(text)
        if inside:
            outside.append("void run() {\n" + "".join(inside) + "}\n")
            calls.append(f"  {name}::run();\n")
        if outside:
            namespaces.append(f"namespace {name} {{\n{''.join(outside)}}}\n")
    program = "int main() {\n  int failed = 0;\n" + "".join(calls) + "  return failed;\n}\n"
    source.write_text("\n".join([*sorted(includes), *namespaces, program]))


# Links.


def headings_of(page):
    """The fragments that lead to them."""
    text = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def links_of(page):
    text = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "``", text))


def pages_of(root):
    return [*root.glob("*.md"), *root.glob("docs/**/*.md")]


def wrong_links(root):
    wrong = []
    for page in pages_of(root):
        for link in links_of(page):
            target, _, fragment = link.partition("#")
            if "://" in target:
                continue
            path = page.parent / target if target else page
            if not path.exists():
                wrong.append(f"{page}: {link}: no such file")
            elif fragment and fragment not in headings_of(path):
                wrong.append(f"{page}: {link}: no such heading")
    return wrong


def missing_in_navigation(root):
    navigation = (root / "docs" / "site" / "mkdocs.yml").read_text()
    missing = [page for page in pages_of(root) if page.relative_to(root).as_posix() not in navigation]
    return [f"{page} is missing in docs/site/mkdocs.yml" for page in missing]


class SitePage(html.parser.HTMLParser):
    """What a page links to, what it loads, and what can be linked to in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes.get("id"), attributes.get("name")}
        address = attributes.get("href" if tag in ("a", "link") else "src")
        if address:
            (self.links if tag == "a" else self.loaded).append(address)


def wrong_in_site(folder):
    if not folder.exists():
        print("skipped: there is no site")
        sys.exit(77)
    pages = {path: SitePage(path) for path in folder.rglob("*.html")}
    wrong = []
    for path, page in pages.items():
        if path.name == "404.html" or "api" in path.relative_to(folder).parts:  # of the generators alone
            continue
        if "```" in path.read_text():
            wrong.append(f"{path}: a block is not one")
        wrong += [f"{path} loads {address}" for address in page.loaded if urllib.parse.urlparse(address).netloc]
        for address in page.links + page.loaded:
            parts = urllib.parse.urlparse(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir() and (target / "index.html").exists():
                target /= "index.html"
            if not target.exists():
                wrong.append(f"{path}: {address}: no such file")
            elif parts.fragment and target in pages and parts.fragment not in pages[target].anchors:
                wrong.append(f"{path}: {address}: no such place")
    return wrong


def refuse(wrong):
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    paths = [pathlib.Path(argument).resolve() for argument in sys.argv[2:]]
    match sys.argv[1]:
        case "links":
            refuse(wrong_links(*paths) + missing_in_navigation(*paths))
        case "installed":
            refuse(wrong_links(*paths))
        case "run":
            run(*paths)
        case "cpp":
            write_cpp(paths[0], paths[1:])
        case "site":
            refuse(wrong_in_site(*paths))
