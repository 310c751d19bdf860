# cmake --install: the program, the library with headers and package files, modules in lib/saltus, example models. Everything finds the
# rest from where it stands itself: the whole tree may be moved. cpack makes Debian packages of it.

include(CMakePackageConfigHelpers)
set(SALTUS_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/saltus)

foreach(module saltus_codegen saltus_mpi)
  if(TARGET ${module})
    string(REPLACE saltus_codegen runtime component ${module})
    string(REPLACE saltus_mpi mpi component ${component})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/saltus COMPONENT ${component})
  endif()
endforeach()
if(TARGET saltus)
  install(TARGETS saltus RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()
install(TARGETS saltus_library EXPORT saltus
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/saltus/examples COMPONENT runtime
        FILES_MATCHING PATTERN "*.toml")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
# What the build has put there as it is to be installed: man/man1/saltus.1, bash-completion/completions/saltus, ...
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT runtime OPTIONAL)

# Headers of the layers, without those that belong to the code generator and to front ends.
foreach(layer IN LISTS SALTUS_LAYERS)
  install(DIRECTORY saltus/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/saltus COMPONENT development
          FILES_MATCHING PATTERN "*.hpp" PATTERN "ir_*.hpp" EXCLUDE)
endforeach()
install(FILES saltus/saltus.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/saltus COMPONENT development)

# find_package(saltus) from an installed tree and, with saltus_DIR, from the build folder.
install(EXPORT saltus NAMESPACE saltus:: FILE saltus-targets.cmake DESTINATION ${SALTUS_PACKAGE_FOLDER}
        COMPONENT development)
export(EXPORT saltus NAMESPACE saltus:: FILE ${PROJECT_BINARY_DIR}/saltus-targets.cmake)
configure_package_config_file(cmake/saltus-config.cmake.in ${PROJECT_BINARY_DIR}/saltus-config.cmake
                              INSTALL_DESTINATION ${SALTUS_PACKAGE_FOLDER})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/saltus-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/saltus-config.cmake ${PROJECT_BINARY_DIR}/saltus-config-version.cmake
        DESTINATION ${SALTUS_PACKAGE_FOLDER} COMPONENT development)

# pkg-config: its prefix is where the file is found.
file(RELATIVE_PATH SALTUS_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/saltus.pc.in ${PROJECT_BINARY_DIR}/saltus.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/saltus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# cpack -G DEB: saltus (the program and the library), saltus-dev (to link it), saltus-mpi. Built against, and installed on, Debian 12.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME saltus)
set(CPACK_PACKAGE_CONTACT "The Saltus developers <saltus@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development mpi)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME saltus)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "gnuplot-nox, fonts-dejavu-core") # pictures
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME saltus-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "saltus (= ${PROJECT_VERSION}), libeigen3-dev, nlohmann-json3-dev")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME saltus-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "saltus (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Motions, Lyapunov spectra, bifurcation diagrams, periodic orbits and their branches, frequency responses
and stability charts of machines that hit, slide and rattle. The program and the library.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, CMake package and pkg-config file of the library libsaltus.")
set(CPACK_COMPONENT_MPI_DESCRIPTION "Several processes started by mpirun share sweeps of Saltus.")
include(CPack)
