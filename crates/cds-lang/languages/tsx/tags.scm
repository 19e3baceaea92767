; Modifiers

[
  (accessibility_modifier)
  (override_modifier)
] @modifier
(public_field_definition ["static" "readonly" "abstract" "declare" "accessor"] @modifier)
(method_signature ["static" "async"] @modifier)
(abstract_method_signature "abstract" @modifier)
(abstract_class_declaration "abstract" @modifier)
(enum_declaration "const" @modifier)
(ambient_declaration) @wrapper
(ambient_declaration "declare" @modifier)

; Parts that the shared patterns cannot name

(lexical_declaration .
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function return_type: (_) @return) (function_expression return_type: (_) @return)]) .) @definition.function
(pair
  key: (_) @name
  value: [(arrow_function return_type: (_) @return) (function_expression return_type: (_) @return)]) @definition.method

; Constants

[
  (internal_module body: (statement_block
    (lexical_declaration "const" . (variable_declarator name: (identifier) @name) .) @definition.constant))
  (module body: (statement_block
    (lexical_declaration "const" . (variable_declarator name: (identifier) @name) .) @definition.constant))
]
(ambient_declaration "declare" @modifier
  [
    (lexical_declaration . (variable_declarator name: (identifier) @name) .)
    (variable_declaration . (variable_declarator name: (identifier) @name) .)
  ] @definition.constant)
(ambient_declaration "declare" @modifier
  (_ (variable_declarator name: (identifier) @name) @definition.constant . (variable_declarator)))
(ambient_declaration "declare" @modifier
  (_ (variable_declarator) . (variable_declarator name: (identifier) @name) @definition.constant))
(public_field_definition "static" "readonly" name: (_) @name) @definition.constant
(public_field_definition "static" name: (_) @name value: (_) (#match? @name "^#?[A-Z][A-Z0-9_$]+$")) @definition.constant

; Functions

(function_signature name: (identifier) @name) @definition.function
(function_signature "async" @modifier)

; Members

(method_signature name: (_) @name) @definition.method
(method_signature "get" name: (_) @name) @definition.getter
(method_signature "set" name: (_) @name) @definition.setter
(method_signature name: (property_identifier) @name (#eq? @name "constructor")) @definition.constructor
(abstract_method_signature name: (_) @name) @definition.method
(abstract_method_signature "get" name: (_) @name) @definition.getter
(abstract_method_signature "set" name: (_) @name) @definition.setter
(public_field_definition "accessor" name: (_) @name) @definition.property
(public_field_definition
  name: (_) @name
  value: [
    (arrow_function parameters: (_) @parameters body: (_) @body)
    (arrow_function parameter: (_) @parameters body: (_) @body)
    (function_expression parameters: (_) @parameters body: (_) @body)
    (generator_function parameters: (_) @parameters body: (_) @body)
  ]) @definition.function
(public_field_definition
  name: (_) @name
  value: [(arrow_function return_type: (_) @return) (function_expression return_type: (_) @return)]) @definition.function
(public_field_definition
  name: (_) @name
  value: [(arrow_function "async" @modifier) (function_expression "async" @modifier)]) @definition.function

; Types

(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(type_alias_declaration name: (_) @name) @definition.typealias
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.module
(ambient_declaration "global" @name (statement_block) @body) @definition.namespace

; Bases

(extends_clause value: (identifier) @reference.base)
(extends_clause value: (member_expression object: (_) @receiver property: (_) @reference.base))
(extends_clause value: (call_expression arguments: (arguments (identifier) @reference.base)))
[
  (implements_clause [
    (type_identifier) @reference.base
    (generic_type name: (type_identifier) @reference.base)
    (nested_type_identifier module: (_) @receiver name: (_) @reference.base)
    (generic_type name: (nested_type_identifier module: (_) @receiver name: (_) @reference.base))
  ])
  (extends_type_clause type: [
    (type_identifier) @reference.base
    (generic_type name: (type_identifier) @reference.base)
    (nested_type_identifier module: (_) @receiver name: (_) @reference.base)
    (generic_type name: (nested_type_identifier module: (_) @receiver name: (_) @reference.base))
  ])
]

; Types in type positions

(nested_type_identifier module: (_) @receiver name: (type_identifier) @reference.type)
(generic_type name: (type_identifier) @reference.type)
(type_annotation (type_identifier) @reference.type)
(type_arguments (type_identifier) @reference.type)
(union_type (type_identifier) @reference.type)
(intersection_type (type_identifier) @reference.type)
(array_type (type_identifier) @reference.type)
(tuple_type (type_identifier) @reference.type)
(parenthesized_type (type_identifier) @reference.type)
(readonly_type (type_identifier) @reference.type)
(index_type_query (type_identifier) @reference.type)
(lookup_type (type_identifier) @reference.type)
(constraint (type_identifier) @reference.type)
(default_type (type_identifier) @reference.type)
(conditional_type (type_identifier) @reference.type)
(function_type return_type: (type_identifier) @reference.type)
(constructor_type type: (type_identifier) @reference.type)
(type_predicate type: (type_identifier) @reference.type)
(type_alias_declaration value: (type_identifier) @reference.type)
(mapped_type_clause type: (type_identifier) @reference.type)
(optional_type (type_identifier) @reference.type)
(rest_type (type_identifier) @reference.type)
(template_type (type_identifier) @reference.type)
(as_expression (type_identifier) @reference.type)
(satisfies_expression (type_identifier) @reference.type)

; Components

(jsx_opening_element name: (identifier) @reference.call (#match? @reference.call "^[A-Z]"))
(jsx_opening_element name: (member_expression object: (_) @receiver property: (_) @reference.call))
(jsx_self_closing_element name: (identifier) @reference.call (#match? @reference.call "^[A-Z]"))
(jsx_self_closing_element name: (member_expression object: (_) @receiver property: (_) @reference.call))
