# cmake -DPROGRAM=... -DFOLDER=... [-DEMULATOR=...] -P write_share.cmake
#
# Man pages, completions and a configuration, written by the program itself, as they lie below share/.
file(REMOVE_RECURSE ${FOLDER})

# written FILE ARG...: what the program prints with these arguments.
function(written file)
  get_filename_component(folder ${FOLDER}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${EMULATOR} ${PROGRAM} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND ${EMULATOR} ${PROGRAM} --man-list OUTPUT_VARIABLE pages COMMAND_ERROR_IS_FATAL ANY)
string(STRIP "${pages}" pages)
string(REPLACE "\n" ";" pages "${pages}")
foreach(page ${pages})
  string(REPLACE " " "-" file "${page}")
  written(man/man1/${file}.1 --man "${page}")
endforeach()
written(bash-completion/completions/starcloak --completion bash)
written(zsh/site-functions/_starcloak --completion zsh)
written(fish/vendor_completions.d/starcloak.fish --completion fish)
written(doc/starcloak/starcloak.ini serve --print-config)
