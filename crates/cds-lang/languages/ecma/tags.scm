; Shared by JavaScript, TypeScript and TSX: every node and field named here is in all three grammars.

(comment) @comment
(decorator) @decorator
(program . (hash_bang_line) . (comment) @doc)

; `export` belongs to the definition behind it: docs, signature and span begin there.
(export_statement) @wrapper
(export_statement ["export" "default"] @modifier)
(method_definition ["async" "static"] @modifier)
(function_declaration "async" @modifier)
(generator_function_declaration "async" @modifier)

; Constants: `const` at the top of a file; `var` and `let` when named like one or bound to an object

(program
  (lexical_declaration "const" . (variable_declarator name: (identifier) @name value: (_) @_value) .) @definition.constant
  (#not-match? @_value "^(await )?(require|import)\\s*\\("))
(program
  (lexical_declaration "const"
    (variable_declarator name: (identifier) @name value: (_) @_value) @definition.constant . (variable_declarator))
  (#not-match? @_value "^(await )?(require|import)\\s*\\("))
(program
  (lexical_declaration "const"
    (variable_declarator) . (variable_declarator name: (identifier) @name value: (_) @_value) @definition.constant)
  (#not-match? @_value "^(await )?(require|import)\\s*\\("))
(program
  (lexical_declaration "let" . (variable_declarator name: (identifier) @name value: (_)) .) @definition.constant
  (#match? @name "^[A-Z][A-Z0-9_$]+$"))
(program
  (variable_declaration . (variable_declarator name: (identifier) @name value: (_)) .) @definition.constant
  (#match? @name "^[A-Z][A-Z0-9_$]+$"))
(program
  (variable_declaration . (variable_declarator name: (identifier) @name value: (object)) .) @definition.constant)
(export_statement "export" @modifier
  (lexical_declaration . (variable_declarator name: (identifier) @name) .) @definition.constant)
(export_statement "export" @modifier
  (lexical_declaration
    (variable_declarator name: (identifier) @name) @definition.constant . (variable_declarator)))
(export_statement "export" @modifier
  (lexical_declaration
    (variable_declarator) . (variable_declarator name: (identifier) @name) @definition.constant))
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression object: (identifier) property: (property_identifier))] @modifier
    property: (property_identifier) @name)
  right: [(string) (template_string) (number) (object) (array) (regex) (true) (false) (new_expression)]
  (#any-of? @modifier "exports" "module.exports")) @definition.constant

; Functions

[
  (function_declaration name: (identifier) @name)
  (generator_function_declaration name: (identifier) @name)
] @definition.function
(export_statement "default" @name
  value: [
    (arrow_function parameters: (_) @parameters body: (_) @body)
    (arrow_function parameter: (_) @parameters body: (_) @body)
    (function_expression !name parameters: (_) @parameters body: (_) @body)
    (generator_function !name parameters: (_) @parameters body: (_) @body)
  ]) @definition.function
(export_statement "export" @modifier
  value: [(function_expression name: (_) @name) (generator_function name: (_) @name)] @definition.function)

; Function expressions with a name of their own, where nothing else names them
(call_expression
  function: (_) @_wrapper
  arguments: (arguments [(function_expression name: (_) @name) (generator_function name: (_) @name)] @definition.function)
  (#not-match? @_wrapper "^(React\\.)?(memo|forwardRef|observer)$"))
(new_expression arguments: (arguments (function_expression name: (_) @name) @definition.function))
(export_statement "export" @modifier
  value: (call_expression arguments: (arguments . (function_expression name: (_) @name) @definition.function)))
(return_statement [(function_expression name: (_) @name) (generator_function name: (_) @name)] @definition.function)

; Functions bound to a variable: the whole declaration, or one of its parts when it binds several
(lexical_declaration .
  (variable_declarator name: (identifier) @name value: [
      (arrow_function parameters: (_) @parameters body: (_) @body)
      (arrow_function parameter: (_) @parameters body: (_) @body)
      (function_expression parameters: (_) @parameters body: (_) @body)
      (generator_function parameters: (_) @parameters body: (_) @body)
    ]) .) @definition.function
(lexical_declaration
  (variable_declarator name: (identifier) @name value: [
      (arrow_function parameters: (_) @parameters body: (_) @body)
      (arrow_function parameter: (_) @parameters body: (_) @body)
      (function_expression parameters: (_) @parameters body: (_) @body)
      (generator_function parameters: (_) @parameters body: (_) @body)
    ]) @definition.function .
  [(variable_declarator) (comment)])
(lexical_declaration
  [(variable_declarator) (comment)] .
  (variable_declarator name: (identifier) @name value: [
      (arrow_function parameters: (_) @parameters body: (_) @body)
      (arrow_function parameter: (_) @parameters body: (_) @body)
      (function_expression parameters: (_) @parameters body: (_) @body)
      (generator_function parameters: (_) @parameters body: (_) @body)
    ]) @definition.function)
(variable_declaration .
  (variable_declarator name: (identifier) @name value: [
      (arrow_function parameters: (_) @parameters body: (_) @body)
      (arrow_function parameter: (_) @parameters body: (_) @body)
      (function_expression parameters: (_) @parameters body: (_) @body)
      (generator_function parameters: (_) @parameters body: (_) @body)
    ]) .) @definition.function
(variable_declaration
  (variable_declarator name: (identifier) @name value: [
      (arrow_function parameters: (_) @parameters body: (_) @body)
      (arrow_function parameter: (_) @parameters body: (_) @body)
      (function_expression parameters: (_) @parameters body: (_) @body)
      (generator_function parameters: (_) @parameters body: (_) @body)
    ]) @definition.function .
  [(variable_declarator) (comment)])
(variable_declaration
  [(variable_declarator) (comment)] .
  (variable_declarator name: (identifier) @name value: [
      (arrow_function parameters: (_) @parameters body: (_) @body)
      (arrow_function parameter: (_) @parameters body: (_) @body)
      (function_expression parameters: (_) @parameters body: (_) @body)
      (generator_function parameters: (_) @parameters body: (_) @body)
    ]) @definition.function)
(lexical_declaration .
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function "async" @modifier)
      (function_expression "async" @modifier)
      (generator_function "async" @modifier)
    ]) .) @definition.function

; Functions wrapped by a call that gives a function back: components, callbacks, memoised and debounced ones
(lexical_declaration .
  (variable_declarator
    name: (identifier) @name
    value: (call_expression
      function: (_) @_wrapper
      arguments: (arguments .
        [
          (arrow_function parameters: (_) @parameters body: (_) @body)
          (arrow_function parameter: (_) @parameters body: (_) @body)
          (function_expression !name parameters: (_) @parameters body: (_) @body)
        ]))) .
  (#match? @_wrapper "^([A-Za-z_]+\\.)?(memo|forwardRef|lazy|observer|useCallback|debounce|throttle|once|memoize|cache|asyncHandler|promisify|action|defineComponent|defineEventHandler|createAsyncThunk|curry)$")) @definition.function
(lexical_declaration .
  (variable_declarator
    name: (identifier) @name
    value: (call_expression
      function: (_) @_wrapper
      arguments: (arguments .
        (function_expression name: (_) parameters: (_) @parameters body: (_) @body)))) .
  (#match? @_wrapper "^(React\\.)?(memo|forwardRef|observer)$")) @definition.function

; Functions assigned to a name or a member
(assignment_expression
  left: (identifier) @name
  right: [
    (arrow_function parameters: (_) @parameters body: (_) @body)
    (arrow_function parameter: (_) @parameters body: (_) @body)
    (function_expression parameters: (_) @parameters body: (_) @body)
    (generator_function parameters: (_) @parameters body: (_) @body)
  ]) @definition.function
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @scope property: (_) @name)
  right: [
    (arrow_function parameters: (_) @parameters body: (_) @body)
    (arrow_function parameter: (_) @parameters body: (_) @body)
    (function_expression parameters: (_) @parameters body: (_) @body)
    (generator_function parameters: (_) @parameters body: (_) @body)
  ]
  (#not-match? @scope "^(module|exports|self|window|globalThis|module\\.exports)$")
  (#not-eq? @name "prototype")) @definition.function
(assignment_expression
  left: (member_expression object: [(this) (identifier)] @_object property: (_) @name)
  right: [
    (arrow_function parameters: (_) @parameters body: (_) @body)
    (arrow_function parameter: (_) @parameters body: (_) @body)
    (function_expression parameters: (_) @parameters body: (_) @body)
    (generator_function parameters: (_) @parameters body: (_) @body)
  ]
  (#any-of? @_object "this" "self" "window" "globalThis")) @definition.function
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression object: (identifier) property: (property_identifier))] @modifier
    property: (property_identifier) @name)
  right: [
    (arrow_function parameters: (_) @parameters body: (_) @body)
    (arrow_function parameter: (_) @parameters body: (_) @body)
    (function_expression parameters: (_) @parameters body: (_) @body)
    (generator_function parameters: (_) @parameters body: (_) @body)
  ]
  (#any-of? @modifier "exports" "module.exports")) @definition.function
(assignment_expression
  left: (member_expression object: (identifier) @_object property: (property_identifier) @name) @modifier
  right: [
    (arrow_function parameters: (_) @parameters body: (_) @body)
    (arrow_function parameter: (_) @parameters body: (_) @body)
    (function_expression !name parameters: (_) @parameters body: (_) @body)
    (generator_function !name parameters: (_) @parameters body: (_) @body)
  ]
  (#eq? @modifier "module.exports")) @definition.function
(assignment_expression
  left: (member_expression) @modifier
  right: [
    (function_expression name: (_) @name parameters: (_) @parameters body: (_) @body)
    (generator_function name: (_) @name parameters: (_) @parameters body: (_) @body)
  ]
  (#eq? @modifier "module.exports")) @definition.function
(assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @scope property: (property_identifier) @_prototype)
    property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: (member_expression object: (_) @scope property: (property_identifier) @_prototype)
  right: (object
    (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @definition.method)
  (#eq? @_prototype "prototype"))
(assignment_expression
  left: (member_expression object: (_) @scope property: (property_identifier) @_prototype)
  right: (object (method_definition name: (_) @name) @definition.method)
  (#eq? @_prototype "prototype"))

; Methods

(method_definition name: (_) @name) @definition.method
(method_definition "get" name: (_) @name) @definition.getter
(method_definition "set" name: (_) @name) @definition.setter
(method_definition name: (property_identifier) @name (#eq? @name "constructor")) @definition.constructor
(class_static_block "static" @name) @definition.init
(pair
  key: (_) @name
  value: [
    (arrow_function parameters: (_) @parameters body: (_) @body)
    (arrow_function parameter: (_) @parameters body: (_) @body)
    (function_expression parameters: (_) @parameters body: (_) @body)
    (generator_function parameters: (_) @parameters body: (_) @body)
  ]) @definition.method
(pair
  key: (_) @name
  value: [
    (arrow_function "async" @modifier)
    (function_expression "async" @modifier)
    (generator_function "async" @modifier)
  ]) @definition.method

; Classes

(class_declaration name: (_) @name) @definition.class
(export_statement "default" @name value: (class !name body: (_) @body)) @definition.class
(export_statement value: (class name: (_) @name) @definition.class)
[
  (lexical_declaration . (variable_declarator name: (identifier) @name value: (class body: (_) @body)) .)
  (variable_declaration . (variable_declarator name: (identifier) @name value: (class body: (_) @body)) .)
] @definition.class
(assignment_expression left: (identifier) @name right: (class body: (_) @body)) @definition.class
(assignment_expression
  left: (member_expression object: (_) @_object property: (_) @name)
  right: (class body: (_) @body)
  (#not-eq? @_object "module")) @definition.class
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression object: (identifier) property: (property_identifier))] @modifier
    property: (_) @name)
  right: (class)
  (#any-of? @modifier "exports" "module.exports")) @definition.class
(assignment_expression
  left: (member_expression) @modifier
  right: (class name: (_) @name body: (_) @body)
  (#eq? @modifier "module.exports")) @definition.class
(assignment_expression
  left: (member_expression property: (_) @name) @modifier
  right: (class !name body: (_) @body)
  (#eq? @modifier "module.exports")) @definition.class
(return_statement (class name: (_) @name) @definition.class)
(arrow_function body: (class name: (_) @name) @definition.class)
(arguments (class name: (_) @name) @definition.class)
(pair key: (_) @name value: (class body: (_) @body)) @definition.class

; Test blocks: describe("name", () => …), it.only(…), test.each(…)("name", …), QUnit.test(…)

(call_expression
  function: (identifier) @_test
  arguments: (arguments .
    [(string) (template_string)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])
  (#any-of? @_test
    "describe" "it" "test" "suite" "context" "specify" "xdescribe" "xit" "xtest" "fdescribe" "fit" "bench")) @definition.test
(call_expression
  function: [
    (member_expression object: (identifier) @_test property: (_) @_kind)
    (member_expression object: (member_expression object: (identifier) @_test) property: (_) @_kind)
    (call_expression function: (member_expression object: (identifier) @_test property: (_) @_kind))
    (call_expression function: (member_expression
      object: (member_expression object: (identifier) @_test) property: (_) @_kind))
  ]
  arguments: (arguments .
    [(string) (template_string)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])
  (#any-of? @_test "describe" "it" "test" "suite" "context" "specify" "bench" "QUnit" "Deno")
  (#any-of? @_kind
    "only" "skip" "each" "for" "todo" "concurrent" "sequential" "serial" "parallel" "failing" "fails" "fixme" "slow"
    "describe" "test" "module" "skipIf" "runIf")) @definition.test

; References

(call_expression function: (identifier) @reference.call (#not-eq? @reference.call "require"))
(call_expression function: (member_expression object: (_) @receiver property: (_) @reference.call))
(new_expression constructor: (identifier) @reference.call)
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @reference.call))
(decorator (identifier) @reference.call)
(decorator (member_expression object: (_) @receiver property: (_) @reference.call))
