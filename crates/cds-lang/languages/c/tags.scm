(comment) @comment
[(attribute_specifier) (attribute_declaration) (ms_declspec_modifier)] @decorator
(storage_class_specifier) @modifier

; Functions: the name stands below as many pointers as the return type has.
(function_definition type: (_) @return declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (pointer_declarator declarator: (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters)))
  (function_declarator declarator: (parenthesized_declarator (identifier) @name) parameters: (_) @parameters)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))))
]) @definition.function

; Prototypes: all that a header knows of a function.
(declaration type: (_) @return declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (pointer_declarator declarator: (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters)))
  (function_declarator declarator: (parenthesized_declarator (identifier) @name) parameters: (_) @parameters)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))))
] ";" @body) @definition.function

; Types with a body. Those of a typedef come below: there the whole typedef is the definition.
(translation_unit [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
(preproc_if [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
(preproc_ifdef [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
(preproc_else [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
(preproc_elif [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
(preproc_elifdef [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
(ERROR [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
(declaration_list [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
(compound_statement [
  (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
  (union_specifier name: (type_identifier) @name body: (_)) @definition.union
  (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
])
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
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (struct_specifier name: (type_identifier) @_tag body: (_))
  declarator: (type_identifier) @name @definition.typealias
  (#not-eq? @_tag @name))
(type_definition type: (union_specifier name: (type_identifier) @name body: (_) @body)) @definition.union
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.union
(type_definition
  type: (union_specifier name: (type_identifier) @_tag body: (_))
  declarator: (type_identifier) @name @definition.typealias
  (#not-eq? @_tag @name))
(type_definition type: (enum_specifier name: (type_identifier) @name body: (_) @body)) @definition.enum
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: (enum_specifier name: (type_identifier) @_tag body: (_))
  declarator: (type_identifier) @name @definition.typealias
  (#not-eq? @_tag @name))
(type_definition
  type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))]
  declarator: (pointer_declarator declarator: (type_identifier) @name) @definition.typealias)
(type_definition
  type: [
    (primitive_type) (sized_type_specifier) (type_identifier) (macro_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)
  ]
  declarator: [
    (type_identifier) @name
    (primitive_type) @name
    (array_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (type_identifier) @name))
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator (type_identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
    (pointer_declarator declarator: (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))
  ] ";" @body) @definition.typealias

; Macros with parameters, and constants: macros with a value, `const` at file level.
(preproc_function_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(translation_unit (declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant (#eq? @_const "const"))
(preproc_if (declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant (#eq? @_const "const"))
(preproc_ifdef (declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant (#eq? @_const "const"))
(preproc_else (declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant (#eq? @_const "const"))
(preproc_elif (declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant (#eq? @_const "const"))
(preproc_elifdef (declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant (#eq? @_const "const"))

; Functions whose head is a macro. With one argument it parses as a type; with more, as a call in front of a block, so that
; only the head is the definition: system calls and helpers of the kernel, tests of kselftest and Criterion.
(function_definition
  type: (type_identifier)
  declarator: (parenthesized_declarator (identifier) @name)) @definition.function
(function_definition
  type: (type_identifier) @_macro
  declarator: (parenthesized_declarator (identifier) @name)
  (#any-of? @_macro "TEST" "START_TEST" "Test")) @definition.test
(expression_statement (call_expression
  function: (identifier) @_macro
  arguments: (argument_list . (identifier) @name)) @definition.function
  (#match? @_macro "^((COMPAT_)?SYSCALL_DEFINE|BPF_CALL_)[0-9]$"))
(expression_statement (call_expression
  function: (identifier) @_macro
  arguments: (argument_list . (identifier) @scope . (identifier) @name)) @definition.test
  (#any-of? @_macro "TEST_F" "TEST" "Test"))

; Calls, also through pointers in fields.
(call_expression function: [
  (identifier) @reference.call
  (field_expression argument: (_) @receiver field: (field_identifier) @reference.call)
  (parenthesized_expression (pointer_expression argument: (identifier) @reference.call))
  (parenthesized_expression (pointer_expression
    argument: (field_expression argument: (_) @receiver field: (field_identifier) @reference.call)))
])

; Functions put into a table of a file: `.open = disk_open`.
(translation_unit (declaration declarator: (init_declarator
  value: (initializer_list (initializer_pair value: (identifier) @reference.call))))
  (#match? @reference.call "[a-z]"))

; Types, where they are used; a struct, union or enum without a body is a use.
[
  (struct_specifier name: (type_identifier) @reference.type !body)
  (union_specifier name: (type_identifier) @reference.type !body)
  (enum_specifier name: (type_identifier) @reference.type !body)
  (parameter_declaration type: (type_identifier) @reference.type)
  (declaration type: (type_identifier) @reference.type)
  (field_declaration type: (type_identifier) @reference.type)
  (type_descriptor type: (type_identifier) @reference.type)
  (function_definition type: (type_identifier) @reference.type)
  (type_definition type: (type_identifier) @reference.type)
]
