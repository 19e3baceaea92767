[(line_comment) (block_comment)] @comment
(attribute_item) @decorator

(visibility_modifier) @modifier
(function_modifiers ["async" "const" "default" "unsafe" (extern_modifier)] @modifier)
(trait_item "unsafe" @modifier)
(impl_item "unsafe" @modifier)
(static_item (mutable_specifier) @modifier)

(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name ";" @body) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.union
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(mod_item name: (identifier) @name body: (declaration_list)) @definition.module
(macro_definition name: (identifier) @name) @definition.macro
(type_item name: (type_identifier) @name ";" @body) @definition.typealias
(associated_type name: (type_identifier) @name ";" @body) @definition.typealias

; Constants of modules and types; those of function bodies are locals.
([(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @definition.constant
  (#not-eq? @name "_")
  (#set! where outer))

; An impl is called like its type, whatever stands around the name.
(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (tuple_type) @name
  (unit_type) @name
  (array_type) @name
  (pointer_type) @name
  (function_type) @name
  (never_type) @name
  (metavariable) @name
  (macro_invocation) @name
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (reference_type type: (type_identifier) @name)
  (reference_type type: (primitive_type) @name)
  (reference_type type: (array_type) @name)
  (reference_type type: (scoped_type_identifier name: (type_identifier) @name))
  (reference_type type: (generic_type type: (type_identifier) @name))
  (dynamic_type trait: (type_identifier) @name)
  (dynamic_type trait: (scoped_type_identifier name: (type_identifier) @name))
  (dynamic_type trait: (generic_type type: (type_identifier) @name))
  (bounded_type (dynamic_type trait: [
    (type_identifier) @name
    (scoped_type_identifier name: (type_identifier) @name)
    (generic_type type: (type_identifier) @name)
  ]))
]) @definition.impl

; Calls.
(call_expression function: [
  (identifier) @reference.call
  (scoped_identifier path: (_)? @receiver name: (identifier) @reference.call)
  (field_expression value: (_) @receiver field: (field_identifier) @reference.call)
  (generic_function function: (identifier) @reference.call)
  (generic_function function: (scoped_identifier path: (_)? @receiver name: (identifier) @reference.call))
  (generic_function function: (field_expression value: (_) @receiver field: (field_identifier) @reference.call))
])
(macro_invocation macro: [
  (identifier) @reference.call
  (scoped_identifier path: (_)? @receiver name: (identifier) @reference.call)
])
; Arguments of macros are bare tokens: a name in front of a parenthesis is a call.
(token_tree (identifier) @reference.call . (token_tree . "("))
(token_tree [(identifier) (self)] @receiver . ["." "::"] . (identifier) @reference.call . (token_tree . "("))

; Bases: implemented traits, supertraits, derived traits.
(impl_item trait: [
  (type_identifier) @reference.base
  (scoped_type_identifier path: (_)? @receiver name: (type_identifier) @reference.base)
  (generic_type type: (type_identifier) @reference.base)
  (generic_type type: (scoped_type_identifier path: (_)? @receiver name: (type_identifier) @reference.base))
])
(trait_item bounds: (trait_bounds [
  (type_identifier) @reference.base
  (scoped_type_identifier path: (_)? @receiver name: (type_identifier) @reference.base)
  (generic_type type: (type_identifier) @reference.base)
  (generic_type type: (scoped_type_identifier path: (_)? @receiver name: (type_identifier) @reference.base))
]))
(attribute (identifier) @_derive arguments: (token_tree (identifier) @reference.base)
  (#eq? @_derive "derive") (#match? @reference.base "^[A-Z]"))
(attribute (identifier) @_derive arguments: (token_tree (identifier) @receiver . "::" . (identifier) @reference.base)
  (#eq? @_derive "derive") (#match? @reference.base "^[A-Z]"))

; Types, where they are used.
(scoped_type_identifier path: (_)? @receiver name: (type_identifier) @reference.type)
([
  (parameter type: (type_identifier) @reference.type)
  (field_declaration type: (type_identifier) @reference.type)
  (ordered_field_declaration_list type: (type_identifier) @reference.type)
  (let_declaration type: (type_identifier) @reference.type)
  (const_item type: (type_identifier) @reference.type)
  (static_item type: (type_identifier) @reference.type)
  (const_parameter type: (type_identifier) @reference.type)
  (type_item type: (type_identifier) @reference.type)
  (type_binding type: (type_identifier) @reference.type)
  (type_parameter default_type: (type_identifier) @reference.type)
  (impl_item type: (type_identifier) @reference.type)
  (reference_type type: (type_identifier) @reference.type)
  (pointer_type type: (type_identifier) @reference.type)
  (generic_type type: (type_identifier) @reference.type)
  (generic_type_with_turbofish type: (type_identifier) @reference.type)
  (higher_ranked_trait_bound type: (type_identifier) @reference.type)
  (qualified_type type: (type_identifier) @reference.type)
  (qualified_type alias: (type_identifier) @reference.type)
  (type_cast_expression type: (type_identifier) @reference.type)
  (array_type element: (type_identifier) @reference.type)
  (dynamic_type trait: (type_identifier) @reference.type)
  (abstract_type trait: (type_identifier) @reference.type)
  (where_predicate left: (type_identifier) @reference.type)
  (function_item return_type: (type_identifier) @reference.type)
  (function_signature_item return_type: (type_identifier) @reference.type)
  (function_type return_type: (type_identifier) @reference.type)
  (function_type trait: (type_identifier) @reference.type)
  (parameters (type_identifier) @reference.type)
  (closure_expression return_type: (type_identifier) @reference.type)
  (struct_expression name: (type_identifier) @reference.type)
  (struct_pattern type: (type_identifier) @reference.type)
  (type_arguments (type_identifier) @reference.type)
  (trait_bounds (type_identifier) @reference.type)
  (bounded_type (type_identifier) @reference.type)
  (bracketed_type (type_identifier) @reference.type)
  (tuple_type (type_identifier) @reference.type)
] (#not-match? @reference.type "^([A-Z]|Self|_)$"))
; `Kind::Variant` and `Type::new` use the type in front.
(scoped_identifier path: (identifier) @reference.type (#match? @reference.type "^[A-Z].*[a-z]"))
(scoped_identifier
  path: (scoped_identifier path: (_)? @receiver name: (identifier) @reference.type)
  (#match? @reference.type "^[A-Z].*[a-z]"))

; Names bound to values.
(let_declaration pattern: (identifier) @binding type: (_)? @type value: (_)? @value)
(let_declaration pattern: (identifier) @binding value: (struct_expression name: (_) @type))
(let_declaration pattern: (mut_pattern (identifier) @binding) type: (_)? @type value: (_)? @value)
(let_declaration pattern: (tuple_pattern (identifier) @binding))
(let_condition pattern: (tuple_struct_pattern (identifier) @binding .) value: (_) @value)
(let_condition pattern: (tuple_struct_pattern (mut_pattern (identifier) @binding)))
(match_pattern (tuple_struct_pattern (identifier) @binding))
(struct_pattern (field_pattern name: (shorthand_field_identifier) @binding))
(for_expression pattern: (identifier) @binding)
(for_expression pattern: (_ (identifier) @binding))
(closure_parameters (identifier) @binding)
(closure_parameters (_ (identifier) @binding))
(closure_parameters (parameter pattern: (identifier) @binding type: (_) @type))
(field_declaration name: (field_identifier) @binding.member type: (_) @type)
(const_item name: (identifier) @binding type: (_) @type)
(static_item name: (identifier) @binding type: (_) @type)
