; Directives (`//go:embed`, `//go:noinline`, …) are no prose. `//go:build` stands above the package's comment and stays one
; with it, so that the file keeps its doc.
((comment) @comment (#not-match? @comment "^//(go:[^b]|export |nolint)"))
((comment) @decorator (#match? @decorator "^//(go:[^b]|export |nolint)"))

; Constants and variables of the package. One name: the whole declaration, or its line of a group; several
; names in one line: each name.

((const_declaration . "const" . [
  (const_spec . name: (identifier) @name .)
  (const_spec . name: (identifier) @name . [type: (_) "="])
]) @definition.constant (#not-eq? @name "_") (#set! where outer))
((var_declaration . "var" . (var_spec . name: (identifier) @name . [type: (_) "="])) @definition.constant
  (#not-eq? @name "_") (#set! where outer))
((const_declaration "(" [
  (const_spec . name: (identifier) @name .) @definition.constant
  (const_spec . name: (identifier) @name . [type: (_) "="]) @definition.constant
]) (#not-eq? @name "_") (#set! where outer))
((var_declaration (var_spec_list
  (var_spec . name: (identifier) @name . [type: (_) "="]) @definition.constant))
  (#not-eq? @name "_") (#set! where outer))
((const_declaration (const_spec [
  ([name: (identifier) @name @definition.constant] . ",")
  ("," . name: (identifier) @name @definition.constant)
])) (#not-eq? @name "_") (#set! where outer))
((var_declaration [
  (var_spec [
    ([name: (identifier) @name @definition.constant] . ",")
    ("," . name: (identifier) @name @definition.constant)
  ])
  (var_spec_list (var_spec [
    ([name: (identifier) @name @definition.constant] . ",")
    ("," . name: (identifier) @name @definition.constant)
  ]))
]) (#not-eq? @name "_") (#set! where outer))

; Functions

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @scope))
  name: (field_identifier) @name) @definition.method
(method_elem name: (field_identifier) @name) @definition.method

; Functions bound to a variable
(var_declaration . "var" .
  (var_spec
    . name: (identifier) @name
    value: (expression_list . (func_literal parameters: (_) @parameters body: (_) @body)))) @definition.function
(var_spec_list
  (var_spec
    . name: (identifier) @name
    value: (expression_list . (func_literal parameters: (_) @parameters body: (_) @body))) @definition.function)
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal parameters: (_) @parameters body: (_) @body))) @definition.function
(assignment_statement
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal parameters: (_) @parameters body: (_) @body))
  (#not-eq? @name "_")) @definition.function
(var_declaration . "var" .
  (var_spec . name: (identifier) @name value: (expression_list . (func_literal result: (_) @return)))) @definition.function
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal result: (_) @return))) @definition.function

; Tests: by name and parameter, as the tool finds them; suite methods; subtests and blocks with a text

(function_declaration
  name: (identifier) @name @test
  parameters: (parameter_list) @_parameters
  (#match? @name "^(Test|Benchmark|Fuzz)([^a-z]|$)")
  (#match? @_parameters "\\*\\s*testing\\.")) @definition.function
(function_declaration
  name: (identifier) @name @test
  parameters: (parameter_list) @_parameters
  !result
  (#match? @name "^Example([^a-z]|$)")
  (#eq? @_parameters "()")) @definition.function
(method_declaration
  name: (field_identifier) @name @test
  parameters: (parameter_list) @_parameters
  !result
  (#match? @name "^Test[^a-z]")
  (#eq? @_parameters "()")) @definition.method
(call_expression
  function: (_ . operand: (_) . field: (field_identifier) @_run) .
  arguments: (_ .
    [(interpreted_string_literal) (raw_string_literal)] @name .
    (func_literal parameters: (parameter_list) @_parameters body: (_) @body))
  (#eq? @_run "Run")
  (#match? @_parameters "\\*\\s*testing\\.")) @definition.test
(call_expression
  function: (identifier) @_block .
  arguments: (_ .
    [(interpreted_string_literal) (raw_string_literal)] @name
    (func_literal body: (_) @body))
  (#any-of? @_block
    "Describe" "Context" "When" "It" "Specify" "Entry" "FDescribe" "FContext" "FIt" "PDescribe" "PContext" "PIt")) @definition.test

; Types: the whole declaration, or one of a group

(type_declaration . "type" . [(type_spec name: (_) @name) (type_alias name: (_) @name)]) @definition.typealias
(type_declaration . "type" .
  (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body))) @definition.struct
(type_declaration . "type" .
  (type_spec name: (_) @name type: (interface_type "{" @body))) @definition.interface
(type_declaration "(" [(type_spec name: (_) @name) (type_alias name: (_) @name)] @definition.typealias)
(type_declaration "("
  (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @definition.struct)
(type_declaration "("
  (type_spec name: (_) @name type: (interface_type "{" @body)) @definition.interface)

; Calls

function: (identifier) @reference.call
function: (selector_expression operand: (_) @receiver field: (_) @reference.call)
(type_instantiation_expression type: (type_identifier) @reference.call)
; The grammar takes `f[int](x)` for a conversion.
(type_conversion_expression type: (generic_type type: [
  (type_identifier) @reference.call
  (qualified_type package: (_) @receiver name: (_) @reference.call)
]))

; Embedded types

(field_declaration !name type: [
  (type_identifier) @reference.base
  (qualified_type package: (_) @receiver name: (_) @reference.base)
  (generic_type type: (type_identifier) @reference.base)
  (generic_type type: (qualified_type package: (_) @receiver name: (_) @reference.base))
])
(interface_type (type_elem . [
  (type_identifier) @reference.base
  (qualified_type package: (_) @receiver name: (_) @reference.base)
  (generic_type type: (type_identifier) @reference.base)
  (generic_type type: (qualified_type package: (_) @receiver name: (_) @reference.base))
] .))

; Types in type positions

(qualified_type package: (_) @receiver name: (type_identifier) @reference.type)
[type: (type_identifier) element: (type_identifier) result: (type_identifier)] @reference.type
(pointer_type (type_identifier) @reference.type)
(map_type (type_identifier) @reference.type)
(channel_type value: (type_identifier) @reference.type)
(parenthesized_type (type_identifier) @reference.type)
(negated_type (type_identifier) @reference.type)
(type_elem (type_identifier) @reference.type)
(type_constraint (type_identifier) @reference.type)
(type_case (type_identifier) @reference.type)
(argument_list (type_identifier) @reference.type)

; Names bound to values. Of several names in one statement each has the value at its place; of a call with several results the
; first name has the first.

(package_clause (package_identifier) @package)
(method_declaration receiver: (parameter_list (parameter_declaration name: (identifier) @binding type: (_) @type)))
(func_literal parameters: (parameter_list (parameter_declaration name: (identifier) @binding type: (_) @type)))
(field_declaration name: (field_identifier) @binding.member type: (_) @type)
(field_declaration !name type: [
  (type_identifier) @binding.member @type
  (generic_type type: (type_identifier) @binding.member @type)])
(field_declaration !name type: (qualified_type name: (type_identifier) @binding.member) @type)
(var_spec name: (identifier) @binding type: (_)? @type)
(var_spec . name: (identifier) @binding type: (_)? @type value: (expression_list . (_) @value))
(var_spec . name: (identifier) @binding !type value: (expression_list . (_ . type: (_) @type)))
(short_var_declaration left: (expression_list (identifier) @binding))
(short_var_declaration left: (expression_list . (identifier) @binding) right: (expression_list . (_) @value))
(short_var_declaration
  left: (expression_list . (identifier) @binding)
  right: (expression_list . [
    (_ . type: (_) @type)
    (unary_expression operand: (_ . type: (_) @type))
    (type_assertion_expression type: (_) @type)]))
(range_clause left: (expression_list (identifier) @binding))
(type_switch_statement alias: (expression_list (identifier) @binding))
