[(comment) (block_comment)] @comment
(annotation) @decorator
(modifiers ["abstract" "final" "sealed" "implicit" "lazy" "override"] @modifier)
(modifiers [(inline_modifier) (infix_modifier) (open_modifier) (transparent_modifier)] @modifier)
(access_modifier ["private" "protected"] @modifier)
(opaque_modifier) @modifier
(class_definition "case" @modifier)
(object_definition "case" @modifier)

(package_clause name: (package_identifier) @name body: (template_body)) @definition.namespace
(package_object name: (_) @name) @definition.object
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.object
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(type_definition name: (type_identifier) @name) @definition.typealias

(given_definition name: (_) @name) @definition.instance
(given_definition name: (_) @name (parameters) @parameters) @definition.instance
(given_definition !name return_type: (_) @name) @definition.instance
([(extension_definition . parameters: (parameters . (parameter type: [
     (type_identifier) @name (stable_type_identifier (type_identifier) @name .) (generic_type type: (_) @name)
     [(function_type) (tuple_type) (infix_type) (compound_type) (singleton_type) (projected_type) (structural_type)
      (literal_type) (annotated_type) (lazy_parameter_type)] @name])) @parameters)
  (extension_definition type_parameters: (_) . parameters: (parameters . (parameter type: [
     (type_identifier) @name (stable_type_identifier (type_identifier) @name .) (generic_type type: (_) @name)
     [(function_type) (tuple_type) (infix_type) (compound_type) (singleton_type) (projected_type) (structural_type)
      (literal_type) (annotated_type) (lazy_parameter_type)] @name])) @parameters)] @definition.extension)

[(function_definition name: (identifier) @name) (function_declaration name: (identifier) @name)] @definition.function
; Lists of types are in the same field, so that the parameters are captured.
[(function_definition name: (identifier) @name (parameters) @parameters)
 (function_declaration name: (identifier) @name (parameters) @parameters)] @definition.function
[(function_definition name: (operator_identifier) @name (parameters) @parameters)
 (function_declaration name: (operator_identifier) @name (parameters) @parameters)] @definition.operator
[(function_definition name: (operator_identifier) @name)
 (function_declaration name: (operator_identifier) @name)] @definition.operator
