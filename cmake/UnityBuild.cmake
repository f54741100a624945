# A unity build compiles several sources at a time, so that the headers, most of what a small source costs, are parsed once
# for all of them: half the time for the library, a third for its .cu. The results have the same bits; a change compiles
# more again, which is why the presets for development go without. A project that asks CMake for it gets it, too.
option(AMGSOLVE_UNITY_BUILD "Compile several sources of the library and of the application at a time" ${CMAKE_UNITY_BUILD})
set(CMAKE_UNITY_BUILD OFF)  # tests spend their time in instances of their own, which joining does not save

# amgsolve_unity_build(TARGET): those of its sources are joined that may see one another's templates. x_host.cpp has bodies
# of what x.cpp calls for both spaces, and x.cpp would instantiate a device's if it saw them. Sources that the build
# generates stay alone, and CMake joins no .cu before 3.31. Which sources meet depends on what is built, so names in anonymous
# namespaces differ from those of all other sources.
function(amgsolve_unity_build target)
  if(NOT AMGSOLVE_UNITY_BUILD)
    return()
  endif()
  set(size 8)
  set(undefine "#undef AMGSOLVE_INSTANTIATE")
  get_target_property(sources ${target} SOURCES)
  foreach(kind IN ITEMS host other cuda)
    set(group 0)
    set(rest ${sources})
    if(kind STREQUAL "cuda")
      list(FILTER rest INCLUDE REGEX "[.]cu$")
    else()
      list(FILTER rest INCLUDE REGEX "[.]cpp$")
    endif()
    if(kind STREQUAL "host")
      list(FILTER rest INCLUDE REGEX "_host[.]cpp$")
    elseif(kind STREQUAL "other")
      list(FILTER rest EXCLUDE REGEX "_host[.]cpp$")
    endif()
    while(rest)
      list(SUBLIST rest 0 ${size} joined)
      list(REMOVE_ITEM rest ${joined})
      if(kind STREQUAL "cuda")
        list(REMOVE_ITEM sources ${joined})
        list(TRANSFORM joined REPLACE "(.+)" "#include \"\\1\"\n${undefine}\n")
        list(JOIN joined "" content)
        set(source ${PROJECT_BINARY_DIR}/${target}_${group}.cu)
        file(CONFIGURE OUTPUT ${source} CONTENT "${content}")
        list(APPEND sources ${source})
      else()
        set_source_files_properties(${joined} PROPERTIES UNITY_GROUP ${kind}_${group})
      endif()
      math(EXPR group "${group} + 1")
    endwhile()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}" UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_AFTER_INCLUDE "${undefine}")
endfunction()
