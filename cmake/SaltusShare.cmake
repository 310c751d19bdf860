# cmake -D SALTUS=program -D SHARE=folder -P this: what man and shells read of the program, where they look for it below share/.
foreach(file "man/man1/saltus.1 man" "bash-completion/completions/saltus completion bash"
             "zsh/vendor-completions/_saltus completion zsh")
  separate_arguments(words UNIX_COMMAND "${file}")
  list(POP_FRONT words name)
  cmake_path(GET name PARENT_PATH folder)
  file(MAKE_DIRECTORY ${SHARE}/${folder})
  execute_process(COMMAND ${SALTUS} ${words} OUTPUT_FILE ${SHARE}/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
