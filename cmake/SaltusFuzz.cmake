# tests/fuzz/<layer>_fuzz.cpp become saltus_<layer>_fuzz; run by tests/fuzz/run_fuzz.sh.

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  string(REGEX REPLACE "_fuzz$" "" layer ${name})
  add_executable(saltus_${name} ${source})
  target_link_libraries(saltus_${name} PRIVATE saltus_${layer})
  target_compile_options(saltus_${name} PRIVATE ${SALTUS_WARNINGS})
  target_link_options(saltus_${name} PRIVATE -fsanitize=fuzzer)
endforeach()
