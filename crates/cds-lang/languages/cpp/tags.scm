; What compiling a query costs is its nodes that have a kind and children. So below the outermost node of a pattern `(_ field: …)`
; stands wherever its fields tell what it is (`parameters` is only in a function_declarator, `scope` in a qualified_identifier),
; and a pattern of one node begins with the field it stands in.

(template_declaration) @wrapper
(comment) @comment
[(attribute_specifier) (attribute_declaration) (ms_declspec_modifier)] @decorator
[(storage_class_specifier) (explicit_function_specifier) "virtual" "inline"] @modifier
((type_qualifier) @modifier (#any-of? @modifier "constexpr" "consteval" "constinit"))

; Functions and methods with a body, in their class or outside of it, below the pointers and references of the return type.
(function_definition type: (_) @return declarator: [
  (_
    declarator: [
      (identifier) @name
      (field_identifier) @name
      (operator_name) @name
      (_ !scope name: (identifier) @name)
      (parenthesized_declarator (identifier) @name)
    ]
    parameters: (_) @parameters)
  (_ ["*" "&" "&&"] (_
    declarator: [
      (identifier) @name
      (field_identifier) @name
      (operator_name) @name
      (_ !scope name: (identifier) @name)
    ]
    parameters: (_) @parameters))
]) @definition.function
(function_definition type: (_) @return declarator: [
  (_
    declarator: (_ scope: (_) @scope name: [
      (identifier) @name
      (operator_name) @name
      (_ !scope name: (identifier) @name)
      (_ scope: (_) @scope name: [
        (identifier) @name
        (operator_name) @name
        (_ scope: (_) @scope name: (identifier) @name)
      ])
    ])
    parameters: (_) @parameters)
  (_ ["*" "&" "&&"] (_
    declarator: (_ scope: (_) @scope name: [
      (identifier) @name
      (operator_name) @name
      (_ !scope name: (identifier) @name)
      (_ scope: (_) @scope name: [
        (identifier) @name
        (operator_name) @name
        (_ scope: (_) @scope name: (identifier) @name)
      ])
    ])
    parameters: (_) @parameters))
]) @definition.method
(function_definition declarator: (_
  declarator: [(identifier) (field_identifier)] @name
  [(virtual_specifier) @modifier (trailing_return_type (_) @return)])) @definition.function

; Without a return type: constructors, and functions of old C; in capitals it is the macro that makes the head.
(function_definition !type declarator: (_ declarator: (identifier) @name parameters: (_) @parameters)
  (#not-match? @name "^[A-Z][A-Z0-9_]+$")) @definition.function
(field_declaration_list [
  (_ !type declarator: (_ declarator: (identifier) @name parameters: (_) @parameters) body: (_)) @definition.constructor
  (template_declaration
    (_ !type declarator: (_ declarator: (identifier) @name parameters: (_) @parameters)) @definition.constructor)
])
(field_declaration_list
  (_ !type declarator: (_ declarator: (identifier) @name parameters: (_) @parameters)) @definition.constructor
  (#not-match? @name "^[A-Z0-9]+(_[A-Z0-9]+)+$"))
(function_definition !type declarator: (_
  declarator: (_ scope: (_) @scope name: [
    (identifier) @name
    (_ scope: (_) @scope name: [(identifier) @name (_ scope: (_) @scope name: (identifier) @name)])
  ])
  parameters: (_) @parameters)) @definition.constructor
(declaration !type declarator: (_ declarator: (identifier) @name parameters: (_) @parameters)
  (#not-match? @name "^[A-Z0-9]+(_[A-Z0-9]+)+$")) @definition.constructor

; Destructors.
(function_definition declarator: (_
  declarator: [
    (destructor_name) @name
    (_ scope: (_) @scope name: [
      (destructor_name) @name
      (_ scope: (_) @scope name: (destructor_name) @name)
    ])
  ]
  parameters: (_) @parameters)) @definition.deinit
(declaration declarator: (_ declarator: (destructor_name) @name parameters: (_) @parameters)) @definition.deinit

; Prototypes: methods of a class; functions of a file, a namespace or a template. Inside of functions they look like variables with
; arguments, so those are left out.
(field_declaration
  type: (_) @return
  declarator: (_ declarator: [(field_identifier) (operator_name)] @name parameters: (_) @parameters)
  ";" @body) @definition.function
(field_declaration
  type: (_) @return
  declarator: (_ ["*" "&" "&&"] (_ declarator: [(field_identifier) (operator_name)] @name parameters: (_) @parameters))
  ";" @body) @definition.function
(field_declaration declarator: (_
  declarator: (field_identifier) @name
  [(virtual_specifier) @modifier (trailing_return_type (type_descriptor) @return)])) @definition.function
(translation_unit (_
  type: (_) @return
  declarator: [
    (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters)
    (_ ["*" "&" "&&"] (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters))
  ]
  ";" @body) @definition.function)
(declaration_list (_
  type: (_) @return
  declarator: [
    (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters)
    (_ ["*" "&" "&&"] (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters))
  ]
  ";" @body) @definition.function)
(preproc_if (_
  type: (_) @return
  declarator: [
    (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters)
    (_ ["*" "&" "&&"] (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters))
  ]
  ";" @body) @definition.function)
(preproc_ifdef (_
  type: (_) @return
  declarator: [
    (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters)
    (_ ["*" "&" "&&"] (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters))
  ]
  ";" @body) @definition.function)
(linkage_specification (_
  type: (_) @return
  declarator: [
    (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters)
    (_ ["*" "&" "&&"] (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters))
  ]
  ";" @body) @definition.function)
(template_declaration (_
  type: (_) @return
  declarator: [
    (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters)
    (_ ["*" "&" "&&"] (_ declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters))
  ]
  ";" @body) @definition.function)
(friend_declaration (_
  type: (_) @return
  declarator: [
    (_ declarator: (operator_name) @name parameters: (_) @parameters)
    (_ ["*" "&" "&&"] (_ declarator: (operator_name) @name parameters: (_) @parameters))
  ]
  ";" @body) @definition.function)
(declaration
  type: (_) @return
  declarator: (_
    declarator: (_ scope: (_) @scope name: [(identifier) @name (_ scope: (_) @scope name: (identifier) @name)])
    parameters: (_) @parameters)) @definition.method

; Operators and conversions: what they are besides functions.
(function_definition declarator: [
  (_
    declarator: [
      (operator_name) @name
      (_ scope: (_) @scope name: [(operator_name) @name (_ scope: (_) @scope name: (operator_name) @name)])
    ]
    parameters: (_) @parameters)
  (_ ["*" "&" "&&"] (_
    declarator: [
      (operator_name) @name
      (_ scope: (_) @scope name: [(operator_name) @name (_ scope: (_) @scope name: (operator_name) @name)])
    ]
    parameters: (_) @parameters))
]) @definition.operator
(field_declaration declarator: [
  (_ declarator: (operator_name) @name parameters: (_) @parameters)
  (_ ["*" "&" "&&"] (_ declarator: (operator_name) @name parameters: (_) @parameters))
]) @definition.operator
(declaration declarator: [
  (_ declarator: (operator_name) @name parameters: (_) @parameters)
  (_ ["*" "&" "&&"] (_ declarator: (operator_name) @name parameters: (_) @parameters))
]) @definition.operator
(function_definition declarator: [
  (_ type: (_) @return) @name
  (_ scope: (_) @scope name: (_ type: (_) @return) @name)
]) @definition.operator
(declaration declarator: (_ type: (_) @return) @name) @definition.operator

; A variable of a file or namespace that is a lambda.
(translation_unit (_ declarator: (_
  declarator: (identifier) @name
  value: (lambda_expression declarator: (_ parameters: (_) @parameters) body: (_) @body))) @definition.function)
(declaration_list (_ declarator: (_
  declarator: (identifier) @name
  value: (lambda_expression declarator: (_ parameters: (_) @parameters) body: (_) @body))) @definition.function)

; Types.
(class_specifier name: [
  (type_identifier) @name
  (_ !scope name: (type_identifier) @name)
  (_ scope: (_) @scope name: [
    (type_identifier) @name
    (_ !scope name: (type_identifier) @name)
    (_ scope: (_) @scope name: (type_identifier) @name)
  ])
] body: (_)) @definition.class
(struct_specifier name: [
  (type_identifier) @name
  (_ !scope name: (type_identifier) @name)
  (_ scope: (_) @scope name: [
    (type_identifier) @name
    (_ !scope name: (type_identifier) @name)
    (_ scope: (_) @scope name: (type_identifier) @name)
  ])
] body: (_)) @definition.struct
(union_specifier name: [
  (type_identifier) @name
  (_ !scope name: (type_identifier) @name)
  (_ scope: (_) @scope name: [
    (type_identifier) @name
    (_ !scope name: (type_identifier) @name)
    (_ scope: (_) @scope name: (type_identifier) @name)
  ])
] body: (_)) @definition.union
(enum_specifier name: [
  (type_identifier) @name
  (_ scope: (_) @scope name: (type_identifier) @name)
] body: (_)) @definition.enum
(concept_definition name: (identifier) @name) @definition.trait
(alias_declaration name: (type_identifier) @name ";" @body) @definition.typealias
(namespace_definition name: [(namespace_identifier) (nested_namespace_specifier)] @name) @definition.namespace

; A class with a macro in front of its name parses as a function: `class API Widget : public Base { ... }`.
(function_definition declarator: (_ !declarator) @name
  (#match? @definition.class "^class\\s")
  (#match? @name "^\\w+$")) @definition.class
(function_definition declarator: (_ !declarator) @name
  (#match? @definition.struct "^struct\\s")
  (#match? @name "^\\w+$")) @definition.struct
(function_definition declarator: (_ !declarator) @_name (ERROR (identifier) @reference.base)
  (#match? @_name "^\\w+$"))
(function_definition declarator: (_ !declarator) @_name body: (_ [
  (_
    type: (_) @return
    declarator: [
      (_ declarator: (identifier) @name parameters: (_) @parameters)
      (_ ["*" "&" "&&"] (_ declarator: (identifier) @name parameters: (_) @parameters))
    ]
    ";" @body) @definition.function
  (labeled_statement (_
    type: (_) @return
    declarator: [
      (_ declarator: (identifier) @name parameters: (_) @parameters)
      (_ ["*" "&" "&&"] (_ declarator: (identifier) @name parameters: (_) @parameters))
    ]
    ";" @body) @definition.function)
]) (#match? @_name "^\\w+$"))

; Typedefs: of a nameless type it is the type; of a named one only another name.
(type_definition type: (struct_specifier !name) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name) declarator: (type_identifier) @name) @definition.union
(type_definition type: (enum_specifier !name) declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: (_ name: (type_identifier) @_tag body: (_))
  declarator: (type_identifier) @name @definition.typealias
  (#not-eq? @_tag @name))
(type_definition
  type: (_ !body)
  declarator: [
    (_ !declarator) @name
    (_ [(type_identifier) @name (_ (_ declarator: (type_identifier) @name))])
  ]
  ";" @body
  (#match? @name "^\\w+$")) @definition.typealias

; Macros and constants of files, namespaces and classes.
(preproc_function_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(translation_unit (_ (type_qualifier) @_const declarator: (_
  declarator: [
    (identifier) @name
    (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]
  value: (_))) @definition.constant (#any-of? @_const "const" "constexpr" "constinit"))
(declaration_list (_ (type_qualifier) @_const declarator: (_
  declarator: [
    (identifier) @name
    (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]
  value: (_))) @definition.constant (#any-of? @_const "const" "constexpr" "constinit"))
(preproc_ifdef (_ (type_qualifier) @_const declarator: (_
  declarator: [
    (identifier) @name
    (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]
  value: (_))) @definition.constant (#any-of? @_const "const" "constexpr" "constinit"))
(field_declaration
  declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name)]
  default_value: (_)
  (#match? @definition.constant "^[^=({]*\\b(static|inline)\\b[^=({]*\\bconst(expr)?\\b")) @definition.constant

; Tests: GoogleTest, Boost.Test, Catch2 and doctest (of these only the head).
(function_definition !type declarator: (_
  declarator: (identifier) @_macro
  parameters: (parameter_list
    . (_ type: (type_identifier) @scope)
    . (_ type: (type_identifier) @name)))
  (#match? @_macro "^(TYPED_)?TEST(_F|_P)?$")) @definition.test
(function_definition !type declarator: (_
  declarator: (identifier) @_macro
  parameters: (parameter_list . (_ type: (type_identifier) @name)))
  (#match? @_macro "^BOOST_.*TEST_CASE$")) @definition.test
(call_expression
  function: (identifier) @_macro
  arguments: (_ . (string_literal) @name)
  (#any-of? @_macro "TEST_CASE" "SCENARIO" "TEMPLATE_TEST_CASE")) @definition.test
(call_expression
  function: (identifier) @_macro
  arguments: (_ . (identifier) @scope . (string_literal) @name)
  (#eq? @_macro "TEST_CASE_METHOD")) @definition.test

; Calls.
function: (identifier) @reference.call
function: (field_expression argument: (_) @receiver field: [
  (field_identifier) @reference.call
  (_ name: (field_identifier) @reference.call)
  (_ (_ name: (field_identifier) @reference.call))
])
function: (qualified_identifier scope: (_)? @receiver name: [
  (identifier) @reference.call
  (_ !scope name: (identifier) @reference.call)
  (_ scope: (_) @receiver name: [
    (identifier) @reference.call
    (_ !scope name: (identifier) @reference.call)
    (_ scope: (_) @receiver name: (identifier) @reference.call)
  ])
])
function: (parenthesized_expression (pointer_expression argument: (identifier) @reference.call))
function: (template_function name: (identifier) @reference.call
  (#not-any-of? @reference.call "static_cast" "dynamic_cast" "const_cast" "reinterpret_cast"))
(new_expression type: [
  (type_identifier) @reference.call
  (_ !scope name: (type_identifier) @reference.call)
  (_ scope: (_) @receiver name: [
    (type_identifier) @reference.call
    (_ !scope name: (type_identifier) @reference.call)
  ])
])

; Bases.
(base_class_clause [
  (type_identifier) @reference.base
  (_ !scope name: (type_identifier) @reference.base)
  (_ scope: (_) @receiver name: [
    (type_identifier) @reference.base
    (_ !scope name: (type_identifier) @reference.base)
    (_ scope: (_) @receiver name: [
      (type_identifier) @reference.base
      (_ !scope name: (type_identifier) @reference.base)
    ])
  ])
])

; Types, where they are used; a class, struct, union or enum without a body is a use.
(qualified_identifier scope: (_)? @receiver name: [
  (type_identifier) @reference.type
  (_ !scope name: (type_identifier) @reference.type)
])
([
  type: (type_identifier) @reference.type
  (class_specifier !body name: (type_identifier) @reference.type)
  (struct_specifier !body name: (type_identifier) @reference.type)
  (union_specifier !body name: (type_identifier) @reference.type)
  (enum_specifier !body name: (type_identifier) @reference.type)
  (template_type name: (type_identifier) @reference.type)
  default_type: (type_identifier) @reference.type
  constraint: (type_identifier) @reference.type
  (friend_declaration (type_identifier) @reference.type)
] (#not-match? @reference.type "^[A-Z]$"))

; Names bound to values, with their types: variables, fields, loops, other names of types.
(declaration type: (_) @type declarator: [
  (identifier) @binding
  (_ ["*" "&" "&&"] (identifier) @binding)
  (_ declarator: (identifier) @binding !parameters value: (_)? @value)
  (_ declarator: (_ ["*" "&" "&&"] (identifier) @binding) value: (_)? @value)
])
(field_declaration type: (_) @type declarator: [
  (field_identifier) @binding.member
  (_ ["*" "&" "&&"] (field_identifier) @binding.member)
])
(for_range_loop type: (_) @type declarator: [(identifier) @binding (_ ["*" "&" "&&"] (identifier) @binding)])
(parameter_declaration type: (_) @type declarator: [(identifier) @binding (_ ["*" "&" "&&"] (identifier) @binding)])
(alias_declaration name: (type_identifier) @binding type: (_) @type)
(type_definition type: [(type_identifier) @type (_ name: (_) @type)] declarator: [
  (type_identifier) @binding
  (_ . "*" declarator: (type_identifier) @binding)
])
