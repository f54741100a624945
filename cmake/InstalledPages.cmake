# Run when the pages in `folder` were installed: their links lead to where programs and headers are in the installed tree,
# the headers at `headers` from there. What is in the sources alone is named without a link.
file(GLOB_RECURSE pages "${folder}/*.md")
foreach(page IN LISTS pages)
  file(READ "${page}" text)
  string(REGEX REPLACE "\\]\\(((\\.\\./)*)examples/" "](\\1../libamgsolve-dev/examples/" text "${text}")
  string(REGEX REPLACE "\\]\\(((\\.\\./)*)include/" "](\\1${headers}/" text "${text}")
  string(REPLACE "](LICENSE)" "](copyright)" text "${text}")
  string(REGEX REPLACE "\\[(`[^`]+`)\\]\\((quickstart|Dockerfile)\\)" "\\1" text "${text}")
  file(WRITE "${page}" "${text}")
endforeach()
