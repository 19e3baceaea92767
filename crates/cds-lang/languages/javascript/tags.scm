; Class fields

(field_definition "static" property: (_) @name value: (_) (#match? @name "^#?[A-Z][A-Z0-9_$]+$")) @definition.constant
(field_definition property: (_) @name value: (_ . ["async" @modifier parameters: (_) @parameters parameter: (_) @parameters ((_) . parameters: (_) @parameters)] body: (_) @body)) @definition.function

; Bases

(class_heritage [
  (identifier) @reference.base
  (_ . object: (_) @receiver . property: (_) @reference.base)
  (_ . function: (_) . arguments: (_ (identifier) @reference.base))
])

(formal_parameters (identifier) @binding)
(field_definition property: (_) @binding.member value: (_)? @value)
