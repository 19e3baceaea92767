; Modifiers

[
  (accessibility_modifier)
  (override_modifier)
  "readonly"
  "abstract"
  "declare"
  "accessor"
] @modifier
(enum_declaration "const" @modifier)
(ambient_declaration) @wrapper

; Parts that the shared patterns cannot name

(lexical_declaration . (_ . name: (identifier) @name value: (_ . [parameters: (_) ((_) . parameters: (_))] return_type: (_) @return)) .) @definition.function
(pair key: (_) @name value: (_ . [parameters: (_) ((_) . parameters: (_))] return_type: (_) @return)) @definition.method

; Constants

[
  (internal_module body: (_
    (lexical_declaration "const" . (variable_declarator . name: (identifier) @name) .) @definition.constant))
  (module body: (_
    (lexical_declaration "const" . (variable_declarator . name: (identifier) @name) .) @definition.constant))
]
(ambient_declaration (_ . (variable_declarator . name: (identifier) @name) .) @definition.constant)
(ambient_declaration "declare" @modifier (_ [
  ((variable_declarator . name: (identifier) @name) @definition.constant ",")
  ("," (variable_declarator . name: (identifier) @name) @definition.constant)
]))
((public_field_definition name: (_) @name) @definition.constant
  (#match? @definition.constant "^(@[\\w.]+(\\([^)]*\\))?\\s*)*(\\w+\\s+)*static\\s+(\\w+\\s+)*(readonly\\s|#?[A-Z][A-Z0-9_$]+\\s*(:[^=;]*)?=)"))

; Functions

(function_signature name: (identifier) @name) @definition.function

; Members

(method_signature name: (_) @name) @definition.method
(method_signature "get" name: (_) @name) @definition.getter
(method_signature "set" name: (_) @name) @definition.setter
(method_signature name: (property_identifier) @name (#eq? @name "constructor")) @definition.constructor
(abstract_method_signature name: (_) @name) @definition.method
(abstract_method_signature "get" name: (_) @name) @definition.getter
(abstract_method_signature "set" name: (_) @name) @definition.setter
((public_field_definition name: (_) @name) @definition.property
  (#match? @definition.property "^(@[\\w.]+(\\([^)]*\\))?\\s*)*(\\w+\\s+)*accessor\\s"))
(public_field_definition name: (_) @name value: (_ . ["async" @modifier parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] return_type: (_)? @return body: (_) @body)) @definition.function

; Types

(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(type_alias_declaration name: (_) @name) @definition.typealias
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.module
(ambient_declaration "global" @name (statement_block) @body) @definition.namespace

; Bases

(extends_clause value: [
  (identifier) @reference.base
  (_ . object: (_) @receiver property: (_) @reference.base)
  (_ . function: (_) arguments: (_ (identifier) @reference.base))
])
[
  (implements_clause [
    (type_identifier) @reference.base
    (_ . name: (type_identifier) @reference.base)
    (_ . module: (_) @receiver name: (_) @reference.base)
    (_ . name: (_ . module: (_) @receiver name: (_) @reference.base))
  ])
  (extends_type_clause type: [
    (type_identifier) @reference.base
    (_ . name: (type_identifier) @reference.base)
    (_ . module: (_) @receiver name: (_) @reference.base)
    (_ . name: (_ . module: (_) @receiver name: (_) @reference.base))
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

; Names bound to values, with their types

(variable_declarator name: (identifier) @binding type: (_) @type)
(required_parameter pattern: (identifier) @binding type: (_)? @type)
(optional_parameter pattern: (identifier) @binding type: (_)? @type)
(required_parameter (accessibility_modifier) pattern: (identifier) @binding.member type: (_)? @type)
(public_field_definition name: (_) @binding.member type: (_)? @type value: (_)? @value)
(property_signature name: (_) @binding.member type: (_)? @type)
