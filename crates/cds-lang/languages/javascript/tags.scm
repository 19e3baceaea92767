; Class fields

(field_definition "static" @modifier)
(field_definition "static" property: (_) @name value: (_) (#match? @name "^#?[A-Z][A-Z0-9_$]+$")) @definition.constant
(field_definition
  property: (_) @name
  value: [
    (arrow_function parameters: (_) @parameters body: (_) @body)
    (arrow_function parameter: (_) @parameters body: (_) @body)
    (function_expression parameters: (_) @parameters body: (_) @body)
    (generator_function parameters: (_) @parameters body: (_) @body)
  ]) @definition.function
(field_definition
  property: (_) @name
  value: [(arrow_function "async" @modifier) (function_expression "async" @modifier)]) @definition.function

; Bases

(class_heritage (identifier) @reference.base)
(class_heritage (member_expression object: (_) @receiver property: (_) @reference.base))
(class_heritage (call_expression arguments: (arguments (identifier) @reference.base)))

; Components

(jsx_opening_element name: (identifier) @reference.call (#match? @reference.call "^[A-Z]"))
(jsx_opening_element name: (member_expression object: (_) @receiver property: (_) @reference.call))
(jsx_self_closing_element name: (identifier) @reference.call (#match? @reference.call "^[A-Z]"))
(jsx_self_closing_element name: (member_expression object: (_) @receiver property: (_) @reference.call))
