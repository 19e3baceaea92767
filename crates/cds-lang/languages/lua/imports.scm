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

; What the file gives to those who require it.
(chunk (return_statement (expression_list . (identifier) @item @default .)) @export)
(chunk (return_statement (expression_list . (table_constructor
  (field name: (identifier) @alias value: (identifier) @item) @export) .)))
