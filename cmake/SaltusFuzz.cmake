# tests/fuzz/<name>_fuzz.cpp become saltus_<name>_fuzz, linked to the layer that reads such a file; run by tests/fuzz/run_fuzz.sh.

set(model_layer model)
set(orbit_layer driver)   # what saltus orbit writes as JSON
set(branch_layer driver)  # what saltus continue writes as JSON
set(diagram_layer result) # NetCDF, of any command
set(journal_layer result)
set(starts_layer driver)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM target)
  string(REGEX REPLACE "_fuzz$" "" name ${target})
  add_executable(saltus_${target} ${source})
  target_include_directories(saltus_${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(saltus_${target} PRIVATE saltus_${${name}_layer})
  target_compile_options(saltus_${target} PRIVATE ${SALTUS_WARNINGS})
  target_link_options(saltus_${target} PRIVATE -fsanitize=fuzzer)
endforeach()
