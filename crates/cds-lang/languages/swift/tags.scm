; This grammar makes queries slow to compile: a field in front of an expression, or a named child of a node with
; default values, costs up to 200 ms. Patterns here lean on keywords and neighbours instead, wildcards stand for nodes inside,
; and the first of an alternation is a wildcard.
[(comment) (multiline_comment)] @comment
(attribute) @decorator
[(visibility_modifier) (inheritance_modifier) (member_modifier) (property_modifier)
 (property_behavior_modifier) (function_modifier) (mutation_modifier) (ownership_modifier)] @modifier

((class_declaration declaration_kind: _ @_kind name: (_) @name) @definition.class (#eq? @_kind "class"))
((class_declaration declaration_kind: _ @_kind name: (_) @name) @definition.struct (#eq? @_kind "struct"))
((class_declaration declaration_kind: _ @_kind name: (_) @name) @definition.enum (#eq? @_kind "enum"))
((class_declaration declaration_kind: _ @_kind name: (_) @name) @definition.actor (#eq? @_kind "actor"))
((class_declaration declaration_kind: _ @_kind name: (_) @name) @definition.extension (#eq? @_kind "extension"))
(protocol_declaration name: (_) @name) @definition.protocol

; Operators are no named nodes, so `. _` also meets what follows them: the predicates keep the name alone.
((function_declaration "func" . _ @name) @definition.function (#match? @name "^(`.+`|[^-+*/%=<>!&|^~?.:()]+)$"))
((protocol_function_declaration "func" . _ @name) @definition.function (#match? @name "^(`.+`|[^-+*/%=<>!&|^~?.:()]+)$"))
((function_declaration "func" . _ @name) @definition.operator (#match? @name "^[^A-Za-z0-9_`():\\s]+$"))
((protocol_function_declaration "func" . _ @name) @definition.operator (#match? @name "^[^A-Za-z0-9_`():\\s]+$"))
(init_declaration "init" @name) @definition.init
(deinit_declaration "deinit" @name) @definition.deinit
(subscript_declaration "subscript" @name) @definition.subscript
(macro_declaration "macro" . (_) @name) @definition.macro

(typealias_declaration "typealias" . (_) @name) @definition.typealias
(associatedtype_declaration "associatedtype" . (_) @name) @definition.typealias
; Computed, or observed: a brace before any `=`, or `willSet` or `didSet` behind one.
((property_declaration (pattern) @name) @definition.property
  (#match? @definition.property "^[^={]*\\{|^[^{\\n]*\\{\\s*(willSet|didSet)"))
(protocol_property_declaration name: (_ (value_binding_pattern) . (_) @name)) @definition.property
((property_declaration (value_binding_pattern "let") . (pattern) @name) @definition.constant
  (#match? @definition.constant "^([A-Za-z@(), .]+\\s)?static\\s"))
((source_file (_ (_ . "let") . (pattern) @name) @definition.constant)
  (#match? @name "^[^(]+$"))

; An index is a call with brackets in this grammar.
(call_expression . [
    (_ . (_) @receiver (navigation_suffix (simple_identifier) @reference.call))
    (simple_identifier) @reference.call
    (prefix_expression "." @receiver (simple_identifier) @reference.call)
  ] . (_ . [(_ . "(") (lambda_literal)]))
(constructor_expression (_ (type_identifier) @reference.call))
(macro_invocation (simple_identifier) @reference.call)

(inheritance_specifier [
  (_ (type_identifier) @receiver . (type_identifier) @reference.base .)
  (_ !suppressed (type_identifier) @reference.base .)
  (_ (type_identifier) @reference.base . (type_arguments) .)])
; Attributes of the language itself are small: `@escaping`, `@available`.
((user_type (type_identifier) @reference.type) (#match? @reference.type "^_*[A-Z]"))
(user_type (type_identifier) @receiver . (type_identifier) @reference.type)

; Names bound to values. Of what stands directly in a type the type is the scope.
(property_declaration (pattern) @binding . (type_annotation) @type)
(property_declaration (pattern) @binding "=" . (_) @value)
(property_declaration (pattern) @binding)
(_ bound_identifier: (simple_identifier) @binding . "=" . (_) @value)
(for_statement item: (pattern) @binding)
(lambda_parameter name: (simple_identifier) @binding)
