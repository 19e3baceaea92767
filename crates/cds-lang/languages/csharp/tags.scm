; Compiling costs by the nodes that have children here: by how many places of the grammar they begin at, and by how far their
; first child is from there. So wildcards with fields or keywords stand for nodes, and the first of an alternation is a wildcard.
(comment) @comment
(attribute) @decorator
(modifier) @modifier

(namespace_declaration name: (_) @name) @definition.namespace
(file_scoped_namespace_declaration name: (_) @name) @definition.namespace
(class_declaration name: (identifier) @name (parameter_list)? @parameters) @definition.class
(struct_declaration name: (identifier) @name (parameter_list)? @parameters) @definition.struct
(record_declaration name: (identifier) @name (parameter_list)? @parameters) @definition.record
(record_declaration name: (identifier) @name !body ";" @body) @definition.record
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name ";" @body) @definition.delegate

(method_declaration name: (identifier) @name) @definition.method
(method_declaration name: (identifier) @name !body ";" @body) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
((constructor_declaration name: (identifier) @name) @definition.constructor (#not-eq? @name "extension"))
; `extension(Type x) { … }`, which the grammar reads as a constructor.
((constructor_declaration
   name: (identifier) @_word
   parameters: (_ . (_ type: (_) @name))) @definition.extension
  (#eq? @_word "extension"))
(destructor_declaration name: (identifier) @name) @definition.deinit
(property_declaration name: (identifier) @name) @definition.property
(indexer_declaration "this" @name) @definition.subscript
(operator_declaration operator: _ @name) @definition.operator
(conversion_operator_declaration type: (_) @name) @definition.operator
(event_declaration name: (identifier) @name) @definition.event

; A declaration of several variables is one entity for each.
(event_field_declaration (_ type: (_) @return (_ name: (identifier) @name))) @definition.event
[(field_declaration (_ "const") (_ type: (_) @return (_ name: (identifier) @name)))
 (field_declaration (_ "static") (_ "readonly") (_ type: (_) @return (_ name: (identifier) @name)))
 (field_declaration (_ "readonly") (_ "static") (_ type: (_) @return (_ name: (identifier) @name)))] @definition.constant
(field_declaration
  (_ type: (_) @return . (_ name: (identifier) @name (_ "=>" body: (_) @body)) .)) @definition.function

(invocation_expression function: [
  (_ expression: _ @receiver name: [(identifier) @reference.call (_ (identifier) @reference.call)])
  (identifier) @reference.call
  (_ . (identifier) @reference.call . (type_argument_list))
  (_ condition: (_) @receiver (_ name: [(identifier) @reference.call (_ (identifier) @reference.call)]))]
  (#not-eq? @reference.call "nameof"))
(object_creation_expression type: [
  (_ qualifier: (_) @receiver name: [(identifier) @reference.call (_ (identifier) @reference.call)])
  (identifier) @reference.call
  (_ . (identifier) @reference.call . (type_argument_list))])

(class_declaration (_ . ":" [
  (_ qualifier: (_) @receiver name: [(identifier) @reference.base (_ (identifier) @reference.base)])
  (identifier) @reference.base
  (_ . (identifier) @reference.base . (type_argument_list))]))
(struct_declaration (_ . ":" [
  (_ qualifier: (_) @receiver name: [(identifier) @reference.base (_ (identifier) @reference.base)])
  (identifier) @reference.base
  (_ . (identifier) @reference.base . (type_argument_list))]))
(record_declaration (_ . ":" [
  (_ qualifier: (_) @receiver name: [(identifier) @reference.base (_ (identifier) @reference.base)])
  (identifier) @reference.base
  (_ . (identifier) @reference.base . (type_argument_list))]))
(interface_declaration (_ . ":" [
  (_ qualifier: (_) @receiver name: [(identifier) @reference.base (_ (identifier) @reference.base)])
  (identifier) @reference.base
  (_ . (identifier) @reference.base . (type_argument_list))]))
(primary_constructor_base_type type: [
  (_ qualifier: (_) @receiver name: [(identifier) @reference.base (_ (identifier) @reference.base)])
  (identifier) @reference.base
  (_ . (identifier) @reference.base . (type_argument_list))])

; Types: every place that takes one. Single letters are type parameters.
(generic_name (identifier) @reference.type)
([(_ type: (identifier) @reference.type)
  (type_argument_list (identifier) @reference.type)
  (method_declaration returns: (identifier) @reference.type)
  (explicit_interface_specifier (identifier) @reference.type)
  (constant_pattern [
    (_ left: (identifier) @reference.type operator: ["&&" "||"])
    (identifier) @reference.type])
  (is_expression right: [
    (_ qualifier: (_) @receiver name: (identifier) @reference.type)
    (identifier) @reference.type])
  (as_expression right: [
    (_ qualifier: (_) @receiver name: (identifier) @reference.type)
    (identifier) @reference.type])]
  (#not-match? @reference.type "^([A-Z]|var)$"))
[(type_argument_list (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (parameter type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (variable_declaration type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (property_declaration type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (method_declaration returns: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (local_function_statement type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (delegate_declaration type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (explicit_interface_specifier (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (type_parameter_constraint type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (nullable_type type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (array_type type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (cast_expression type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (typeof_expression type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (default_expression type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (declaration_pattern type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (catch_declaration type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))
 (foreach_statement type: (_ qualifier: (_) @receiver name: (identifier) @reference.type))]
(attribute name: [
  (_ qualifier: (_) @receiver name: (identifier) @reference.type)
  (identifier) @reference.type])

; Names bound to values. Of what stands directly in a type the type is the scope.
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
((variable_declaration type: (_) @type (_ name: (identifier) @binding)) (#not-eq? @type "var"))
(variable_declaration type: (implicit_type) (_ name: (identifier) @binding . "=" . (_) @value))
(variable_declaration type: (implicit_type) (_ name: (identifier) @binding . "=" . (cast_expression type: (_) @type)))
(variable_declaration type: (implicit_type) (_ name: (identifier) @binding . "=" . (as_expression right: (_) @type)))
(tuple_pattern name: (identifier) @binding)
(foreach_statement type: (_) @type left: (identifier) @binding)
(declaration_pattern type: (_) @type name: (identifier) @binding)
(declaration_expression type: (_) @type name: (identifier) @binding)
(catch_declaration name: (identifier) @binding)
(implicit_parameter) @binding
(lambda_expression parameters: (_ (_ type: (_)? @type name: (identifier) @binding)))
