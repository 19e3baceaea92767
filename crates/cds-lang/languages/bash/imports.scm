; Of a path that is put together the constant end is kept: "$HERE/lib.sh" imports /lib.sh.
((command name: (command_name (word) @_how) . argument: [
    (word) @module
    (raw_string) @module
    (string . (string_content) @module .)
    (string (_) (string_content) @module .)
    (concatenation (word) @module .)]) @import
  (#any-of? @_how "source" "."))
