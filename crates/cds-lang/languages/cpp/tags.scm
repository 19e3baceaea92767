(template_declaration) @wrapper
(comment) @comment
[(attribute_specifier) (attribute_declaration) (ms_declspec_modifier)] @decorator
[(storage_class_specifier) (explicit_function_specifier)] @modifier
((type_qualifier) @modifier (#any-of? @modifier "constexpr" "consteval" "constinit"))
(function_definition "virtual" @modifier)
(field_declaration "virtual" @modifier)
(declaration "virtual" @modifier)
(namespace_definition "inline" @modifier)

; Functions and methods with a body, in their class or outside of it, below the pointers and references of the return type.
(function_definition type: (_) @return declarator: [
  (function_declarator declarator: [(identifier) @name (field_identifier) @name (template_function name: (identifier) @name)] parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) @name (field_identifier) @name (template_function name: (identifier) @name)] parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: [(identifier) @name (field_identifier) @name (template_function name: (identifier) @name)] parameters: (_) @parameters))
]) @definition.function
(function_definition type: (_) @return declarator: [
  (function_declarator declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name
    (template_function name: (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (identifier) @name))
  ]) parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name
    (template_function name: (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (identifier) @name))
  ]) parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name
    (template_function name: (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (identifier) @name))
  ]) parameters: (_) @parameters))
]) @definition.method
(function_definition type: (_) @return declarator: (function_declarator
  declarator: (parenthesized_declarator (identifier) @name) parameters: (_) @parameters)) @definition.function

; Without a return type: constructors, and functions of old C; in capitals it is the macro that makes the head.
(function_definition !type declarator: (function_declarator
  declarator: (identifier) @name parameters: (_) @parameters)
  (#not-match? @name "^[A-Z][A-Z0-9_]+$")) @definition.function
(field_declaration_list (function_definition !type
  declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
(field_declaration_list (function_definition !type
  declarator: (function_declarator declarator: (identifier) @name)
  (field_initializer_list) @body) @definition.constructor)
(field_declaration_list (template_declaration (function_definition !type
  declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor))
(function_definition !type declarator: (function_declarator declarator: [
    (qualified_identifier scope: (_) @scope name: (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (identifier) @name))
    (qualified_identifier scope: (_) @scope name: (qualified_identifier
      scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (identifier) @name)))
  ] parameters: (_) @parameters)
  (field_initializer_list)? @body) @definition.constructor
(declaration !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters) ";" @body
  (#not-match? @name "^[A-Z0-9]+(_[A-Z0-9]+)+$")) @definition.constructor

; Destructors, operators, conversions.
(function_definition declarator: (function_declarator declarator: [
    (destructor_name) @name
    (qualified_identifier scope: (_) @scope name: (destructor_name) @name)
    (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (destructor_name) @name))
  ] parameters: (_) @parameters)) @definition.deinit
(declaration declarator: (function_declarator declarator: (destructor_name) @name parameters: (_) @parameters) ";" @body) @definition.deinit
(function_definition type: (_)? @return declarator: [
  (function_declarator declarator: [(operator_name) @name (qualified_identifier scope: (_) @scope name: (operator_name) @name) (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (operator_name) @name))] parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: [(operator_name) @name (qualified_identifier scope: (_) @scope name: (operator_name) @name) (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (operator_name) @name))] parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: [(operator_name) @name (qualified_identifier scope: (_) @scope name: (operator_name) @name) (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (operator_name) @name))] parameters: (_) @parameters))
]) @definition.operator
(field_declaration type: (_) @return declarator: [
  (function_declarator declarator: (operator_name) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (operator_name) @name parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (operator_name) @name parameters: (_) @parameters))
] ";" @body) @definition.operator
(declaration type: (_) @return declarator: [
  (function_declarator declarator: (operator_name) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (operator_name) @name parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (operator_name) @name parameters: (_) @parameters))
] ";" @body) @definition.operator
(function_definition declarator: [
  (operator_cast type: (_) @return) @name
  (qualified_identifier scope: (_) @scope name: (operator_cast type: (_) @return) @name)
]) @definition.operator
(declaration declarator: (operator_cast type: (_) @return) @name ";" @body) @definition.operator

; Prototypes: methods of a class; functions of a file, a namespace or a template. Inside of functions they look like variables with
; arguments, so those are left out.
(field_declaration type: (_) @return declarator: [
  (function_declarator declarator: (field_identifier) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (field_identifier) @name parameters: (_) @parameters))
] ";" @body) @definition.function
(translation_unit (declaration type: (_) @return declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
] ";" @body) @definition.function)
(declaration_list (declaration type: (_) @return declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
] ";" @body) @definition.function)
(preproc_if (declaration type: (_) @return declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
] ";" @body) @definition.function)
(preproc_ifdef (declaration type: (_) @return declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
] ";" @body) @definition.function)
(linkage_specification (declaration type: (_) @return declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
] ";" @body) @definition.function)
(template_declaration (declaration type: (_) @return declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (reference_declarator (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
] ";" @body) @definition.function)
(declaration type: (_) @return declarator: (function_declarator
  declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name
    (qualified_identifier scope: (_) @scope name: (identifier) @name)
  ]) parameters: (_) @parameters) ";" @body) @definition.method
