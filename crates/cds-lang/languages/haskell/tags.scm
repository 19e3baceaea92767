; Compiling costs by the nodes that have children here: by how many places of the grammar they begin at, and by how far their
; first child is from there. So wildcards with fields stand for nodes, and the first of an alternation is a wildcard.
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
(instance patterns: (_ . [
  (_ type: [
    (_ constructor: [
      (name) @name
      (qualified) @name
      (_ constructor: [(name) @name (_ constructor: (name) @name)])])
    (function) @name
    (name) @name])
  (name) @name
  (variable) @name
  (qualified) @name
  (list) @name
  (tuple) @name
  (unit) @name])) @definition.instance
(deriving_instance patterns: (_ . [
  (_ type: (_ constructor: [(name) @name (_ constructor: (name) @name)]))
  (name) @name])) @definition.instance

(function name: (variable) @name patterns: (_) @parameters) @definition.function
(function name: (_ (_) @name) patterns: (_) @parameters) @definition.operator
(function . (_ operator: (operator) @name)) @definition.operator
(function . (_ operator: (_ (variable) @name))) @definition.function
(declarations (_ . name: (variable) @name . match: (_)) @definition.function)
(bind name: (_ (_) @name)) @definition.operator
(declarations (_ . name: (variable) @name . match: (_ expression: (literal))) @definition.constant)
(instance_declarations (_ . name: (variable) @name . match: (_)) @definition.function)
(class_declarations (_ . name: (variable) @name) @definition.function)
(class_declarations (_ . name: (_ (_) @name) "::") @definition.operator)
(foreign_import signature: (_ name: (variable) @name)) @definition.function
(pattern_synonym (_ synonym: [
  (_ function: [(constructor) @name (_ function: (constructor) @name)])
  (constructor) @name])) @definition.function

((infix left_operand: (_ function: (variable) @_test argument: (_ (string) @name))) @definition.test
  (#any-of? @_test "describe" "context" "it" "specify" "prop" "testCase" "testProperty"))
((apply
    function: (_ function: (variable) @_test argument: (_ (string) @name))
    argument: (list)) @definition.test
  (#eq? @_test "testGroup"))

(apply [
  function: (variable) @reference.call
  function: (constructor) @reference.call
  constructor: (name) @reference.type
  argument: (name) @reference.type])
(infix_id (variable) @reference.call)
((infix [
    ((variable) @reference.call . (operator) @_left)
    ((operator) @_right . (variable) @reference.call)])
  (#any-of? @_left "$" "$!" "." "<$>" "<$!>" "=<<" "<=<")
  (#any-of? @_right "." "&" "<&>" ">>=" ">=>"))
(exp . (variable) @reference.call .)
(bind arrow: _ expression: (variable) @reference.call)
(qualified module: (_ (module_id) @receiver .) id: [(variable) @reference.call (name) @reference.type])

[(instance name: [(_ module: (_ (module_id) @receiver .) id: (_) @reference.base) (name) @reference.base])
 (deriving_instance name: [(_ module: (_ (module_id) @receiver .) id: (_) @reference.base) (name) @reference.base])]
(deriving classes: [(_ (name) @reference.base) (name) @reference.base])
(class context: (_ context: [
  (_ constructor: (name) @reference.base)
  (_ (_ constructor: (name) @reference.base))]))

[(signature type: (name) @reference.type)
 (function [parameter: (name) @reference.type result: (name) @reference.type])
 (field type: (name) @reference.type)
 (prefix field: (name) @reference.type)
 (strict_field type: (name) @reference.type)
 (parens type: (name) @reference.type)
 (_ element: (name) @reference.type)
 (type_synonym type: (name) @reference.type)]

(header module: (module) @package)

; Names bound to values inside of functions.
(local_binds (bind name: (variable) @binding))
(bind pattern: (variable) @binding)
(lambda patterns: (_ (variable) @binding))
; A name that an import hides is not that module's.
((import names: (_ (_ (variable) @binding))) @_import
  (#match? @_import "\\shiding\\s*\\(") (#not-match? @_import "\\sPrelude\\s"))

; Names in patterns.
(alternative pattern: (_) @declared)
(generator pattern: (_) @declared)
