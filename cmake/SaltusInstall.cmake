# cmake --install: bin/saltus, lib/saltus_codegen.so beside it, the example models.

if(TARGET saltus)
  install(TARGETS saltus RUNTIME DESTINATION bin)
endif()
if(TARGET saltus_codegen)
  install(TARGETS saltus_codegen LIBRARY DESTINATION lib)
endif()
if(TARGET saltus_mpi)
  install(TARGETS saltus_mpi LIBRARY DESTINATION lib)
endif()
# What the build has put there as it is to be installed: man/man1/saltus.1, bash-completion/completions/saltus, ...
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION share OPTIONAL)
if(EXISTS ${PROJECT_SOURCE_DIR}/examples)
  install(DIRECTORY examples/ DESTINATION share/saltus/examples FILES_MATCHING PATTERN "*.toml")
endif()
