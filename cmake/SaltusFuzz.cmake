# tests/fuzz/<name>_fuzz.cpp read any bytes as one kind of file. The preset fuzz (SALTUS_FUZZ) makes saltus_<name>_fuzz of them, with libFuzzer, for
# tests/fuzz/run_fuzz.sh; every other build with tests makes saltus_<name>_mutations, which puts a fixed number of random changes of the seeds to them.

set(model_layer model)
set(orbit_layer driver)   # what saltus orbit writes as JSON
set(branch_layer driver)  # what saltus continue writes as JSON
set(diagram_layer result) # NetCDF, of any command
set(journal_layer result)
set(starts_layer driver)

set(model_changes 20000)
set(orbit_changes 4000)
set(branch_changes 3000)
set(diagram_changes 200) # each in a process of its own
set(journal_changes 30000)
set(starts_changes 30000)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM target)
  string(REGEX REPLACE "_fuzz$" "" name ${target})
  if(SALTUS_FUZZ)
    set(target saltus_${name}_fuzz)
    add_executable(${target} ${source})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    set(target saltus_${name}_mutations)
    add_executable(${target} ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/mutations.cpp)
    set(seeds tests/fuzz/corpus/${name})
    if(name STREQUAL model)
      set(seeds examples tests/bad)
    endif()
    saltus_script_test(fuzz_${name} fast $<TARGET_FILE:${target}> ${${name}_changes} ${seeds})
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE saltus_${${name}_layer})
  saltus_executable(${target})
endforeach()
