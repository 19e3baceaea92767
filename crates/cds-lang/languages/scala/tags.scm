; Compiling costs by the nodes that have children here: by how many places of the grammar they begin at, and by how far their
; first child is from there. So wildcards with fields or keywords stand for nodes, the first of an alternation is a wildcard,
; and words are told apart by predicates.
[(comment) (block_comment)] @comment
(annotation) @decorator
["abstract" "final" "sealed" "implicit" "lazy" "override" "case"] @modifier
(access_modifier) @modifier
(modifiers (inline_modifier) @modifier)
[(infix_modifier) (open_modifier) (transparent_modifier) (opaque_modifier)] @modifier

(package_clause name: (package_identifier) @name body: (_)) @definition.namespace
(package_object name: (_) @name) @definition.object
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.object
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(type_definition name: (_) @name) @definition.typealias

(given_definition name: (_) @name) @definition.instance
(given_definition !name return_type: (_) @name) @definition.instance
(extension_definition . [
  (parameters . (_ type: [
    (generic_type type: (_) @name)
    (type_identifier) @name
    (stable_type_identifier (type_identifier) @name .)
    [(function_type) (tuple_type) (infix_type) (compound_type) (singleton_type) (projected_type) (structural_type)
     (literal_type) (annotated_type) (lazy_parameter_type)] @name])) @parameters
  ((type_parameters) . (parameters . (_ type: [
    (generic_type type: (_) @name)
    (type_identifier) @name
    (stable_type_identifier (type_identifier) @name .)
    [(function_type) (tuple_type) (infix_type) (compound_type) (singleton_type) (projected_type) (structural_type)
     (literal_type) (annotated_type) (lazy_parameter_type)] @name])) @parameters)]) @definition.extension

; Lists of types are in the same field, so that the parameters are captured.
[(function_definition name: (_) @name (parameters)? @parameters)
 (function_declaration name: (_) @name (parameters)? @parameters)] @definition.function
([(function_definition name: (_) @name) (function_declaration name: (_) @name)] @definition.operator
  (#not-match? @name "^[\\w$`]"))
(instance_expression (_ (_ "def" name: (identifier) @name) @definition.method))
((function_definition name: (_) @name) @definition.constructor (#eq? @name "this"))

; Values of types and files, not of functions. In objects and files they are constants.
(template_body (_ ["val" "var"] [
  pattern: (identifier) @name
  name: (identifier) @name
  pattern: (typed_pattern pattern: (identifier) @name)
  pattern: (identifiers (identifier) @name @definition.property)
  pattern: (tuple_pattern (identifier) @name @definition.property)]) @definition.property)
(with_template_body (_ pattern: (identifier) @name) @definition.property)
(enum_body (_ pattern: (identifier) @name) @definition.property)
(compilation_unit (_ "var" pattern: (identifier) @name) @definition.property)
(compilation_unit (_ "val" pattern: (identifier) @name) @definition.constant)
(object_definition body: (_ (_ "val" pattern: (identifier) @name) @definition.constant))
(package_object body: (_ (_ "val" pattern: (identifier) @name) @definition.constant))
(package_clause body: (_ (_ "val" pattern: (identifier) @name) @definition.constant))
[(template_body (_ "val"
   pattern: (identifier) @name value: [(lambda_expression) (case_block)] @body) @definition.function)
 (compilation_unit (_ "val"
   pattern: (identifier) @name value: [(lambda_expression) (case_block)] @body) @definition.function)]
; test("…") { … }, it should "…" in { … }, "…" in { … }
((call_expression
   function: (_ function: (identifier) @_word arguments: (_ . (string) @name))
   arguments: (_) @body) @definition.test
  (#any-of? @_word "test" "it" "describe" "property"))
((infix_expression [
    ((_ operator: (_) @_should right: (string) @name) . operator: (_) @_in . right: (_) @body)
    ((string) @name . operator: (_) @_word . right: (block) @body)]) @definition.test
  (#any-of? @_should "should" "must" "can") (#eq? @_in "in") (#any-of? @_word "in" "should" "when" "must" "can"))

(call_expression function: [
  (_ value: (_) @receiver field: (identifier) @reference.call)
  (identifier) @reference.call]
  (#not-eq? @reference.call "this"))
(generic_function function: [
  (_ value: (_) @receiver field: (identifier) @reference.call)
  (identifier) @reference.call])
(infix_expression left: (_) @receiver operator: (_) @reference.call (#match? @reference.call "^[\\w$`]"))
(instance_expression [
  (_ type: (type_identifier) @reference.call)
  (_ type: (stable_type_identifier (_) @receiver (type_identifier) @reference.call .))
  (type_identifier) @reference.call
  (stable_type_identifier (_) @receiver (type_identifier) @reference.call .)
  (compound_type base: [
    (_ type: (type_identifier) @reference.call)
    (_ type: (_ . (_) @receiver . (type_identifier) @reference.call .))
    (type_identifier) @reference.call
    (_ . (_) @receiver . (type_identifier) @reference.call .)])])

; Cases of enums extend as well, so that the definitions are named.
(class_definition (_ . "extends" [
  (_ type: (type_identifier) @reference.base)
  (_ type: (_ . (_) @receiver . (type_identifier) @reference.base .))
  (type_identifier) @reference.base
  (_ . (_) @receiver . (type_identifier) @reference.base .)]))
(object_definition (_ . "extends" [
  (_ type: (type_identifier) @reference.base)
  (_ type: (_ . (_) @receiver . (type_identifier) @reference.base .))
  (type_identifier) @reference.base
  (_ . (_) @receiver . (type_identifier) @reference.base .)]))
(trait_definition (_ . "extends" [
  (_ type: (type_identifier) @reference.base)
  (_ type: (_ . (_) @receiver . (type_identifier) @reference.base .))
  (type_identifier) @reference.base
  (_ . (_) @receiver . (type_identifier) @reference.base .)]))
(enum_definition (_ . "extends" [
  (_ type: (type_identifier) @reference.base)
  (_ type: (_ . (_) @receiver . (type_identifier) @reference.base .))
  (type_identifier) @reference.base
  (_ . (_) @receiver . (type_identifier) @reference.base .)]))
(package_object (_ . "extends" [
  (_ type: (type_identifier) @reference.base)
  (_ type: (_ . (_) @receiver . (type_identifier) @reference.base .))
  (type_identifier) @reference.base
  (_ . (_) @receiver . (type_identifier) @reference.base .)]))
(given_definition return_type: [
  (_ type: (type_identifier) @reference.base)
  (_ type: (_ . (_) @receiver . (type_identifier) @reference.base .))
  (type_identifier) @reference.base
  (_ . (_) @receiver . (type_identifier) @reference.base .)])

; Single letters are type parameters.
((type_identifier) @reference.type (#not-match? @reference.type "^[A-Za-z][0-9]?$"))
(stable_type_identifier (_) @receiver (type_identifier) @reference.type .)

; Names bound to values. Of what stands directly in a type the type is the scope.
(package_clause name: (package_identifier) @package)
(val_definition pattern: (identifier) @binding type: (_)? @type value: (_) @value)
(var_definition pattern: (identifier) @binding type: (_)? @type value: (_) @value)
(val_declaration name: (identifier) @binding type: (_) @type)
(tuple_pattern (identifier) @binding)
(class_parameter name: (identifier) @binding.member type: (_) @type)
(enumerator . (identifier) @binding)
(typed_pattern pattern: (identifier) @binding type: (_) @type)
(case_clause pattern: (identifier) @binding)
(lambda_expression parameters: (identifier) @binding)
(binding name: (identifier) @binding type: (_)? @type)
