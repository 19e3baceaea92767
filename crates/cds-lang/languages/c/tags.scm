(comment) @comment
[(attribute_specifier) (attribute_declaration) (ms_declspec_modifier)] @decorator
(storage_class_specifier) @modifier

; Functions: the name stands below as many pointers as the return type has. Below the outermost node `(_ field: …)` stands where the
; fields tell what it is (only a function_declarator has parameters): kinds cost time when the query is compiled.
(function_definition type: (_) @return declarator: [
  (_ declarator: (identifier) @name parameters: (_) @parameters)
  (_ "*" [
    (_ declarator: (identifier) @name parameters: (_) @parameters)
    (_ "*" (_ declarator: (identifier) @name parameters: (_) @parameters))
  ])
  (_ declarator: (_ . (identifier) @name) parameters: (_) @parameters)
  (_ declarator: (_ . (_ "*" (_ declarator: (identifier) @name parameters: (_) @parameters))))
]) @definition.function

; Prototypes: all that a header knows of a function.
(declaration type: (_) @return declarator: [
  (_ declarator: (identifier) @name parameters: (_) @parameters)
  (_ "*" [
    (_ declarator: (identifier) @name parameters: (_) @parameters)
    (_ "*" (_ declarator: (identifier) @name parameters: (_) @parameters))
  ])
  (_ declarator: (_ . (identifier) @name) parameters: (_) @parameters)
  (_ declarator: (_ . (_ "*" (_ declarator: (identifier) @name parameters: (_) @parameters))))
] ";" @body) @definition.function

