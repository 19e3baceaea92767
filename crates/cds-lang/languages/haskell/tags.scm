[(comment) (haddock)] @comment
; A signature stands above its function and joins it, with the comments above it.
(declarations [(signature) (pragma)] @decorator)
(local_binds [(signature) (pragma)] @decorator)
(instance_declarations [(signature) (pragma)] @decorator)

(header module: (module) @name) @definition.module
(data_type name: (_) @name) @definition.data
(data_family name: (_) @name) @definition.data
(newtype name: (_) @name) @definition.newtype
(type_synonym name: (_) @name) @definition.typealias
(type_family name: (_) @name) @definition.typealias
(class name: (_) @name) @definition.class

; Named by the constructor of the type; the class is a base.
(instance patterns: (type_patterns . [
  (name) @name
  (variable) @name
  (qualified) @name
  (list) @name
  (tuple) @name
  (unit) @name
  (parens [
    (apply constructor: [
      (name) @name
      (qualified) @name
      (apply constructor: [(name) @name (apply constructor: (name) @name)])])
    (function) @name
    (name) @name])])) @definition.instance
(deriving_instance patterns: (type_patterns . [
  (name) @name
  (parens (apply constructor: [(name) @name (apply constructor: (name) @name)]))])) @definition.instance

(function name: (variable) @name patterns: (_) @parameters) @definition.function
(function name: (prefix_id (_) @name) patterns: (_) @parameters) @definition.operator
(function (infix operator: (operator) @name)) @definition.operator
(function (infix operator: (infix_id (variable) @name))) @definition.function
(declarations (bind name: (variable) @name) @definition.function)
(bind name: (prefix_id (_) @name)) @definition.operator
(declarations (bind name: (variable) @name match: (match expression: (literal))) @definition.constant)
([(instance_declarations (bind name: (variable) @name) @definition.function)
  (class_declarations (bind name: (variable) @name) @definition.function)
  (class_declarations (signature name: (variable) @name) @definition.function)])
(class_declarations (signature name: (prefix_id (_) @name)) @definition.operator)
(foreign_import signature: (signature name: (variable) @name)) @definition.function
(pattern_synonym (equation synonym: [
  (constructor) @name
  (apply function: [(constructor) @name (apply function: (constructor) @name)])])) @definition.function

((infix left_operand: (apply function: (variable) @_test argument: (literal (string) @name))) @definition.test
  (#any-of? @_test "describe" "context" "it" "specify" "prop" "testCase" "testProperty"))
((apply
    function: (apply function: (variable) @_test argument: (literal (string) @name))
    argument: (list)) @definition.test
  (#eq? @_test "testGroup"))

(apply function: [(variable) (constructor)] @reference.call)
(qualified module: (module (module_id) @receiver .) id: (variable) @reference.call)
(infix operator: (infix_id (variable) @reference.call))
((infix left_operand: (variable) @reference.call operator: (operator) @_operator)
  (#any-of? @_operator "$" "$!" "." "<$>" "<$!>" "=<<" "<=<"))
((infix operator: (operator) @_operator right_operand: (variable) @reference.call)
  (#any-of? @_operator "." "&" "<&>" ">>=" ">=>"))
(exp . (variable) @reference.call .)
(bind arrow: _ expression: (variable) @reference.call)

([(instance name: [(name) @reference.base (qualified module: (module (module_id) @receiver .) id: (_) @reference.base)])
  (deriving_instance name: [(name) @reference.base (qualified module: (module (module_id) @receiver .) id: (_) @reference.base)])])
(deriving classes: [(name) @reference.base (tuple (name) @reference.base) (parens (name) @reference.base)])
(class context: (context context: [
  (apply constructor: (name) @reference.base)
  (parens (apply constructor: (name) @reference.base))
  (tuple (apply constructor: (name) @reference.base))]))

[(signature type: (name) @reference.type)
 (apply constructor: (name) @reference.type)
 (apply argument: (name) @reference.type)
 (function parameter: (name) @reference.type)
 (function result: (name) @reference.type)
 (field type: (name) @reference.type)
 (prefix field: (name) @reference.type)
 (strict_field type: (name) @reference.type)
 (parens type: (name) @reference.type)
 (list element: (name) @reference.type)
 (tuple element: (name) @reference.type)
 (type_synonym type: (name) @reference.type)]
(qualified module: (module (module_id) @receiver .) id: (name) @reference.type)
