# Tests: tests/<layer>/**/*_test.cpp become one program per layer, saltus_<layer>_tests; *_slow_test.cpp another,
# saltus_<layer>_slow_tests. Every TEST is an entry of CTest with the label fast or slow. With SALTUS_SLOW_TESTS off, as in
# the sanitized build, the slow ones are not even compiled.

find_package(GTest QUIET)
find_package(rapidcheck QUIET)
if(NOT GTest_FOUND OR NOT rapidcheck_FOUND)
  message(STATUS "tests: skipped, libgtest-dev or librapidcheck-dev is missing") # ./run does not need them
  return()
endif()
include(GoogleTest)

set(SALTUS_PYTHON /usr/bin/python3) # Debian's: the one that has the packages of tools/setup.sh

# saltus_test(layer file [SLOW]): adds a file to the test program of its layer.
function(saltus_test layer file)
  cmake_parse_arguments(arg "SLOW" "" "" ${ARGN})
  set(target saltus_${layer}_tests)
  set(label fast)
  set(timeout 120)
  if(arg_SLOW)
    set(target saltus_${layer}_slow_tests)
    set(label slow)
    set(timeout 1200)
  endif()
  if(NOT TARGET ${target})
    add_executable(${target})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE GTest::gtest_main GTest::gmock rapidcheck rapidcheck_gtest
                                            Eigen3::Eigen)
    if(TARGET saltus_${layer})
      target_link_libraries(${target} PRIVATE saltus_${layer})
    endif()
    saltus_executable(${target})
    # From the project root, so that a test opens "examples/bouncing_ball.toml" as a reader would.
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_PREFIX ${layer}.
                         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES LABELS ${label} TIMEOUT ${timeout})
  endif()
  target_sources(${target} PRIVATE ${file})
endfunction()

function(saltus_tests_of layer)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${layer}/*_test.cpp)
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    if(name MATCHES "_slow_test$")
      if(SALTUS_SLOW_TESTS)
        saltus_test(${layer} ${file} SLOW)
      endif()
    else()
      saltus_test(${layer} ${file})
    endif()
  endforeach()
endfunction()

# Seen from outside: they include <saltus/saltus.hpp> and link the shared library. The only tests of a plain build.
if(NOT SALTUS_SANITIZE OR SALTUS_SLOW_TESTS)
  saltus_tests_of(library)
  target_compile_definitions(saltus_library_tests PRIVATE SALTUS_PLAIN=$<BOOL:${SALTUS_PLAIN}>)
  target_link_libraries(saltus_library_tests PRIVATE nlohmann_json::nlohmann_json)
endif()
if(SALTUS_PLAIN)
  return()
endif()

saltus_tests_of(support)
foreach(layer IN LISTS SALTUS_LAYERS ITEMS cli)
  saltus_tests_of(${layer})
endforeach()

# saltus_script_test(name label command...): one program or script, run from the project root.
function(saltus_script_test name label)
  if(label STREQUAL slow AND NOT SALTUS_SLOW_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # Scripts take longest: with the highest cost they are started first, and no processor waits for them at the end.
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 1800 COST 1000)
endfunction()

saltus_script_test(layers fast ${SALTUS_PYTHON} tools/check_layers.py)
find_program(CLANG_FORMAT clang-format-19)
if(CLANG_FORMAT)
  saltus_script_test(format fast tools/format.sh --check)
endif()

if(TARGET saltus)
  # What readme needs to compile a block of C++ and link it with the library of this build.
  set(compile_flags -std=c++20 -O0 ${SALTUS_CODE_FLAGS} -DEIGEN_MAX_ALIGN_BYTES=16 -DEIGEN_MAX_STATIC_ALIGN_BYTES=16
                    -I${PROJECT_SOURCE_DIR} -isystem
                    $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
  set(link_flags -L${PROJECT_BINARY_DIR}/lib -lsaltus -Wl,-rpath,${PROJECT_BINARY_DIR}/lib)
  list(JOIN compile_flags "\" \"" compile_flags) # quoted: the project may stand in a folder with a space in its name
  list(JOIN link_flags "\" \"" link_flags)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/readme_compile_flags.txt CONTENT "\"${compile_flags}\"\n")
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/readme_link_flags.txt CONTENT "\"${link_flags}\"\n")

  if(EXISTS ${PROJECT_SOURCE_DIR}/README.md)
    saltus_script_test(readme slow ${SALTUS_PYTHON} tests/readme/run_blocks.py --build ${PROJECT_BINARY_DIR})
  endif()
  file(GLOB bad_models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/bad/*.expected)
  if(bad_models)
    saltus_script_test(bad_models fast ${SALTUS_PYTHON} tests/bad/run_bad.py --saltus $<TARGET_FILE:saltus>)
  endif()

  # What these compare are numbers of many runs: minutes under the sanitizers, which see the same code in the tests of analysis and driver.
  set(scripts_of_numbers branch_beyond_test branch_creep_test branch_excitable_test branch_families_test branch_truth_test codimension_test
                         continue_test drift_test ends_test hill_test response_test special_hopf_test struck_together_test sweep_test
                         wanted_orbits_test)
  # Tests of a front end from outside, tests/<folder>/<name>_test.py: they find the program in SALTUS.
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/*_test.py)
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM name)
    set(label fast)
    if(name MATCHES "_slow_test$" OR name IN_LIST scripts_of_numbers)
      set(label slow)
    endif()
    saltus_script_test(${name} ${label} ${SALTUS_PYTHON} ${script})
    if(TEST ${name})
      set_tests_properties(${name} PROPERTIES ENVIRONMENT SALTUS=$<TARGET_FILE:saltus>)
    endif()
  endforeach()
endif()

# Any bytes as each kind of file that is read, sanitized: what the release build would find, the sanitized one finds, too.
if(SALTUS_SANITIZE)
  include(SaltusFuzz)
endif()
