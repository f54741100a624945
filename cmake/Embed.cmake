# amgsolve_embed(TARGET NAME FILE): a source of the target that defines the text of a file as the string_view NAME of
# src/application/embedded.hpp; of no file, an empty one.
function(amgsolve_embed target name file)
  set(text "")
  if(file)
    file(READ "${file}" text)
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endif()
  set(source "${PROJECT_BINARY_DIR}/embedded/${name}.cpp")
  file(WRITE "${source}.new" "#include \"src/application/embedded.hpp\"\n\nnamespace amgsolve {\n\n"
    "const std::string_view ${name} = R\"amgsolve(${text})amgsolve\";\n\n}  // namespace amgsolve\n")
  configure_file("${source}.new" "${source}" COPYONLY)
  set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>")
  target_sources(${target} PRIVATE "${source}")
endfunction()

# amgsolve_embed_json_array(TARGET NAME FILE...): the same of an array that has the JSON of each file.
function(amgsolve_embed_json_array target name)
  set(items)
  foreach(file IN LISTS ARGN)
    file(READ "${file}" item)
    string(APPEND items "${comma}${item}")
    set(comma ",")
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endforeach()
  set(array "${PROJECT_BINARY_DIR}/embedded/${name}.json")
  file(WRITE "${array}" "[${items}]")
  amgsolve_embed(${target} ${name} "${array}")
endfunction()
