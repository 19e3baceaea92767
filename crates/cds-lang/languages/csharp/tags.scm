(comment) @comment
(attribute) @decorator
(modifier) @modifier

(namespace_declaration name: (_) @name) @definition.namespace
(file_scoped_namespace_declaration name: (_) @name) @definition.namespace
(class_declaration name: (identifier) @name) @definition.class
(class_declaration name: (identifier) @name (parameter_list) @parameters) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(struct_declaration name: (identifier) @name (parameter_list) @parameters) @definition.struct
(record_declaration name: (identifier) @name) @definition.record
(record_declaration name: (identifier) @name (parameter_list) @parameters) @definition.record
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
   parameters: (parameter_list . (parameter type: (_) @name))) @definition.extension
  (#eq? @_word "extension"))
(destructor_declaration name: (identifier) @name) @definition.deinit
(property_declaration name: (identifier) @name) @definition.property
(indexer_declaration "this" @name) @definition.subscript
(operator_declaration operator: _ @name) @definition.operator
(conversion_operator_declaration type: (_) @name) @definition.operator
(event_declaration name: (identifier) @name) @definition.event

; A declaration of several variables is one entity for each; alone it is the whole declaration.
(event_field_declaration
  (variable_declaration type: (_) @return . (variable_declarator name: (identifier) @name) .)) @definition.event
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name) @definition.event . ","))
(event_field_declaration (modifier) @modifier
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.event . ","))
(event_field_declaration (variable_declaration "," . (variable_declarator name: (identifier) @name) @definition.event))
(event_field_declaration (modifier) @modifier
  (variable_declaration "," . (variable_declarator name: (identifier) @name) @definition.event))
([(field_declaration (modifier "const")
    (variable_declaration type: (_) @return . (variable_declarator name: (identifier) @name) .))
  (field_declaration (modifier "static") (modifier "readonly")
    (variable_declaration type: (_) @return . (variable_declarator name: (identifier) @name) .))
  (field_declaration (modifier "readonly") (modifier "static")
    (variable_declaration type: (_) @return . (variable_declarator name: (identifier) @name) .))] @definition.constant)
(field_declaration . (modifier) @modifier (modifier "const")
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant . ","))
(field_declaration . (modifier) @modifier (modifier "const")
  (variable_declaration "," . (variable_declarator name: (identifier) @name) @definition.constant))
(field_declaration . (modifier "const") @modifier
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant . ","))
(field_declaration . (modifier "const") @modifier
  (variable_declaration "," . (variable_declarator name: (identifier) @name) @definition.constant))
(field_declaration
  (variable_declaration type: (_) @return . (variable_declarator
    name: (identifier) @name (lambda_expression body: (_) @body)) .)) @definition.function

