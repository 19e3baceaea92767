(comment) @comment
(function_declaration "local" @modifier)

; Constants: capitals at the top, or `<const>`. Before functions, which decide the kind.
((chunk [
    (variable_declaration "local" @modifier (assignment_statement (variable_list . name: (identifier) @name)))
    (assignment_statement (variable_list . name: (identifier) @name))
    (assignment_statement (variable_list . name: (dot_index_expression table: (_) @scope field: (identifier) @name)))
  ] @definition.constant)
  (#match? @name "^_?[A-Z][A-Z0-9_]+$"))
((chunk (variable_declaration "local" @modifier
    (assignment_statement (variable_list . name: (identifier) @name attribute: (attribute (identifier) @_a)))) @definition.constant)
  (#eq? @_a "const"))

; Classes: `X.__index = X`, `X = class("X", Base)`, `X = Base:extend()`.
((assignment_statement
    (variable_list . name: (dot_index_expression table: (identifier) @name field: (identifier) @_index) .)
    (expression_list . value: (identifier) @_itself .)) @definition.class
  (#eq? @_index "__index") (#eq? @name @_itself))
((variable_declaration (assignment_statement
    (variable_list . name: (identifier) @name .)
    (expression_list . value: (function_call name: [
      (identifier) @_make (dot_index_expression field: (identifier) @_make) (method_index_expression method: (identifier) @_make)])))) @definition.class
  (#any-of? @_make "class" "Class" "extend" "subclass"))
((assignment_statement (expression_list . value: (function_call
    name: (identifier) @_make arguments: (arguments (string) . (identifier) @reference.base))))
  (#any-of? @_make "class" "Class"))
((assignment_statement (expression_list . value: (function_call
    name: (method_index_expression table: (_) @reference.base method: (identifier) @_make))))
  (#any-of? @_make "extend" "subclass"))

(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (dot_index_expression table: (_) @scope field: (identifier) @name)) @definition.function
(function_declaration name: (method_index_expression table: (_) @scope method: (identifier) @name)) @definition.method

; Functions without a name of their own: bound to a variable, to a field, or in a table.
(variable_declaration "local" @modifier (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition parameters: (_) @parameters body: (_)? @body) .))) @definition.function
([(chunk (assignment_statement
      (variable_list . name: (identifier) @name .)
      (expression_list . value: (function_definition parameters: (_) @parameters body: (_)? @body) .)) @definition.function)
  (block (assignment_statement
      (variable_list . name: (identifier) @name .)
      (expression_list . value: (function_definition parameters: (_) @parameters body: (_)? @body) .)) @definition.function)])
(assignment_statement
  (variable_list . name: [
    (dot_index_expression table: (_) @scope field: (identifier) @name)
    (bracket_index_expression table: (_) @scope field: (string content: (_) @name))] .)
  (expression_list . value: (function_definition parameters: (_) @parameters body: (_)? @body) .)) @definition.function
(field
  name: [(identifier) @name (string content: (_) @name)]
  value: (function_definition parameters: (_) @parameters body: (_)? @body)) @definition.function
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @scope .)
  (expression_list . value: (table_constructor
    (field name: (identifier) @name value: (function_definition)) @definition.function) .))

((function_call
    name: (identifier) @_block
    arguments: (arguments . (string content: (_) @name) . (function_definition))) @definition.test
  (#any-of? @_block "describe" "context" "it" "test" "spec" "specify" "pending" "insulate" "expose"))

((function_call name: (identifier) @reference.call) (#not-eq? @reference.call "require"))
(function_call name: [
  (dot_index_expression table: (_) @receiver field: (identifier) @reference.call)
  (method_index_expression table: (_) @receiver method: (identifier) @reference.call)])

; Names bound to values: variables, names of loops.
(assignment_statement
  (variable_list . name: (identifier) @binding .)
  (expression_list . value: (_) @value .)
  (#not-match? @value "^(require|dofile)\\b"))
(assignment_statement (variable_list "," name: (identifier) @binding))
(variable_declaration (variable_list name: (identifier) @binding))
(for_generic_clause (variable_list name: (identifier) @binding))
(for_numeric_clause name: (identifier) @binding)
