(comment) @comment

; Definitions

(function_definition name: (word) @name) @definition.function

; The grammar gives up on some scripts as a whole: the heads of functions are then still known.
(ERROR (word) @name @definition.function . "(" . ")")
(program (command name: (command_name (word) @name)) @definition.function . (ERROR . "(" . ")"))

; Constants stand at the top level: read-only names, and names in capitals.
(program (declaration_command "readonly" . (variable_assignment name: (variable_name) @name) .) @definition.constant)
(program (declaration_command . (variable_assignment name: (variable_name) @name) .) @definition.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(program (declaration_command . (word) @_flags . (variable_assignment name: (variable_name) @name) .) @definition.constant
  (#match? @_flags "r"))
(program (declaration_command . (word) . (variable_assignment name: (variable_name) @name) .) @definition.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.constant . (variable_assignment))
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(program (declaration_command (variable_assignment) . (variable_assignment name: (variable_name) @name) @definition.constant)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(program (variable_assignment name: (variable_name) @name) @definition.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))

; Bats: the grammar reads `@test "name" {` as a command, so only its line is known.
((command name: (command_name (word) @_how) . argument: [(string) (raw_string)] @name) @definition.test
  (#eq? @_how "@test"))

; Calls: commands that are no builtins, and functions given to commands that call them.

((command name: (command_name (word) @reference.call))
  (#match? @reference.call "^[A-Za-z_./]")
  (#not-any-of? @reference.call "." ":" "[" "alias" "bg" "bind" "break" "builtin" "cd" "command" "compgen" "complete" "compopt"
    "continue" "declare" "dirs" "disown" "echo" "enable" "eval" "exec" "exit" "export" "false" "fg" "getopts" "hash" "help"
    "history" "jobs" "kill" "let" "local" "mapfile" "popd" "print" "printf" "pushd" "pwd" "read" "readarray" "readonly" "return"
    "set" "setopt" "shift" "shopt" "source" "sudo" "test" "time" "times" "trap" "true" "type" "typeset" "ulimit" "umask" "unalias"
    "unset" "wait"))
((command name: (command_name (word) @_how) . argument: (word) @reference.call)
  (#any-of? @_how "trap" "run" "sudo" "exec" "command" "eval" "time" "nohup" "xargs")
  (#match? @reference.call "^[A-Za-z_./]"))
((command name: (command_name (word) @_how) argument: (word) @_flag . argument: (word) @reference.call)
  (#eq? @_how "complete") (#eq? @_flag "-F"))