(function_definition
  declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name
    (trailing_return_type (type_descriptor) @return))) @definition.function
(field_declaration
  declarator: (function_declarator declarator: (field_identifier) @name
    (trailing_return_type (type_descriptor) @return))) @definition.function
(function_definition
  declarator: (function_declarator declarator: (field_identifier) @name (virtual_specifier) @modifier)) @definition.function
(field_declaration
  declarator: (function_declarator declarator: (field_identifier) @name (virtual_specifier) @modifier)) @definition.function
; A variable of a file or namespace that is a lambda.
(translation_unit (declaration declarator: (init_declarator
  declarator: (identifier) @name
  value: (lambda_expression declarator: (abstract_function_declarator parameters: (_) @parameters) body: (_) @body))) @definition.function)
(declaration_list (declaration declarator: (init_declarator
  declarator: (identifier) @name
  value: (lambda_expression declarator: (abstract_function_declarator parameters: (_) @parameters) body: (_) @body))) @definition.function)

; Types.
(class_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier scope: (_) @scope name: (type_identifier) @name)
  (qualified_identifier scope: (_) @scope name: (template_type name: (type_identifier) @name))
  (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (type_identifier) @name))
] body: (_)) @definition.class
(struct_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier scope: (_) @scope name: (type_identifier) @name)
  (qualified_identifier scope: (_) @scope name: (template_type name: (type_identifier) @name))
  (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (type_identifier) @name))
] body: (_)) @definition.struct
(union_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier scope: (_) @scope name: (type_identifier) @name)
  (qualified_identifier scope: (_) @scope name: (template_type name: (type_identifier) @name))
  (qualified_identifier scope: (_) @scope name: (qualified_identifier scope: (_) @scope name: (type_identifier) @name))
] body: (_)) @definition.union
(enum_specifier name: [
  (type_identifier) @name
  (qualified_identifier scope: (_) @scope name: (type_identifier) @name)
] body: (_)) @definition.enum
(concept_definition name: (identifier) @name) @definition.trait
(alias_declaration name: (type_identifier) @name ";" @body) @definition.typealias
(namespace_definition name: [(namespace_identifier) (nested_namespace_specifier)] @name) @definition.namespace

; A class with a macro in front of its name parses as a function: `class API Widget : public Base { ... }`.
(function_definition type: (class_specifier !body) declarator: (identifier) @name) @definition.class
(function_definition type: (struct_specifier !body) declarator: (identifier) @name) @definition.struct
(function_definition
  type: [(class_specifier !body) (struct_specifier !body)]
  declarator: (identifier)
  (ERROR (identifier) @reference.base))