(instance_expression (template_body (function_definition name: (identifier) @name) @definition.method))
((function_definition name: (identifier) @name) @definition.constructor (#eq? @name "this"))

; Values of types and files, not of functions. In objects and files they are constants.
([(template_body (val_definition pattern: (identifier) @name) @definition.property)
  (template_body (var_definition pattern: (identifier) @name) @definition.property)
  (template_body (val_declaration name: (identifier) @name) @definition.property)
  (template_body (var_declaration name: (identifier) @name) @definition.property)
  (template_body (val_definition pattern: (typed_pattern pattern: (identifier) @name)) @definition.property)
  (with_template_body (val_definition pattern: (identifier) @name) @definition.property)
  (enum_body (val_definition pattern: (identifier) @name) @definition.property)
  (compilation_unit (var_definition pattern: (identifier) @name) @definition.property)])
([(template_body (val_definition pattern: (identifiers (identifier) @name @definition.property)))
  (template_body (val_definition pattern: (tuple_pattern (identifier) @name @definition.property)))
  (template_body (var_definition pattern: (identifiers (identifier) @name @definition.property)))])
(compilation_unit (val_definition pattern: (identifier) @name) @definition.constant)
(object_definition body: (template_body (val_definition pattern: (identifier) @name) @definition.constant))
(package_object body: (template_body (val_definition pattern: (identifier) @name) @definition.constant))
(package_clause body: (template_body (val_definition pattern: (identifier) @name) @definition.constant))
([(template_body (val_definition
    pattern: (identifier) @name value: [(lambda_expression) (case_block)] @body) @definition.function)
  (compilation_unit (val_definition
    pattern: (identifier) @name value: [(lambda_expression) (case_block)] @body) @definition.function)])
; test("…") { … }, it should "…" in { … }, "…" in { … }
((call_expression
   function: (call_expression function: (identifier) @_word arguments: (arguments . (string) @name))
   arguments: (_) @body) @definition.test
  (#any-of? @_word "test" "it" "describe" "property"))
((infix_expression
   left: (infix_expression operator: (identifier) @_should right: (string) @name)
   operator: (identifier) @_in
   right: (_) @body) @definition.test
  (#any-of? @_should "should" "must" "can") (#eq? @_in "in"))
((infix_expression left: (string) @name operator: (identifier) @_word right: (block) @body) @definition.test
  (#any-of? @_word "in" "should" "when" "must" "can"))

(call_expression function: (identifier) @reference.call (#not-eq? @reference.call "this"))
(call_expression function: (field_expression value: (_) @receiver field: (identifier) @reference.call))
(generic_function function: (identifier) @reference.call)
(generic_function function: (field_expression value: (_) @receiver field: (identifier) @reference.call))
(infix_expression left: (_) @receiver operator: (identifier) @reference.call)
(instance_expression [
  (type_identifier) @reference.call
  (generic_type type: (type_identifier) @reference.call)
  (stable_type_identifier (_) @receiver (type_identifier) @reference.call .)
  (generic_type type: (stable_type_identifier (_) @receiver (type_identifier) @reference.call .))])
(instance_expression (compound_type base: [
  (type_identifier) @reference.call
  (generic_type type: (type_identifier) @reference.call)
  (stable_type_identifier (_) @receiver (type_identifier) @reference.call .)
  (generic_type type: (stable_type_identifier (_) @receiver (type_identifier) @reference.call .))]))

(class_definition extend: (extends_clause [
  (type_identifier) @reference.base
  (generic_type type: (type_identifier) @reference.base)
  (stable_type_identifier (_) @receiver (type_identifier) @reference.base .)
  (generic_type type: (stable_type_identifier (_) @receiver (type_identifier) @reference.base .))]))
(object_definition extend: (extends_clause [
  (type_identifier) @reference.base
  (generic_type type: (type_identifier) @reference.base)
  (stable_type_identifier (_) @receiver (type_identifier) @reference.base .)
  (generic_type type: (stable_type_identifier (_) @receiver (type_identifier) @reference.base .))]))
(trait_definition extend: (extends_clause [
  (type_identifier) @reference.base
  (generic_type type: (type_identifier) @reference.base)
  (stable_type_identifier (_) @receiver (type_identifier) @reference.base .)
  (generic_type type: (stable_type_identifier (_) @receiver (type_identifier) @reference.base .))]))
(enum_definition extend: (extends_clause [
  (type_identifier) @reference.base
  (generic_type type: (type_identifier) @reference.base)
  (stable_type_identifier (_) @receiver (type_identifier) @reference.base .)
  (generic_type type: (stable_type_identifier (_) @receiver (type_identifier) @reference.base .))]))
(package_object extend: (extends_clause [
  (type_identifier) @reference.base
  (generic_type type: (type_identifier) @reference.base)
  (stable_type_identifier (_) @receiver (type_identifier) @reference.base .)
  (generic_type type: (stable_type_identifier (_) @receiver (type_identifier) @reference.base .))]))
(given_definition return_type: [
  (type_identifier) @reference.base
  (generic_type type: (type_identifier) @reference.base)
  (stable_type_identifier (_) @receiver (type_identifier) @reference.base .)
  (generic_type type: (stable_type_identifier (_) @receiver (type_identifier) @reference.base .))])

; Types: every place that takes one. Single letters are type parameters.
([
  (ascription_expression type: (type_identifier) @reference.type)
  (binding type: (type_identifier) @reference.type)
  (case_class_pattern type: (type_identifier) @reference.type)
  (class_parameter type: (type_identifier) @reference.type)
  (class_parameters type: (type_identifier) @reference.type)
  (context_bound type: (type_identifier) @reference.type)
  (derives_clause type: (type_identifier) @reference.type)
  (existential_type type: (type_identifier) @reference.type)
  (extends_clause type: (type_identifier) @reference.type)
  (generic_type type: (type_identifier) @reference.type)
  (given_conditional type: (type_identifier) @reference.type)
  (given_pattern type: (type_identifier) @reference.type)
  (lazy_parameter_type type: (type_identifier) @reference.type)
  (lower_bound type: (type_identifier) @reference.type)
  (name_and_type type: (type_identifier) @reference.type)
  (named_type_argument type: (type_identifier) @reference.type)
  (parameter type: (type_identifier) @reference.type)
  (parameter_types type: (type_identifier) @reference.type)
  (parameters type: (type_identifier) @reference.type)
  (projected_type type: (type_identifier) @reference.type)
  (repeated_parameter_type type: (type_identifier) @reference.type)
  (type_definition type: (type_identifier) @reference.type)
  (typed_pattern type: (type_identifier) @reference.type)
  (upper_bound type: (type_identifier) @reference.type)
  (uses_clause type: (type_identifier) @reference.type)
  (val_declaration type: (type_identifier) @reference.type)
  (val_definition type: (type_identifier) @reference.type)
  (var_declaration type: (type_identifier) @reference.type)
  (var_definition type: (type_identifier) @reference.type)
  (view_bound type: (type_identifier) @reference.type)
  (function_declaration return_type: (type_identifier) @reference.type)
  (function_definition return_type: (type_identifier) @reference.type)
  (function_type return_type: (type_identifier) @reference.type)
  (type_lambda return_type: (type_identifier) @reference.type)
  (annotated_type (type_identifier) @reference.type)
  (applied_constructor_type (type_identifier) @reference.type)
  (compound_type (type_identifier) @reference.type)
  (infix_type (type_identifier) @reference.type)
  (instance_expression (type_identifier) @reference.type)
  (match_type (type_identifier) @reference.type)
  (self_type (type_identifier) @reference.type)
  (tuple_type (type_identifier) @reference.type)
  (type_arguments (type_identifier) @reference.type)
  (parameter_types (type_identifier) @reference.type)
  (type_case_clause (type_identifier) @reference.type)
  (annotation name: (type_identifier) @reference.type)]
  (#not-match? @reference.type "^[A-Za-z][0-9]?$"))
(stable_type_identifier (_) @receiver (type_identifier) @reference.type .)
