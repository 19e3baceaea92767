[(line_comment) (block_comment)] @comment
(modifiers (annotation) @decorator)
(modifiers [(class_modifier) (function_modifier) (inheritance_modifier) (member_modifier) (platform_modifier)
  (property_modifier) (visibility_modifier)] @modifier)

(class_declaration "class" name: (identifier) @name) @definition.class
(class_declaration name: (identifier) @name (primary_constructor (class_parameters) @parameters)) @definition.class
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name) @definition.enum
(class_declaration (modifiers (class_modifier "annotation")) name: (identifier) @name) @definition.annotation
(object_declaration name: (identifier) @name) @definition.object
(companion_object name: (identifier) @name) @definition.object
(companion_object !name "companion" @name) @definition.object
(type_alias type: (identifier) @name) @definition.typealias

; An annotated class with one modifier and no parameters, which the grammar reads as `a class b { … }` between infix calls.
((infix_expression . (identifier) @modifier . (identifier) @_word .
   [(identifier) @name (call_expression . (identifier) @name (annotated_lambda) @body)]) @definition.class
  (#eq? @_word "class"))
((infix_expression . (identifier) @modifier . (identifier) @_word .
   [(identifier) @name (call_expression . (identifier) @name (annotated_lambda) @body)]) @definition.annotation
  (#eq? @modifier "annotation") (#eq? @_word "class"))
((infix_expression . (identifier) @modifier . (identifier) @_word .
   [(identifier) @name (call_expression . (identifier) @name (annotated_lambda) @body)]) @definition.interface
  (#eq? @_word "interface"))
((infix_expression . (identifier) @modifier . (identifier) @_word .
   [(identifier) @name (call_expression . (identifier) @name (annotated_lambda) @body)]) @definition.object
  (#eq? @_word "object"))
(annotated_expression (annotation) @decorator)

(secondary_constructor "constructor" @name (function_value_parameters) @parameters) @definition.constructor
(anonymous_initializer "init" @name) @definition.init

(function_declaration name: (identifier) @name (function_value_parameters) @parameters) @definition.function
(function_declaration
  name: (identifier) @name
  (function_value_parameters) .
  [(user_type) (nullable_type) (non_nullable_type) (parenthesized_type) (function_type)] @return) @definition.function
(function_declaration
  [(user_type) @scope (nullable_type (user_type) @scope) (parenthesized_type (user_type) @scope)] .
  name: (identifier) @name) @definition.function
(object_literal (class_body (function_declaration name: (identifier) @name) @definition.method))

; Properties of files and types, not variables of functions.
([(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.property)
  (class_body (property_declaration (variable_declaration (identifier) @name)) @definition.property)
  (enum_class_body (property_declaration (variable_declaration (identifier) @name)) @definition.property)])
([(source_file (property_declaration
    (variable_declaration (identifier) @name
      [(user_type) (nullable_type) (non_nullable_type) (parenthesized_type) (function_type)] @return)) @definition.property)
  (class_body (property_declaration
    (variable_declaration (identifier) @name
      [(user_type) (nullable_type) (non_nullable_type) (parenthesized_type) (function_type)] @return)) @definition.property)])
([(source_file (property_declaration
    [(user_type) @scope (nullable_type (user_type) @scope)] . (variable_declaration (identifier) @name)) @definition.property)
  (class_body (property_declaration
    [(user_type) @scope (nullable_type (user_type) @scope)] . (variable_declaration (identifier) @name)) @definition.property)])
([(source_file (property_declaration
    (variable_declaration (identifier) @name) [(lambda_literal) (anonymous_function)] @body) @definition.function)
  (class_body (property_declaration
    (variable_declaration (identifier) @name) [(lambda_literal) (anonymous_function)] @body) @definition.function)])
(property_declaration
  (modifiers (property_modifier "const")) (variable_declaration (identifier) @name)) @definition.constant

; test("…") { … } and its like.
((call_expression
   (call_expression . (identifier) @_word (value_arguments . (value_argument (string_literal) @name)))
   (annotated_lambda) @body) @definition.test
  (#any-of? @_word "test" "it" "describe" "should"))

(call_expression . (identifier) @reference.call)
(call_expression . (navigation_expression (_) @receiver . (identifier) @reference.call .))
((navigation_expression (_) @receiver "::" (identifier) @reference.call .) (#not-eq? @reference.call "class"))
((navigation_expression . (identifier) @reference.type "::" (identifier) @_class .) (#eq? @_class "class"))
(callable_reference (identifier) @reference.call .)
((infix_expression . (_) @receiver . (identifier) @reference.call . (_))
  (#not-match? @reference.call "^(class|interface|object)$"))
; `f<T>(x)`, which the grammar reads as two comparisons.
(binary_expression
  left: (binary_expression
    left: [(identifier) @reference.call (navigation_expression (_) @receiver . (identifier) @reference.call .)]
    operator: "<")
  operator: ">"
  right: [(parenthesized_expression) (lambda_literal)])
(binary_expression
  left: (binary_expression operator: "<" right: (identifier) @reference.type)
  operator: ">"
  right: [(parenthesized_expression) (lambda_literal)])
(object_literal (delegation_specifiers (delegation_specifier [
  (user_type (identifier) @reference.call .)
  (user_type (identifier) @reference.call . (type_arguments))
  (constructor_invocation (user_type (identifier) @reference.call .))
  (constructor_invocation (user_type (identifier) @reference.call . (type_arguments)))])))

(class_declaration (delegation_specifiers (delegation_specifier [
  (user_type . (identifier) @reference.base .)
  (user_type . (identifier) @reference.base . (type_arguments))
  (user_type (identifier) @receiver . (identifier) @reference.base .)
  (user_type (identifier) @receiver . (identifier) @reference.base . (type_arguments))
  (constructor_invocation (user_type . (identifier) @reference.base .))
  (constructor_invocation (user_type . (identifier) @reference.base . (type_arguments)))
  (constructor_invocation (user_type (identifier) @receiver . (identifier) @reference.base .))
  (constructor_invocation (user_type (identifier) @receiver . (identifier) @reference.base . (type_arguments)))
  (explicit_delegation (user_type . (identifier) @reference.base .))
  (explicit_delegation (user_type . (identifier) @reference.base . (type_arguments)))
  (explicit_delegation (user_type (identifier) @receiver . (identifier) @reference.base .))
  (explicit_delegation (user_type (identifier) @receiver . (identifier) @reference.base . (type_arguments)))])))
(object_declaration (delegation_specifiers (delegation_specifier [
  (user_type . (identifier) @reference.base .)
  (user_type . (identifier) @reference.base . (type_arguments))
  (user_type (identifier) @receiver . (identifier) @reference.base .)
  (user_type (identifier) @receiver . (identifier) @reference.base . (type_arguments))
  (constructor_invocation (user_type . (identifier) @reference.base .))
  (constructor_invocation (user_type . (identifier) @reference.base . (type_arguments)))
  (constructor_invocation (user_type (identifier) @receiver . (identifier) @reference.base .))
  (constructor_invocation (user_type (identifier) @receiver . (identifier) @reference.base . (type_arguments)))
  (explicit_delegation (user_type . (identifier) @reference.base .))
  (explicit_delegation (user_type . (identifier) @reference.base . (type_arguments)))
  (explicit_delegation (user_type (identifier) @receiver . (identifier) @reference.base .))
  (explicit_delegation (user_type (identifier) @receiver . (identifier) @reference.base . (type_arguments)))])))
(companion_object (delegation_specifiers (delegation_specifier [
  (user_type . (identifier) @reference.base .)
  (user_type . (identifier) @reference.base . (type_arguments))
  (user_type (identifier) @receiver . (identifier) @reference.base .)
  (user_type (identifier) @receiver . (identifier) @reference.base . (type_arguments))
  (constructor_invocation (user_type . (identifier) @reference.base .))
  (constructor_invocation (user_type . (identifier) @reference.base . (type_arguments)))
  (constructor_invocation (user_type (identifier) @receiver . (identifier) @reference.base .))
  (constructor_invocation (user_type (identifier) @receiver . (identifier) @reference.base . (type_arguments)))
  (explicit_delegation (user_type . (identifier) @reference.base .))
  (explicit_delegation (user_type . (identifier) @reference.base . (type_arguments)))
  (explicit_delegation (user_type (identifier) @receiver . (identifier) @reference.base .))
  (explicit_delegation (user_type (identifier) @receiver . (identifier) @reference.base . (type_arguments)))])))

; Neither packages in front of a type nor type parameters.
((user_type (identifier) @reference.type) (#not-match? @reference.type "^([a-z].*|[A-Z][0-9]?)$"))
((user_type (identifier) @receiver . (identifier) @reference.type) (#not-match? @reference.type "^[a-z]"))
