(comment) @comment
(decorator) @decorator
"async" @modifier

(module . (comment)* . (expression_statement (string) @doc))

(class_definition name: (identifier) @name) @definition.class
(class_definition
  name: (identifier) @name
  body: (block . (comment)* . (expression_statement (string) @doc))) @definition.class

(function_definition name: (identifier) @name) @definition.function
(function_definition
  name: (identifier) @name
  body: (block . (comment)* . (expression_statement (string) @doc))) @definition.function

(module (expression_statement (assignment left: (identifier) @name) @definition.constant)
  (#match? @name "^_?[A-Z][A-Z0-9_]+$"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.constant))
  (#match? @name "^_?[A-Z][A-Z0-9_]+$"))
(type_alias_statement left: (type (identifier) @name)) @definition.typealias
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.typealias

(call function: (identifier) @reference.call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @reference.call))
(decorator (identifier) @reference.call)
(decorator (attribute object: (_) @receiver attribute: (identifier) @reference.call))

(class_definition superclasses: (argument_list (identifier) @reference.base))
(class_definition superclasses: (argument_list (attribute object: (_) @receiver attribute: (identifier) @reference.base)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @reference.base)))
(class_definition superclasses: (argument_list (subscript value: (attribute object: (_) @receiver attribute: (identifier) @reference.base))))

(type (identifier) @reference.type)
(type (attribute object: (_) @receiver attribute: (identifier) @reference.type))
(type (generic_type (identifier) @reference.type))
(type (subscript value: (identifier) @reference.type))
(type (binary_operator (identifier) @reference.type))
