# A unity build compiles several sources at a time, so that the headers, most of what a small source costs, are parsed once
# for all of them: a third of the time for .cu. A change compiles more again, which is why the presets for development go
# without. A project that asks CMake for it gets it, too.
option(AMGSOLVE_UNITY_BUILD "Compile several sources of the library and of the application at a time" ${CMAKE_UNITY_BUILD})
set(CMAKE_UNITY_BUILD OFF)  # tests spend their time in instances of their own, which joining does not save

# amgsolve_unity_build(TARGET [HOST]): joins its sources but for those that the build generates. x_host.cpp have the bodies
# of what x.cpp call for both spaces, which would instantiate a device's if they saw them: they are joined with each other,
# with HOST. Not where they are the loops of the solver, of which a compiler inlines less the more of them it sees: joined,
# solves took a quarter longer (g++ 12). CMake joins no .cu before 3.31. Which sources meet depends on what is built, so
# names in anonymous namespaces differ from those of all other sources.
function(amgsolve_unity_build target)
  if(NOT AMGSOLVE_UNITY_BUILD)
    return()
  endif()
  set(size 16)
  set(undefine "#undef AMGSOLVE_INSTANTIATE")
  get_target_property(sources ${target} SOURCES)
  set(cpp ${sources})
  list(FILTER cpp INCLUDE REGEX "[.]cpp$")
  set(host ${cpp})
  list(FILTER cpp EXCLUDE REGEX "_host[.]cpp$")
  list(FILTER host INCLUDE REGEX "_host[.]cpp$")
  if(NOT "HOST" IN_LIST ARGN)
    set(host)
  endif()
  set(group 0)
  foreach(kind cpp host)
    while(${kind})
      list(SUBLIST ${kind} 0 ${size} joined)
      list(REMOVE_ITEM ${kind} ${joined})
      set_source_files_properties(${joined} PROPERTIES UNITY_GROUP ${group})
      math(EXPR group "${group} + 1")
    endwhile()
  endforeach()
  set(cu ${sources})
  list(FILTER cu INCLUDE REGEX "[.]cu$")
  list(REMOVE_ITEM sources ${cu} "")
  while(cu)
    list(SUBLIST cu 0 ${size} joined)
    list(REMOVE_ITEM cu ${joined})
    list(TRANSFORM joined REPLACE "(.+)" "#include \"\\1\"\n${undefine}\n")
    list(JOIN joined "" content)
    set(source ${PROJECT_BINARY_DIR}/${target}_${group}.cu)
    math(EXPR group "${group} + 1")
    file(CONFIGURE OUTPUT ${source} CONTENT "${content}")
    list(APPEND sources ${source})
  endwhile()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}" UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_AFTER_INCLUDE "${undefine}")
endfunction()
