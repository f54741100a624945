# Read by `cpack` for each generator, which would leave out what Debian's packages depend on where it cannot tell.
if(CPACK_GENERATOR STREQUAL "DEB")
  find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
  find_program(FILE_COMMAND file)
  if(NOT DPKG_SHLIBDEPS OR NOT FILE_COMMAND)
    message(FATAL_ERROR "what a package depends on is told by dpkg-shlibdeps and file: install dpkg-dev and file, or "
      "make the archive alone by cpack -G TGZ")
  endif()
endif()