(invocation_expression function: (identifier) @reference.call (#not-eq? @reference.call "nameof"))
(invocation_expression function: [
  (generic_name (identifier) @reference.call)
  (member_access_expression expression: _ @receiver name: (identifier) @reference.call)
  (member_access_expression expression: _ @receiver name: (generic_name (identifier) @reference.call))
  (conditional_access_expression condition: (_) @receiver
    (member_binding_expression name: (identifier) @reference.call))
  (conditional_access_expression condition: (_) @receiver
    (member_binding_expression name: (generic_name (identifier) @reference.call)))])
(object_creation_expression type: [
  (identifier) @reference.call
  (generic_name (identifier) @reference.call)
  (qualified_name qualifier: (_) @receiver name: (identifier) @reference.call)
  (qualified_name qualifier: (_) @receiver name: (generic_name (identifier) @reference.call))])

([(class_declaration (base_list [
    (identifier) @reference.base
    (generic_name (identifier) @reference.base)
    (qualified_name qualifier: (_) @receiver name: (identifier) @reference.base)
    (qualified_name qualifier: (_) @receiver name: (generic_name (identifier) @reference.base))]))
  (struct_declaration (base_list [
    (identifier) @reference.base
    (generic_name (identifier) @reference.base)
    (qualified_name qualifier: (_) @receiver name: (identifier) @reference.base)
    (qualified_name qualifier: (_) @receiver name: (generic_name (identifier) @reference.base))]))
  (record_declaration (base_list [
    (identifier) @reference.base
    (generic_name (identifier) @reference.base)
    (qualified_name qualifier: (_) @receiver name: (identifier) @reference.base)
    (qualified_name qualifier: (_) @receiver name: (generic_name (identifier) @reference.base))]))
  (interface_declaration (base_list [
    (identifier) @reference.base
    (generic_name (identifier) @reference.base)
    (qualified_name qualifier: (_) @receiver name: (identifier) @reference.base)
    (qualified_name qualifier: (_) @receiver name: (generic_name (identifier) @reference.base))]))])
(primary_constructor_base_type type: [
  (identifier) @reference.base
  (generic_name (identifier) @reference.base)
  (qualified_name qualifier: (_) @receiver name: (identifier) @reference.base)])

; Types: every place that takes one. Single letters are type parameters.
(generic_name (identifier) @reference.type)
([(type_argument_list (identifier) @reference.type)
  (parameter type: (identifier) @reference.type)
  (parameter_list type: (identifier) @reference.type)
  (variable_declaration type: (identifier) @reference.type)
  (property_declaration type: (identifier) @reference.type)
  (indexer_declaration type: (identifier) @reference.type)
  (event_declaration type: (identifier) @reference.type)
  (delegate_declaration type: (identifier) @reference.type)
  (operator_declaration type: (identifier) @reference.type)
  (conversion_operator_declaration type: (identifier) @reference.type)
  (method_declaration returns: (identifier) @reference.type)
  (local_function_statement type: (identifier) @reference.type)
  (lambda_expression type: (identifier) @reference.type)
  (explicit_interface_specifier (identifier) @reference.type)
  (type_parameter_constraint type: (identifier) @reference.type)
  (nullable_type type: (identifier) @reference.type)
  (array_type type: (identifier) @reference.type)
  (pointer_type type: (identifier) @reference.type)
  (ref_type type: (identifier) @reference.type)
  (scoped_type type: (identifier) @reference.type)
  (tuple_element type: (identifier) @reference.type)
  (cast_expression type: (identifier) @reference.type)
  (typeof_expression type: (identifier) @reference.type)
  (sizeof_expression type: (identifier) @reference.type)
  (default_expression type: (identifier) @reference.type)
  (is_expression right: (identifier) @reference.type)
  (as_expression right: (identifier) @reference.type)
  (declaration_expression type: (identifier) @reference.type)
  (declaration_pattern type: (identifier) @reference.type)
  (recursive_pattern type: (identifier) @reference.type)
  (type_pattern type: (identifier) @reference.type)
  (constant_pattern (identifier) @reference.type)
  (constant_pattern (binary_expression left: (identifier) @reference.type operator: ["&&" "||"]))
  (catch_declaration type: (identifier) @reference.type)
  (foreach_statement type: (identifier) @reference.type)
  (from_clause type: (identifier) @reference.type)
  (join_clause type: (identifier) @reference.type)]
  (#not-match? @reference.type "^([A-Z]|var)$"))
([(type_argument_list (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (parameter type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (variable_declaration type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (property_declaration type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (method_declaration returns: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (local_function_statement type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (delegate_declaration type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (explicit_interface_specifier (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (type_parameter_constraint type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (nullable_type type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (array_type type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (cast_expression type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (typeof_expression type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (default_expression type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (is_expression right: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (as_expression right: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (declaration_pattern type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (catch_declaration type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))
  (foreach_statement type: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))])
([(attribute name: (identifier) @reference.type)
  (attribute name: (qualified_name qualifier: (_) @receiver name: (identifier) @reference.type))])
