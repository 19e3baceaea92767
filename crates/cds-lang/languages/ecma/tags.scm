; Shared by JavaScript, TypeScript and TSX: every node and field named here is in all three grammars.
;
; What compiling a query costs is its nodes that have a kind and children. So below the outermost node of a pattern `(_ . field: …)`
; stands wherever its fields tell what it is: an expression with parameters and a body is a function, one that begins with object
; and property a member. What running it costs is the beginnings of matches that wait for a child: the `.` ends those at once that
; begin otherwise. A pattern of one node begins with the field it stands in.

(comment) @comment
(decorator) @decorator
(program . (hash_bang_line) . (comment) @doc)

; `export` belongs to the definition behind it: docs, signature and span begin there.
(export_statement) @wrapper
["export" "default" "async" "static"] @modifier

; Constants: `const` at the top of a file; `var` and `let` when named like one or bound to an object

(program
  (_ . (variable_declarator . name: (identifier) @name value: (_) @_value) .) @definition.constant
  (#match? @definition.constant "^(const\\s|(let|var)\\s+[A-Z][A-Z0-9_$]+\\s*[:=]|var\\s+[\\w$]+\\s*=\\s*\\{)")
  (#not-match? @_value "^(await )?(require|import)\\s*\\("))
(program
  (lexical_declaration "const" [
    ((variable_declarator . name: (identifier) @name value: (_) @_value) @definition.constant ",")
    ("," (variable_declarator . name: (identifier) @name value: (_) @_value) @definition.constant)
  ])
  (#not-match? @_value "^(await )?(require|import)\\s*\\("))
(export_statement
  (lexical_declaration . (variable_declarator . name: (identifier) @name) .) @definition.constant)
(export_statement "export" @modifier
  (lexical_declaration [
    ((variable_declarator . name: (identifier) @name) @definition.constant ",")
    ("," (variable_declarator . name: (identifier) @name) @definition.constant)
  ]))
(assignment_expression
  left: (_ . object: [(identifier) (member_expression)] @modifier . property: (property_identifier) @name)
  right: (_) @_value
  (#any-of? @modifier "exports" "module.exports")
  (#match? @_value "^([-\\d\"'`{\\[/]|new\\s|true$|false$)")) @definition.constant

; Functions

[
  (function_declaration name: (identifier) @name)
  (generator_function_declaration name: (identifier) @name)
] @definition.function
(export_statement "default" @name
  value: (_ . [parameters: (_) parameter: (_)] @parameters body: (_) @body)) @definition.function
(export_statement value: [
  (_ . name: (_) @name . parameters: (_)) @definition.function
  (_ . function: (_) arguments: (_ . (_ . name: (_) @name . parameters: (_)) @definition.function))
])

; Function expressions with a name of their own, where nothing else names them
(call_expression
  function: (_) @_wrapper
  arguments: (_ (_ . name: (_) @name . parameters: (_)) @definition.function)
  (#not-match? @_wrapper "^(React\\.)?(memo|forwardRef|observer)$"))
(new_expression arguments: (_ (function_expression name: (_) @name) @definition.function))
(return_statement (_ . name: (_) @name . parameters: (_)) @definition.function)

; Functions bound to a variable: the whole declaration, or one of its parts when it binds several
(lexical_declaration .
  (_ . name: (identifier) @name value: (_ . ["async" @modifier parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)) .) @definition.function
(lexical_declaration (_ . name: (identifier) @name value: (_ . [parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)) @definition.function ",")
(lexical_declaration "," (_ . name: (identifier) @name value: (_ . [parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)) @definition.function)
(variable_declaration .
  (_ . name: (identifier) @name value: (_ . [parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)) .) @definition.function
(variable_declaration (_ . name: (identifier) @name value: (_ . [parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)) @definition.function ",")
(variable_declaration "," (_ . name: (identifier) @name value: (_ . [parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)) @definition.function)

; Functions wrapped by a call that gives a function back: components, callbacks, memoised and debounced ones
(lexical_declaration .
  (_ . name: (identifier) @name value: (_ . function: (_) @_wrapper arguments: (_ . [
    (_ . [parameters: (_) parameter: (_)] @parameters body: (_) @body)
    (_ . name: (_) @_named . parameters: (_) @parameters body: (_) @body)
  ]))) .
  (#match? @_wrapper "^([A-Za-z_]+\\.)?(memo|forwardRef|lazy|observer|useCallback|debounce|throttle|once|memoize|cache|asyncHandler|promisify|action|defineComponent|defineEventHandler|createAsyncThunk|curry)$")) @definition.function

; Functions assigned to a name or a member
(assignment_expression
  left: [
    (identifier) @name
    (_ . object: (this) . property: (_) @name)
    (_ . object: [(identifier) (member_expression)] @scope . property: (_) @name)
  ]
  right: (_ . [parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)
  (#not-match? @scope "^(module|exports|self|window|globalThis|module\\.exports)$")
  (#not-eq? @name "prototype")) @definition.function
(assignment_expression
  left: [
    (_ . object: (identifier) @_object . property: (_) @name)
    (_ . object: [(identifier) (member_expression)] @modifier . property: (property_identifier) @name)
  ]
  right: (_ . [parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)
  (#any-of? @_object "self" "window" "globalThis")
  (#any-of? @modifier "exports" "module.exports")) @definition.function
(assignment_expression
  left: (_ . object: (identifier) . property: (property_identifier) @name) @modifier
  right: (_ . [
    parameters: (_) @parameters
    parameter: (_) @parameters
    ((identifier) @name . parameters: (_) @parameters)
  ] body: (_) @body)
  (#eq? @modifier "module.exports")) @definition.function
(assignment_expression
  left: (_ . object: (_ . object: (_) @scope . property: (property_identifier) @_prototype) . property: (_) @name)
  right: (_ . [parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: (_ . object: (_) @scope . property: (property_identifier) @_prototype)
  right: (object [
    (_ . key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @definition.method
    (_ name: (_) @name parameters: (_)) @definition.method
  ])
  (#eq? @_prototype "prototype"))

; Methods

(method_definition name: (_) @name) @definition.method
((method_definition name: (_) @name) @definition.getter
  (#match? @definition.getter "^(@[\\w.]+(\\([^)]*\\))?\\s*)*(\\w+\\s+)*get\\s+[^\\s(]"))
((method_definition name: (_) @name) @definition.setter
  (#match? @definition.setter "^(@[\\w.]+(\\([^)]*\\))?\\s*)*(\\w+\\s+)*set\\s+[^\\s(]"))
(method_definition name: (property_identifier) @name (#eq? @name "constructor")) @definition.constructor
(class_static_block "static" @name) @definition.init
(pair key: (_) @name value: (_ . ["async" @modifier parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)) @definition.method

; Classes

(class_declaration name: (_) @name) @definition.class
(export_statement "default" @name value: (_ . "class" !name body: (_) @body)) @definition.class
(export_statement value: (_ . "class" name: (_) @name) @definition.class)
[
  (lexical_declaration . (_ . name: (identifier) @name value: (_ . "class" body: (_) @body)) .)
  (variable_declaration . (_ . name: (identifier) @name value: (_ . "class" body: (_) @body)) .)
] @definition.class
(assignment_expression
  left: [
    (identifier) @name
    (_ . object: (_) @_object . property: (_) @name)
    (_ . object: [(identifier) (member_expression)] @modifier . property: (_) @name)
  ]
  right: (_ . "class" body: (_) @body)
  (#not-eq? @_object "module")
  (#any-of? @modifier "exports" "module.exports")) @definition.class
(assignment_expression
  left: (_ . object: (identifier) . property: (_) @name) @modifier
  right: (_ . "class" name: (_)? @name body: (_) @body)
  (#eq? @modifier "module.exports")) @definition.class
(return_statement (_ . "class" name: (_) @name) @definition.class)
body: (class name: (_) @name) @definition.class
(arguments (class name: (_) @name) @definition.class)
(pair key: (_) @name value: (_ . "class" body: (_) @body)) @definition.class

; Test blocks: describe("name", () => …), it.only(…), test.each(…)("name", …), QUnit.test(…)

(call_expression
  function: (_) @_test
  arguments: (_ . [(string) (template_string)] @name [
    (_ . [parameters: (_) parameter: (_)] body: (_) @body)
    (_ . (_) . parameters: (_) body: (_) @body)
  ])
  (#match? @_test "(?s)^([xf]?(describe|it|test)|suite|context|specify|bench|((describe|it|test|suite|context|specify|bench|QUnit|Deno)(\\.\\w+)?\\.(only|skip|each|for|todo|concurrent|sequential|serial|parallel|failing|fails|fixme|slow|describe|test|module|skipIf|runIf)(\\(.*\\)|`.*`)?))$")) @definition.test

; References

([function: (identifier) @reference.call] (#not-eq? @reference.call "require"))
function: (member_expression object: (_) @receiver property: (_) @reference.call)
constructor: (identifier) @reference.call
(new_expression constructor: (_ . object: (_) @receiver property: (_) @reference.call))
(decorator [(identifier) @reference.call (_ . object: (_) @receiver property: (_) @reference.call)])

; Names bound to values: what a call on them reaches.

(variable_declarator name: (identifier) @binding value: (_)? @value)
(variable_declarator name: (_ (shorthand_property_identifier_pattern) @binding))
(variable_declarator name: (_ (identifier) @binding))
(assignment_expression left: (identifier) @binding right: (_) @value)
(assignment_expression left: (_ . object: (this) . property: (_) @binding.member) right: (_) @value)
(for_in_statement left: (identifier) @binding)
(catch_clause parameter: (identifier) @binding)
(arrow_function parameter: (identifier) @binding)
