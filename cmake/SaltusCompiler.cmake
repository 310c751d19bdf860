# How every file of the project is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # the static layers also go into shared modules (code generator, Python)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# bin/ and lib/ stand beside each other in the build folder as they do where the project is installed.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Every fma is placed by our own code: a compiler that contracts a*b + c by itself changes bits between widths and
# machines. For the same reason no -march and never -ffast-math.
set(SALTUS_CODE_FLAGS -ffp-contract=off)
if(SALTUS_SANITIZE)
  # The address sanitizer sees bad pointers already; checking each of them once more doubles the time to compile Eigen.
  list(APPEND SALTUS_CODE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                -fno-sanitize=null,alignment,object-size,vptr)
  add_link_options(-fsanitize=address,undefined)
endif()
if(SALTUS_FUZZ)
  list(APPEND SALTUS_CODE_FLAGS -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
add_compile_options(${SALTUS_CODE_FLAGS})

# Several files are compiled as one: what they use of Eigen is then instantiated once, which halves the time of a build
# from nothing. Files of a layer share a scope for it, so that -Wshadow would report names of neighbours.
set(SALTUS_SHADOW -Wshadow)
if(CMAKE_UNITY_BUILD)
  set(SALTUS_SHADOW -Wshadow=local -Wno-subobject-linkage)
endif()
set(SALTUS_WARNINGS -Wall -Wextra -Wpedantic ${SALTUS_SHADOW} -Wconversion -Wno-sign-conversion
                    -Wno-missing-field-initializers) # {.rtol = 1e-12} leaves the other members at their defaults
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND SALTUS_WARNINGS -Wno-maybe-uninitialized) # GCC 12 warns wrongly in std::optional under sanitizers
endif()
if(SALTUS_WERROR)
  list(APPEND SALTUS_WARNINGS -Werror)
endif()
