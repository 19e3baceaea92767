(comment) @comment
(attribute_group) @decorator
[(visibility_modifier) (static_modifier) (abstract_modifier) (final_modifier) (readonly_modifier) (var_modifier)] @modifier

; The file's doc stands after the opening tag.
(program . (php_tag) . (comment) @doc
  . [(comment) (namespace_definition) (namespace_use_declaration) (declare_statement) (expression_statement)])

; Definitions

(namespace_definition name: (namespace_name) @name body: (_)) @definition.namespace
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum

; Test classes are known by their own name or by their base's.
((class_declaration name: (name) @name) @definition.class @test (#match? @name "[a-z0-9_]Test$"))
((class_declaration name: (name) @name (base_clause [(name) @_base (qualified_name (name) @_base)])) @definition.class @test
  (#match? @_base "TestCase$"))

(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
((method_declaration name: (name) @name) @definition.constructor (#eq? @name "__construct"))
(property_declaration
  (property_element name: (variable_name (name) @name))
  (property_hook_list) @body) @definition.property
(program (expression_statement (_ .
  left: (_ (name) @name) .
  right: [
    (anonymous_function parameters: (_) @parameters return_type: (_)? @return body: (_) @body)
    (arrow_function parameters: (_) @parameters return_type: (_)? @return "=>" @body)]) @definition.function))

; Heads of definitions whose end the parser does not find.
(ERROR "class" . (name) @name @definition.class)
(ERROR "interface" . (name) @name @definition.interface)
(ERROR "trait" . (name) @name @definition.trait)
(ERROR "function" . (name) @name @definition.function)

; One constant is its whole declaration; several in one are an element each.
(const_declaration ["const" (type)] . (const_element . (name) @name) . ";") @definition.constant
(const_declaration "," . (const_element . (name) @name) @definition.constant)
(const_declaration (const_element . (name) @name) @definition.constant . ",")
(const_declaration (visibility_modifier) @modifier "," . (const_element . (name) @name) @definition.constant)
(const_declaration (visibility_modifier) @modifier (const_element . (name) @name) @definition.constant . ",")
((function_call_expression
    function: (name) @_define
    arguments: (arguments . (argument [(string) (encapsed_string)] @name))) @definition.constant
  (#eq? @_define "define"))

; Pest
((function_call_expression
    function: (name) @_how
    arguments: (arguments
      . (argument [(string) (encapsed_string)] @name)
      "," @body
      . (argument [(anonymous_function) (arrow_function)]))) @definition.test
  (#any-of? @_how "it" "test" "describe" "arch"))

; Calls

([
  function: (name) @reference.call
  function: (qualified_name (name) @reference.call)
  function: (qualified_name prefix: (namespace_name) @receiver (name) @reference.call)
  function: (relative_name (name) @reference.call)]
  (#not-any-of? @reference.call "isset" "empty" "define" "exit" "die"))
[(member_call_expression object: (_) @receiver name: (name) @reference.call)
  (nullsafe_member_call_expression object: (_) @receiver name: (name) @reference.call)
  (scoped_call_expression scope: (_) @receiver name: (name) @reference.call)]
((object_creation_expression [
    (name) @reference.call
    (qualified_name (name) @reference.call)
    (qualified_name prefix: (namespace_name) @receiver (name) @reference.call)])
  (#not-any-of? @reference.call "static" "self" "parent"))
(attribute [
  (name) @reference.call
  (qualified_name (name) @reference.call)
  (qualified_name prefix: (namespace_name) @receiver (name) @reference.call)])

; An anonymous class is no entity: what it extends is a type that the code around it uses.
(anonymous_class (base_clause [
  (name) @reference.type
  (qualified_name (name) @reference.type)
  (qualified_name prefix: (namespace_name) @receiver (name) @reference.type)]))
(anonymous_class (class_interface_clause [
  (name) @reference.type
  (qualified_name (name) @reference.type)
  (qualified_name prefix: (namespace_name) @receiver (name) @reference.type)]))

; Bases: parents, interfaces, traits

[(class_declaration (base_clause [
    (name) @reference.base
    (qualified_name (name) @reference.base)
    (qualified_name prefix: (namespace_name) @receiver (name) @reference.base)]))
  (interface_declaration (base_clause [
    (name) @reference.base
    (qualified_name (name) @reference.base)
    (qualified_name prefix: (namespace_name) @receiver (name) @reference.base)]))
  (class_declaration (class_interface_clause [
    (name) @reference.base
    (qualified_name (name) @reference.base)
    (qualified_name prefix: (namespace_name) @receiver (name) @reference.base)]))
  (enum_declaration (class_interface_clause [
    (name) @reference.base
    (qualified_name (name) @reference.base)
    (qualified_name prefix: (namespace_name) @receiver (name) @reference.base)]))
  (use_declaration [
    (name) @reference.base
    (qualified_name (name) @reference.base)
    (qualified_name prefix: (namespace_name) @receiver (name) @reference.base)])]

; Types

((named_type [
    (name) @reference.type
    (qualified_name (name) @reference.type)
    (qualified_name prefix: (namespace_name) @receiver (name) @reference.type)])
  (#not-any-of? @reference.type "self" "static" "parent"))
(class_constant_access_expression . [
  (name) @reference.type
  (qualified_name (name) @reference.type)
  (qualified_name prefix: (namespace_name) @receiver (name) @reference.type)])
([operator: "instanceof"] . [
  right: (name) @reference.type
  right: (qualified_name (name) @reference.type)
  right: (qualified_name prefix: (namespace_name) @receiver (name) @reference.type)
])

; Names bound to values.

(namespace_definition name: (namespace_name) @package)
(assignment_expression left: (variable_name) @binding right: (_) @value)
(assignment_expression
  left: (member_access_expression object: (variable_name) @_this name: (name) @binding.member)
  right: (_) @value
  (#eq? @_this "$this"))
(property_declaration type: (_)? @type (property_element name: (variable_name) @binding.member))
(property_promotion_parameter type: (_)? @type name: (variable_name) @binding.member)
(foreach_statement "as" . (variable_name) @binding)
(foreach_statement "as" . (_ (variable_name) @binding))
(catch_clause name: (variable_name) @binding)
(list_literal (variable_name) @binding)
(anonymous_function parameters: (formal_parameters (simple_parameter type: (_)? @type name: (variable_name) @binding)))
(arrow_function parameters: (formal_parameters (simple_parameter type: (_)? @type name: (variable_name) @binding)))
