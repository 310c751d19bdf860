# One static library per layer, linked only to layers on its left.

set(SALTUS_LAYERS "")   # the layers that exist, left to right

# What a plain build has in the place of LLVM, TBB and NetCDF, and others do not; and the other way round. All stand outside of the unity
# files, so that these are the same in every build.
set(SALTUS_PLAIN_FILES kernel/codegen_built_in.cpp kernel/interpreted_code.cpp analysis/motions/parallel_serial.cpp
                       result/netcdf_missing.cpp)
set(SALTUS_FULL_FILES  kernel/codegen_loading.cpp analysis/motions/parallel_tbb.cpp result/netcdf_file.cpp
                       result/netcdf_reading.cpp)
list(TRANSFORM SALTUS_PLAIN_FILES PREPEND ${PROJECT_SOURCE_DIR}/saltus/)
list(TRANSFORM SALTUS_FULL_FILES PREPEND ${PROJECT_SOURCE_DIR}/saltus/)
set_source_files_properties(${SALTUS_PLAIN_FILES} ${SALTUS_FULL_FILES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# saltus_layer(name [USES left-layer ...] [LIBS ...]): saltus/<name>/**/*.cpp become saltus_<name>. A layer without sources yet
# only hands on the layers on its left.
function(saltus_layer name)
  cmake_parse_arguments(arg "" "" "USES;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/saltus/${name}/*.cpp)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/saltus/kernel/codegen.cpp) # see saltus_codegen_module
  if(SALTUS_PLAIN)
    list(REMOVE_ITEM sources ${SALTUS_FULL_FILES})
  else()
    list(REMOVE_ITEM sources ${SALTUS_PLAIN_FILES})
  endif()
  set(uses "")
  foreach(left IN LISTS arg_USES)
    if(NOT TARGET saltus_${left})
      message(STATUS "layer ${name}: skipped, because ${left} is")
      return()
    endif()
    list(APPEND uses saltus_${left})
  endforeach()
  if(NOT sources)
    message(STATUS "layer ${name}: empty, no sources yet")
    add_library(saltus_${name} INTERFACE)
    target_link_libraries(saltus_${name} INTERFACE ${uses} ${arg_LIBS})
    return()
  endif()
  add_library(saltus_${name} STATIC ${sources})
  target_include_directories(saltus_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(saltus_${name} PRIVATE ${SALTUS_WARNINGS})
  target_link_libraries(saltus_${name} PUBLIC ${uses} ${arg_LIBS})
  set(SALTUS_LAYERS ${SALTUS_LAYERS} ${name} PARENT_SCOPE)
endfunction()

# The one file that uses LLVM, saltus/<layer>/codegen.cpp, is a module of its own, lib/saltus_codegen.so, so that only
# those who compile a model wait for libLLVM. The layer opens it where `module_places` says. The module carries its own, hidden copy of the layer's functions.
function(saltus_codegen_module layer)
  if(NOT TARGET saltus_${layer} OR NOT EXISTS ${PROJECT_SOURCE_DIR}/saltus/${layer}/codegen.cpp)
    message(STATUS "code generator: skipped, no sources yet")
    return()
  endif()
  add_library(saltus_codegen MODULE ${PROJECT_SOURCE_DIR}/saltus/${layer}/codegen.cpp)
  set_target_properties(saltus_codegen PROPERTIES PREFIX "" BUILD_RPATH ${LLVM_LIBRARY_DIRS}
                                                  INSTALL_RPATH ${LLVM_LIBRARY_DIRS})
  target_compile_options(saltus_codegen PRIVATE ${SALTUS_WARNINGS})
  target_include_directories(saltus_codegen SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(saltus_codegen PRIVATE saltus_${layer} LLVM)
  target_link_options(saltus_codegen PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
endfunction()

# The same door without LLVM, for commands of milliseconds in the nightly set: lib/saltus_interpreted.so. It is built when asked for.
function(saltus_interpreted_module layer)
  add_library(saltus_interpreted MODULE EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/saltus/kernel/interpreted_code.cpp)
  set_target_properties(saltus_interpreted PROPERTIES PREFIX "")
  target_compile_options(saltus_interpreted PRIVATE ${SALTUS_WARNINGS})
  target_link_libraries(saltus_interpreted PRIVATE saltus_${layer})
  target_link_options(saltus_interpreted PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
endfunction()

# All layers as one shared library, lib/libsaltus.so, which is what others link: target saltus_library, outside saltus::saltus.
function(saltus_shared_library)
  add_library(saltus_library SHARED)
  add_library(saltus::saltus ALIAS saltus_library)
  foreach(layer IN LISTS SALTUS_LAYERS)
    target_sources(saltus_library PRIVATE $<TARGET_OBJECTS:saltus_${layer}>)
  endforeach()
  set_target_properties(saltus_library PROPERTIES
    OUTPUT_NAME saltus EXPORT_NAME saltus LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION 0
    INSTALL_RPATH "\$ORIGIN/saltus")
  target_include_directories(saltus_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  target_compile_features(saltus_library INTERFACE cxx_std_20)
  # Vectors of Eigen cross the border: both sides must lay them out alike. saltus.hpp checks it.
  target_compile_definitions(saltus_library INTERFACE EIGEN_MAX_ALIGN_BYTES=16 EIGEN_MAX_STATIC_ALIGN_BYTES=16)
  target_link_libraries(saltus_library PRIVATE fmt::fmt ${SALTUS_THREADING} ${SALTUS_NETCDF} Threads::Threads ${CMAKE_DL_LIBS}
                                       PUBLIC Eigen3::Eigen nlohmann_json::nlohmann_json)
  # Inline functions that the other side has compiled with its own options must not take the place of ours: other bits would follow.
  target_link_options(saltus_library PRIVATE -Wl,--no-undefined -Wl,-Bsymbolic-functions)
  if(SALTUS_SANITIZE AND NOT SALTUS_SLOW_TESTS) # nothing uses it there
    set_target_properties(saltus_library PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# Whatever runs kernels is linked by this. DT_RPATH, not RUNPATH: a sanitizer calls dlopen in our place, and a RUNPATH
# counts only for the caller.
function(saltus_executable target)
  target_compile_options(${target} PRIVATE ${SALTUS_WARNINGS})
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  set_target_properties(${target} PROPERTIES BUILD_RPATH "\$ORIGIN/../lib" INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/saltus")
  if(TARGET saltus_codegen)
    add_dependencies(${target} saltus_codegen)
  endif()
endfunction()

# saltus_front_end(cli USES report [LIBS ...]): saltus/cli/*.cpp become the program `saltus`: main.cpp, and a library of the rest.
function(saltus_front_end name)
  cmake_parse_arguments(arg "" "USES" "LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/saltus/${name}/*.cpp)
  if(NOT sources OR NOT TARGET saltus_${arg_USES})
    message(STATUS "front end ${name}: skipped, it or ${arg_USES} has no sources yet")
    return()
  endif()
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/saltus/${name}/main.cpp)
  add_library(saltus_${name} STATIC ${sources}) # for its tests, tests/<name>/*_test.cpp
  target_compile_options(saltus_${name} PRIVATE ${SALTUS_WARNINGS})
  target_compile_definitions(saltus_${name} PRIVATE SALTUS_VERSION="${PROJECT_VERSION}")
  target_link_libraries(saltus_${name} PUBLIC saltus_${arg_USES} ${arg_LIBS})
  add_executable(saltus ${PROJECT_SOURCE_DIR}/saltus/${name}/main.cpp)
  target_link_libraries(saltus PRIVATE saltus_${name})
  saltus_executable(saltus)
  add_custom_command(TARGET saltus POST_BUILD COMMAND ${CMAKE_COMMAND} -D SALTUS=$<TARGET_FILE:saltus>
    -D SHARE=${PROJECT_BINARY_DIR}/share -P ${PROJECT_SOURCE_DIR}/cmake/SaltusShare.cmake)
endfunction()

# saltus/mpi/*.cpp, the only files that use MPI, are a module of their own, lib/saltus_mpi.so, which the program opens when
# mpirun has started it. Without MPI on the machine it is left out.
function(saltus_mpi_module)
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(STATUS "MPI: not found, the program works without mpirun only")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/saltus/mpi/*.cpp)
  add_library(saltus_mpi MODULE ${sources})
  set_target_properties(saltus_mpi PROPERTIES PREFIX "")
  target_include_directories(saltus_mpi PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(saltus_mpi PRIVATE ${SALTUS_WARNINGS})
  target_compile_definitions(saltus_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(saltus_mpi PRIVATE MPI::MPI_CXX)
  if(TARGET saltus)
    add_dependencies(saltus saltus_mpi)
  endif()
endfunction()
