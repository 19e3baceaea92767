[(line_comment) (block_comment)] @comment
(modifiers [(annotation) (marker_annotation)] @decorator)
(modifiers ["public" "protected" "private" "abstract" "static" "final" "strictfp" "default" "synchronized" "native"
  "transient" "volatile" "sealed" "non-sealed"] @modifier)

(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(record_declaration name: (identifier) @name) @definition.record
(annotation_type_declaration name: (identifier) @name) @definition.annotation
(module_declaration name: (_) @name) @definition.module

(method_declaration name: (identifier) @name) @definition.method
(method_declaration name: (identifier) @name !body ";" @body) @definition.method
(program (method_declaration name: (identifier) @name) @definition.function)
(annotation_type_element_declaration name: (identifier) @name) @definition.method
[(constructor_declaration name: (identifier) @name)
 (compact_constructor_declaration name: (identifier) @name)] @definition.constructor

; A field of several variables is one constant for each; alone it is the whole declaration.
(field_declaration
  [(modifiers "static" "final") (modifiers "final" "static")]
  type: (_) . declarator: (variable_declarator name: (identifier) @name) . ";") @definition.constant
(field_declaration
  [(modifiers "static" "final") (modifiers "final" "static")] @modifier
  declarator: (variable_declarator name: (identifier) @name) @definition.constant . ",")
(field_declaration
  [(modifiers "static" "final") (modifiers "final" "static")] @modifier
  "," . declarator: (variable_declarator name: (identifier) @name) @definition.constant)
(constant_declaration
  type: (_) . declarator: (variable_declarator name: (identifier) @name) . ";") @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name) @definition.constant . ",")
(constant_declaration "," . declarator: (variable_declarator name: (identifier) @name) @definition.constant)
([(field_declaration
    type: (_) . declarator: (variable_declarator name: (identifier) @name value: (lambda_expression body: (_) @body)) . ";")
  (constant_declaration
    type: (_) . declarator: (variable_declarator name: (identifier) @name value: (lambda_expression body: (_) @body)) . ";")]
  @definition.function)

(method_invocation !object name: (identifier) @reference.call)
(method_invocation object: (_) @receiver name: (identifier) @reference.call)
(method_reference . (_) @receiver "::" (identifier) @reference.call)
(method_reference . [(identifier) @reference.call (generic_type (type_identifier) @reference.call)] "::" "new")
(object_creation_expression type: [
  (type_identifier) @reference.call
  (generic_type (type_identifier) @reference.call)
  (scoped_type_identifier (_) @receiver (type_identifier) @reference.call .)
  (generic_type (scoped_type_identifier (_) @receiver (type_identifier) @reference.call .))])

(superclass [
  (type_identifier) @reference.base
  (generic_type (type_identifier) @reference.base)
  (scoped_type_identifier (_) @receiver (type_identifier) @reference.base .)
  (generic_type (scoped_type_identifier (_) @receiver (type_identifier) @reference.base .))])
([(super_interfaces (type_list [
    (type_identifier) @reference.base
    (generic_type (type_identifier) @reference.base)
    (scoped_type_identifier (_) @receiver (type_identifier) @reference.base .)
    (generic_type (scoped_type_identifier (_) @receiver (type_identifier) @reference.base .))]))
  (extends_interfaces (type_list [
    (type_identifier) @reference.base
    (generic_type (type_identifier) @reference.base)
    (scoped_type_identifier (_) @receiver (type_identifier) @reference.base .)
    (generic_type (scoped_type_identifier (_) @receiver (type_identifier) @reference.base .))]))])

; Neither `var`, nor packages in front of a type, nor type parameters.
((type_identifier) @reference.type (#not-match? @reference.type "^([a-z].*|[A-Z][0-9]?)$"))
(scoped_type_identifier [(type_identifier) (scoped_type_identifier) (generic_type)] @receiver (type_identifier) @reference.type .
  (#not-match? @reference.type "^[a-z]"))
([(annotation name: (identifier) @reference.type)
  (annotation name: (scoped_identifier scope: (_) @receiver name: (identifier) @reference.type))
  (marker_annotation name: (identifier) @reference.type)
  (marker_annotation name: (scoped_identifier scope: (_) @receiver name: (identifier) @reference.type))])
(record_pattern . (identifier) @reference.type)

; Names bound to values.

(package_declaration [(identifier) (scoped_identifier)] @package)
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @binding value: (_)? @value))
(local_variable_declaration declarator: (variable_declarator
  name: (identifier) @binding
  value: (cast_expression type: (_) @type)))
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @binding.member))
(constant_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @binding.member))
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (identifier) @binding.member)))
(enhanced_for_statement type: (_) @type name: (identifier) @binding)
(resource type: (_) @type name: (identifier) @binding value: (_) @value)
(instanceof_expression right: (_) @type name: (identifier) @binding)
(type_pattern (_) @type (identifier) @binding)
(catch_formal_parameter name: (identifier) @binding)
(lambda_expression parameters: (identifier) @binding)
(lambda_expression parameters: (inferred_parameters (identifier) @binding))
(lambda_expression parameters: (formal_parameters (formal_parameter type: (_) @type name: (identifier) @binding)))