(function_definition type: [(class_specifier !body) (struct_specifier !body)] declarator: (identifier)
  body: (compound_statement (declaration type: (_) @return declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
    (reference_declarator (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
] ";" @body) @definition.function))
(function_definition type: [(class_specifier !body) (struct_specifier !body)] declarator: (identifier)
  body: (compound_statement (labeled_statement (declaration type: (_) @return declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
    (reference_declarator (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
] ";" @body) @definition.function)))

; Typedefs: of a nameless type it is the type; of a named one only another name.
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (struct_specifier name: (type_identifier) @_tag body: (_))
  declarator: (type_identifier) @name @definition.typealias
  (#not-eq? @_tag @name))
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.union
(type_definition
  type: (union_specifier name: (type_identifier) @_tag body: (_))
  declarator: (type_identifier) @name @definition.typealias
  (#not-eq? @_tag @name))
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: (enum_specifier name: (type_identifier) @_tag body: (_))
  declarator: (type_identifier) @name @definition.typealias
  (#not-eq? @_tag @name))
(type_definition
  type: [
    (primitive_type) (sized_type_specifier) (type_identifier) (qualified_identifier) (template_type) (dependent_type)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body) (class_specifier !body)
  ]
  declarator: [
    (type_identifier) @name
    (primitive_type) @name
    (array_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (type_identifier) @name)
    (reference_declarator (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  ] ";" @body) @definition.typealias

; Macros and constants of files, namespaces and classes.
(preproc_function_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(translation_unit (declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant (#any-of? @_const "const" "constexpr" "constinit"))
(declaration_list (declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant (#any-of? @_const "const" "constexpr" "constinit"))
(preproc_ifdef (declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant (#any-of? @_const "const" "constexpr" "constinit"))
(field_declaration
  (storage_class_specifier)
  (type_qualifier) @_const
  declarator: [(field_identifier) @name (array_declarator declarator: (field_identifier) @name)]
  default_value: (_)
  (#any-of? @_const "const" "constexpr")) @definition.constant

; Tests: GoogleTest, Boost.Test, Catch2 and doctest (of these only the head).
(function_definition !type declarator: (function_declarator
  declarator: (identifier) @_macro
  parameters: (parameter_list
    . (parameter_declaration type: (type_identifier) @scope)
    . (parameter_declaration type: (type_identifier) @name)))
  (#match? @_macro "^(TYPED_)?TEST(_F|_P)?$")) @definition.test
(function_definition !type declarator: (function_declarator
  declarator: (identifier) @_macro
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name)))
  (#match? @_macro "^BOOST_.*TEST_CASE$")) @definition.test
(expression_statement (call_expression
  function: (identifier) @_macro
  arguments: (argument_list . (string_literal) @name)) @definition.test
  (#any-of? @_macro "TEST_CASE" "SCENARIO" "TEMPLATE_TEST_CASE"))
(expression_statement (call_expression
  function: (identifier) @_macro
  arguments: (argument_list . (identifier) @scope . (string_literal) @name)) @definition.test
  (#eq? @_macro "TEST_CASE_METHOD"))

; Calls.
(call_expression function: [
  (identifier) @reference.call
  (field_expression argument: (_) @receiver field: (field_identifier) @reference.call)
  (field_expression argument: (_) @receiver field: (template_method name: (field_identifier) @reference.call))
  (field_expression argument: (_) @receiver
    field: (dependent_name (template_method name: (field_identifier) @reference.call)))
  (qualified_identifier scope: (_)? @receiver name: (identifier) @reference.call)
  (qualified_identifier scope: (_)? @receiver name: (template_function name: (identifier) @reference.call))
  (qualified_identifier name: (qualified_identifier scope: (_) @receiver name: (identifier) @reference.call))
  (qualified_identifier name: (qualified_identifier
    scope: (_) @receiver name: (template_function name: (identifier) @reference.call)))
  (qualified_identifier name: (qualified_identifier name: (qualified_identifier
    scope: (_) @receiver name: (identifier) @reference.call)))
  (parenthesized_expression (pointer_expression argument: (identifier) @reference.call))
])
(call_expression function: (template_function name: (identifier) @reference.call)
  (#not-any-of? @reference.call "static_cast" "dynamic_cast" "const_cast" "reinterpret_cast"))
(new_expression type: [
  (type_identifier) @reference.call
  (template_type name: (type_identifier) @reference.call)
  (qualified_identifier scope: (_) @receiver name: (type_identifier) @reference.call)
  (qualified_identifier scope: (_) @receiver name: (template_type name: (type_identifier) @reference.call))
])

; Bases.
(base_class_clause [
  (type_identifier) @reference.base
  (template_type name: (type_identifier) @reference.base)
  (qualified_identifier scope: (_) @receiver name: (type_identifier) @reference.base)
  (qualified_identifier scope: (_) @receiver name: (template_type name: (type_identifier) @reference.base))
  (qualified_identifier name: (qualified_identifier scope: (_) @receiver name: (type_identifier) @reference.base))
  (qualified_identifier name: (qualified_identifier
    scope: (_) @receiver name: (template_type name: (type_identifier) @reference.base)))
])

; Types, where they are used; a class, struct, union or enum without a body is a use.
(qualified_identifier scope: (_)? @receiver name: [
  (type_identifier) @reference.type
  (template_type name: (type_identifier) @reference.type)
])
([
  (class_specifier name: (type_identifier) @reference.type !body)
  (struct_specifier name: (type_identifier) @reference.type !body)
  (union_specifier name: (type_identifier) @reference.type !body)
  (enum_specifier name: (type_identifier) @reference.type !body)
  (parameter_declaration type: (type_identifier) @reference.type)
  (optional_parameter_declaration type: (type_identifier) @reference.type)
  (variadic_parameter_declaration type: (type_identifier) @reference.type)
  (declaration type: (type_identifier) @reference.type)
  (field_declaration type: (type_identifier) @reference.type)
  (type_descriptor type: (type_identifier) @reference.type)
  (function_definition type: (type_identifier) @reference.type)
  (type_definition type: (type_identifier) @reference.type)
  (for_range_loop type: (type_identifier) @reference.type)
  (compound_literal_expression type: (type_identifier) @reference.type)
  (operator_cast type: (type_identifier) @reference.type)
  (optional_type_parameter_declaration default_type: (type_identifier) @reference.type)
  (placeholder_type_specifier constraint: (type_identifier) @reference.type)
  (friend_declaration (type_identifier) @reference.type)
  (template_type name: (type_identifier) @reference.type)
] (#not-match? @reference.type "^[A-Z]$"))