; Types with a body. Those of a typedef come below: there the whole typedef is the definition.
(translation_unit (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct)
(translation_unit (union_specifier name: (type_identifier) @name body: (_)) @definition.union)
(translation_unit (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum)
(preproc_if (_ . "struct" name: (type_identifier) @name body: (_)) @definition.struct)
(preproc_if (_ . "union" name: (type_identifier) @name body: (_)) @definition.union)
(preproc_if (_ . "enum" name: (type_identifier) @name body: (_)) @definition.enum)
(preproc_ifdef (_ . "struct" name: (type_identifier) @name body: (_)) @definition.struct)
(preproc_ifdef (_ . "union" name: (type_identifier) @name body: (_)) @definition.union)
(preproc_ifdef (_ . "enum" name: (type_identifier) @name body: (_)) @definition.enum)
(preproc_else (_ . "struct" name: (type_identifier) @name body: (_)) @definition.struct)
(preproc_else (_ . "union" name: (type_identifier) @name body: (_)) @definition.union)
(preproc_else (_ . "enum" name: (type_identifier) @name body: (_)) @definition.enum)
(preproc_elif (_ . "struct" name: (type_identifier) @name body: (_)) @definition.struct)
(preproc_elif (_ . "union" name: (type_identifier) @name body: (_)) @definition.union)
(preproc_elif (_ . "enum" name: (type_identifier) @name body: (_)) @definition.enum)
(preproc_elifdef (_ . "struct" name: (type_identifier) @name body: (_)) @definition.struct)
(preproc_elifdef (_ . "union" name: (type_identifier) @name body: (_)) @definition.union)
(preproc_elifdef (_ . "enum" name: (type_identifier) @name body: (_)) @definition.enum)
(ERROR (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct)
(ERROR (union_specifier name: (type_identifier) @name body: (_)) @definition.union)
(ERROR (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum)
(declaration_list (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct)
(declaration_list (union_specifier name: (type_identifier) @name body: (_)) @definition.union)
(declaration_list (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum)
(compound_statement (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct)
(compound_statement (union_specifier name: (type_identifier) @name body: (_)) @definition.union)
(compound_statement (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum)
(declaration type: [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
(field_declaration type: [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])

(type_definition type: (struct_specifier name: (type_identifier) @name body: (_) @body)) @definition.struct
(type_definition type: (struct_specifier !name) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier name: (type_identifier) @name body: (_) @body)) @definition.union
(type_definition type: (union_specifier !name) declarator: (type_identifier) @name) @definition.union
(type_definition type: (enum_specifier name: (type_identifier) @name body: (_) @body)) @definition.enum
(type_definition type: (enum_specifier !name) declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: (_ name: (type_identifier) @_tag body: (_))
  declarator: (type_identifier) @name @definition.typealias
  (#not-eq? @_tag @name))
(type_definition type: (_ body: (_)) declarator: (_ "*" declarator: (type_identifier) @name) @definition.typealias)
(type_definition
  type: (_ !body)
  declarator: [
    (_ !declarator) @name
    (_ . [
      (type_identifier) @name
      (_ . (type_identifier) @name)
      (_ . (_ . (type_identifier) @name))
      (_ . (_ . (_ . (type_identifier) @name)))
    ])
  ] ";" @body
  (#match? @name "^\\w+$")) @definition.typealias

; Macros with parameters, and constants: macros with a value, `const` at file level.
(preproc_function_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(translation_unit (_ (type_qualifier) @_const declarator: (_
  declarator: [
    (identifier) @name
    (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]
  value: (_))) @definition.constant (#eq? @_const "const"))
(preproc_if (_ (type_qualifier) @_const declarator: (_
  declarator: [
    (identifier) @name
    (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]
  value: (_))) @definition.constant (#eq? @_const "const"))
(preproc_ifdef (_ (type_qualifier) @_const declarator: (_
  declarator: [
    (identifier) @name
    (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]
  value: (_))) @definition.constant (#eq? @_const "const"))
(preproc_else (_ (type_qualifier) @_const declarator: (_
  declarator: [
    (identifier) @name
    (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]
  value: (_))) @definition.constant (#eq? @_const "const"))
(preproc_elif (_ (type_qualifier) @_const declarator: (_
  declarator: [
    (identifier) @name
    (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]
  value: (_))) @definition.constant (#eq? @_const "const"))
(preproc_elifdef (_ (type_qualifier) @_const declarator: (_
  declarator: [
    (identifier) @name
    (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]
  value: (_))) @definition.constant (#eq? @_const "const"))

; Functions whose head is a macro. With one argument it parses as a type; with more, as a call in front of a block, so that
; only the head is the definition: system calls and helpers of the kernel, tests of kselftest and Criterion.
(function_definition type: (type_identifier) declarator: (_ . "(" (identifier) @name)) @definition.function
((function_definition type: (_) @_macro declarator: (_ . "(" (identifier) @name)) @definition.test
  (#any-of? @_macro "TEST" "START_TEST" "Test"))
(expression_statement (_ .
  function: (identifier) @_macro .
  arguments: (_ . (identifier) @name)) @definition.function
  (#match? @_macro "^((COMPAT_)?SYSCALL_DEFINE|BPF_CALL_)[0-9]$"))
(expression_statement (_ .
  function: (identifier) @_macro .
  arguments: (_ . (identifier) @scope . (identifier) @name)) @definition.test
  (#any-of? @_macro "TEST_F" "TEST" "Test"))

; Calls, also through pointers in fields.
function: (identifier) @reference.call
function: (field_expression argument: (_) @receiver field: (field_identifier) @reference.call)
function: (parenthesized_expression (pointer_expression argument: [
  (identifier) @reference.call
  (_ . argument: (_) @receiver field: (field_identifier) @reference.call)
]))

; Functions put into a table of a file: `.open = disk_open`.
(translation_unit (declaration declarator: (init_declarator
  value: (initializer_list (initializer_pair value: (identifier) @reference.call))))
  (#match? @reference.call "[a-z]"))

; Types, where they are used; a struct, union or enum without a body is a use.
[
  (struct_specifier name: (type_identifier) @reference.type !body)
  (union_specifier name: (type_identifier) @reference.type !body)
  (enum_specifier name: (type_identifier) @reference.type !body)
  type: (type_identifier) @reference.type
]

; Names bound to values, with their types: variables, fields, other names of types.
(declaration type: (_) @type declarator: [
  (identifier) @binding
  (_ . "*" declarator: (identifier) @binding)
  (_ . declarator: (identifier) @binding !parameters)
  (_ . declarator: (_ . "*" declarator: (identifier) @binding))
])
(field_declaration type: (_) @type declarator: [
  (field_identifier) @binding.member
  (_ . "*" declarator: (field_identifier) @binding.member)
])
(field_declaration declarator: (_ declarator: (_ (_ . "*" declarator: (field_identifier) @binding.member)) parameters: (_)))
(declaration declarator: (_ declarator: (_ (_ . "*" declarator: (identifier) @binding)) parameters: (_)))
(init_declarator declarator: (_ declarator: (_ (_ . "*" declarator: (identifier) @binding)) parameters: (_)))
(type_definition type: [(type_identifier) @type (_ name: (_) @type)] declarator: [
  (type_identifier) @binding
  (_ . "*" declarator: (type_identifier) @binding)
])
