((function_call
    name: (identifier) @_require
    arguments: (arguments . (string content: (_) @module))) @import
  (#any-of? @_require "require" "dofile"))
((assignment_statement
    (variable_list . name: (identifier) @alias .)
    (expression_list . value: (function_call
      name: (identifier) @_require
      arguments: (arguments . (string content: (_) @module))) @import .))
  (#any-of? @_require "require" "dofile"))
((function_call arguments: (arguments . (identifier) @_require . (string content: (_) @module))) @import
  (#eq? @_require "require"))
