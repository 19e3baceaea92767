; Compiling costs by the nodes that have children here: by how many places of the grammar they begin at, and by how far their
; first child is from there. So wildcards with keywords and places stand for nodes, and the first of an alternation is a wildcard.
[(line_comment) (block_comment)] @comment
(modifiers (annotation) @decorator)
(modifiers [(class_modifier) (function_modifier) (inheritance_modifier) (member_modifier) (platform_modifier)
  (property_modifier) (visibility_modifier)] @modifier)

(class_declaration "class" name: (identifier) @name) @definition.class
(class_declaration name: (identifier) @name (primary_constructor (class_parameters) @parameters)) @definition.class
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration . (_ (_ "enum")) name: (identifier) @name) @definition.enum
(class_declaration . (_ (_ "annotation")) name: (identifier) @name) @definition.annotation
(object_declaration name: (identifier) @name) @definition.object
(companion_object name: (identifier) @name) @definition.object
(companion_object !name "companion" @name) @definition.object
(type_alias type: (identifier) @name) @definition.typealias

; An annotated class with one modifier and no parameters, which the grammar reads as `a class b { … }` between infix calls.
((infix_expression . (_) @modifier . (identifier) @_word .
   [(_ . (identifier) @name (annotated_lambda) @body) (identifier) @name]) @definition.class
  (#eq? @_word "class"))
((infix_expression . (_) @modifier . (identifier) @_word .
   [(_ . (identifier) @name (annotated_lambda) @body) (identifier) @name]) @definition.annotation
  (#eq? @modifier "annotation") (#eq? @_word "class"))
((infix_expression . (_) @modifier . (identifier) @_word .
   [(_ . (identifier) @name (annotated_lambda) @body) (identifier) @name]) @definition.interface
  (#eq? @_word "interface"))
((infix_expression . (_) @modifier . (identifier) @_word .
   [(_ . (identifier) @name (annotated_lambda) @body) (identifier) @name]) @definition.object
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
(object_literal (_ (_ "fun" name: (identifier) @name) @definition.method))

; Properties of files and types, not variables of functions.
[(source_file (_ . ["val" "var" ((modifiers) . "val") ((modifiers) . "var")] [
   (variable_declaration . (identifier) @name . [(user_type) (nullable_type) (non_nullable_type) (parenthesized_type) (function_type)]? @return)
   ([(_ . (user_type) @scope) (user_type) @scope] . (variable_declaration . (identifier) @name))]) @definition.property)
 (class_body (_ . ["val" "var" ((modifiers) . "val") ((modifiers) . "var")] [
   (variable_declaration . (identifier) @name . [(user_type) (nullable_type) (non_nullable_type) (parenthesized_type) (function_type)]? @return)
   ([(_ . (user_type) @scope) (user_type) @scope] . (variable_declaration . (identifier) @name))]) @definition.property)
 (enum_class_body (_ . ["val" "var" ((modifiers) . "val") ((modifiers) . "var")] [
   (variable_declaration . (identifier) @name . [(user_type) (nullable_type) (non_nullable_type) (parenthesized_type) (function_type)]? @return)
   ([(_ . (user_type) @scope) (user_type) @scope] . (variable_declaration . (identifier) @name))]) @definition.property)]
[(source_file (_ . ["val" "var" ((modifiers) . "val") ((modifiers) . "var")] (variable_declaration . (identifier) @name) [(lambda_literal) (anonymous_function)] @body) @definition.function)
 (class_body (_ . ["val" "var" ((modifiers) . "val") ((modifiers) . "var")] (variable_declaration . (identifier) @name) [(lambda_literal) (anonymous_function)] @body) @definition.function)
 (enum_class_body (_ . ["val" "var" ((modifiers) . "val") ((modifiers) . "var")] (variable_declaration . (identifier) @name) [(lambda_literal) (anonymous_function)] @body) @definition.function)]
(property_declaration . (_ (_ "const")) (variable_declaration . (identifier) @name)) @definition.constant

; test("…") { … } and its like.
((call_expression
   (_ . (identifier) @_word (value_arguments . (_ (string_literal) @name)))
   (annotated_lambda) @body) @definition.test
  (#any-of? @_word "test" "it" "describe" "should"))

(call_expression . [
  (identifier) @reference.call
  (navigation_expression (_) @receiver . (identifier) @reference.call .)])
((navigation_expression (_) @receiver "::" (identifier) @reference.call .) (#not-eq? @reference.call "class"))
((navigation_expression . (identifier) @reference.type "::" (identifier) @_class .) (#eq? @_class "class"))
(callable_reference (identifier) @reference.call .)
((infix_expression . (_) @receiver . (identifier) @reference.call . (_))
  (#not-match? @reference.call "^(class|interface|object)$"))
; `f<T>(x)`, which the grammar reads as two comparisons.
(binary_expression
  left: (_ left: [(_ (_) @receiver ["." "?." "::"] . (identifier) @reference.call .) (identifier) @reference.call] operator: "<")
  operator: ">"
  right: [(parenthesized_expression) (lambda_literal)])
(binary_expression
  left: (_ operator: "<" right: (identifier) @reference.type)
  operator: ">"
  right: [(parenthesized_expression) (lambda_literal)])

; What is first in a specifier is the type; what is first in that may be it as well: `A`, `A()`, `A by b`.
(object_literal (delegation_specifiers (delegation_specifier . [
  (_ . (identifier) @reference.call .)
  (_ . (identifier) @reference.call . (type_arguments))
  (_ (identifier) @receiver . (identifier) @reference.call .)
  (_ (identifier) @receiver . (identifier) @reference.call . (type_arguments))
  (_ . (_ . (identifier) @reference.call .))
  (_ . (_ . (identifier) @reference.call . (type_arguments)))
  (_ . (_ (identifier) @receiver . (identifier) @reference.call .))
  (_ . (_ (identifier) @receiver . (identifier) @reference.call . (type_arguments)))])))
(class_declaration (delegation_specifiers (delegation_specifier . [
  (_ . (identifier) @reference.base .)
  (_ . (identifier) @reference.base . (type_arguments))
  (_ (identifier) @receiver . (identifier) @reference.base .)
  (_ (identifier) @receiver . (identifier) @reference.base . (type_arguments))
  (_ . (_ . (identifier) @reference.base .))
  (_ . (_ . (identifier) @reference.base . (type_arguments)))
  (_ . (_ (identifier) @receiver . (identifier) @reference.base .))
  (_ . (_ (identifier) @receiver . (identifier) @reference.base . (type_arguments)))])))
(object_declaration (delegation_specifiers (delegation_specifier . [
  (_ . (identifier) @reference.base .)
  (_ . (identifier) @reference.base . (type_arguments))
  (_ (identifier) @receiver . (identifier) @reference.base .)
  (_ (identifier) @receiver . (identifier) @reference.base . (type_arguments))
  (_ . (_ . (identifier) @reference.base .))
  (_ . (_ . (identifier) @reference.base . (type_arguments)))
  (_ . (_ (identifier) @receiver . (identifier) @reference.base .))
  (_ . (_ (identifier) @receiver . (identifier) @reference.base . (type_arguments)))])))
(companion_object (delegation_specifiers (delegation_specifier . [
  (_ . (identifier) @reference.base .)
  (_ . (identifier) @reference.base . (type_arguments))
  (_ (identifier) @receiver . (identifier) @reference.base .)
  (_ (identifier) @receiver . (identifier) @reference.base . (type_arguments))
  (_ . (_ . (identifier) @reference.base .))
  (_ . (_ . (identifier) @reference.base . (type_arguments)))
  (_ . (_ (identifier) @receiver . (identifier) @reference.base .))
  (_ . (_ (identifier) @receiver . (identifier) @reference.base . (type_arguments)))])))

; Neither packages in front of a type nor type parameters.
((user_type (identifier) @reference.type) (#not-match? @reference.type "^([a-z].*|[A-Z][0-9]?)$"))
((user_type (identifier) @receiver . (identifier) @reference.type) (#not-match? @reference.type "^[a-z]"))

; Names bound to values. Of what stands directly in a type the type is the scope.
(package_header (qualified_identifier) @package)
(variable_declaration . (identifier) @binding . (_)? @type)
(property_declaration (variable_declaration . (identifier) @binding . (_)? @type) "=" . (_) @value)
(class_parameter ["val" "var"] . (identifier) @binding.member . ":" . (_) @type)
