(comment) @comment
(decorator) @decorator
"async" @modifier

(module . (comment)* . (expression_statement (string) @doc))

; Definitions

; The signature ends at the colon: a comment may stand between it and the body.
(class_definition name: (identifier) @name ":" @body) @definition.class
(class_definition
  name: (identifier) @name
  body: (_ . (comment)* . (expression_statement (string) @doc))) @definition.class

(function_definition name: (identifier) @name ":" @body) @definition.function
(function_definition
  name: (identifier) @name
  body: (_ . (comment)* . (expression_statement (string) @doc))) @definition.function

; Heads of definitions that the parser lost in an error.
(ERROR "class" . (identifier) @name @definition.class)
(ERROR "def" . (identifier) @name @definition.function)
(ERROR "def" . (call function: (identifier) @name) @definition.function)
(ERROR (identifier) @_word . (identifier) @name @definition.class (#eq? @_word "class"))
(ERROR (identifier) @_word . (call function: (identifier) @name) @definition.function (#eq? @_word "def"))

; Constants of the module, also under `if` and `try`, and of classes.
(expression_statement (assignment left: (identifier) @name) @definition.constant
  (#match? @name "^_{0,2}[A-Z][A-Z0-9_]*$")
  (#set! where outer))

; A name bound to a lambda, or to a type that a call makes.
(expression_statement
  (assignment left: (identifier) @name right: (_ . "lambda" parameters: (_)? @parameters body: (_) @body)) @definition.function
  (#set! where outer))
(expression_statement (assignment
    left: (identifier) @name
    right: (_ . function: [(identifier) @_maker (_ . object: (_) . attribute: (identifier) @_maker)])) @definition.class
  (#any-of? @_maker "namedtuple" "NamedTuple" "TypedDict" "make_dataclass" "Enum" "IntEnum" "StrEnum" "Flag" "IntFlag")
  (#set! where outer))

(type_alias_statement left: (type (identifier) @name)) @definition.typealias
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.typealias
(expression_statement (assignment left: (identifier) @name type: (type [
    (identifier) @_type
    (_ . object: (_) . attribute: (identifier) @_type)])) @definition.typealias
  (#eq? @_type "TypeAlias")
  (#set! where outer))
(expression_statement (assignment
    left: (identifier) @name
    right: (_ . function: [(identifier) @_maker (_ . object: (_) . attribute: (identifier) @_maker)])) @definition.typealias
  (#set! where outer)
  (#any-of? @_maker "NewType" "TypeVar" "ParamSpec" "TypeVarTuple" "TypeAliasType"))
(expression_statement (assignment
    left: (identifier) @name
    right: [
      (_ . value: [(identifier) @_generic (_ . object: (_) . attribute: (identifier) @_generic)])
      (_ . left: (_ . value: (identifier) @_generic) operator: "|")]) @definition.typealias
  (#set! where outer)
  (#match? @name "^_*[A-Z]")
  (#any-of? @_generic "Union" "Optional" "Callable" "Literal" "Annotated" "Dict" "List" "Tuple" "Set" "FrozenSet"
    "Type" "Iterable" "Iterator" "Sequence" "Mapping" "Awaitable" "Coroutine" "AsyncIterator" "Generator" "dict" "list"
    "tuple" "set" "frozenset" "type"))

; Calls

function: (identifier) @reference.call
function: (attribute object: (_) @receiver attribute: (identifier) @reference.call)
(decorator (identifier) @reference.call)
(decorator (_ . object: (_) @receiver . attribute: (identifier) @reference.call))

; Bases

(class_definition superclasses: (argument_list [
  (identifier) @reference.base
  (_ . object: (_) @receiver . attribute: (identifier) @reference.base)
  (_ . value: (identifier) @reference.base)
  (_ . value: (_ . object: (_) @receiver . attribute: (identifier) @reference.base))]))
(class_definition superclasses: (argument_list (_ . value: (_) subscript: [
  (identifier) @reference.type
  (_ . object: (_) @receiver . attribute: (identifier) @reference.type)])))
(class_definition superclasses: (argument_list (keyword_argument value: [
  (identifier) @reference.type
  (_ . object: (_) @receiver . attribute: (identifier) @reference.type)])))

; Types. The grammar reads `a | b` and `[a, b]` inside a type as expressions.

(type [
  (identifier) @reference.type
  (_ . object: (_) @receiver . attribute: (identifier) @reference.type)
  (generic_type (identifier) @reference.type)
  (splat_type (identifier) @reference.type)
  (_ . value: (identifier) @reference.type)
  (_ . value: (_ . object: (_) @receiver . attribute: (identifier) @reference.type))
  (_ . value: (_) subscript: (identifier) @reference.type)
  (_ . value: (_) subscript: (_ . object: (_) @receiver . attribute: (identifier) @reference.type))])
(type (_ [
  left: (identifier) @reference.type
  right: (identifier) @reference.type
  left: (_ . object: (_) @receiver . attribute: (identifier) @reference.type)
  right: (_ . object: (_) @receiver . attribute: (identifier) @reference.type)
  left: (_ . value: (identifier) @reference.type)
  right: (_ . value: (identifier) @reference.type)
  left: (_ . value: (_) subscript: (identifier) @reference.type)
  right: (_ . value: (_) subscript: (identifier) @reference.type)
  left: (_ left: (identifier) @reference.type)
  left: (_ right: (identifier) @reference.type)
  left: (_ left: (_ . object: (_) @receiver . attribute: (identifier) @reference.type))
  left: (_ right: (_ . object: (_) @receiver . attribute: (identifier) @reference.type))
  left: (_ left: (_ left: (identifier) @reference.type))
  left: (_ left: (_ right: (identifier) @reference.type))]))
(type (list [
  (identifier) @reference.type
  (_ . object: (_) @receiver . attribute: (identifier) @reference.type)
  (_ . value: (identifier) @reference.type)
  (_ . value: (_) subscript: (identifier) @reference.type)]))

; Names in quotes: forward references.
([type: (type (string (string_content) @reference.type))
  return_type: (type (string (string_content) @reference.type))]
  (#match? @reference.type "^[A-Za-z_][A-Za-z0-9_]*$"))
(generic_type
  (identifier) @_generic
  (type_parameter (type (string (string_content) @reference.type)))
  (#not-any-of? @_generic "Literal" "Annotated")
  (#match? @reference.type "^[A-Za-z_][A-Za-z0-9_]*$"))

; Said by their tokens: nodes without a kind are not looked up in the grammar, which takes longest when queries are read.
(except_clause value: [
  (identifier) @reference.type
  (_ . object: (_) @receiver . attribute: (identifier) @reference.type)
  (_ . "(" (identifier) @reference.type)
  (_ . "(" (_ . object: (_) @receiver . attribute: (identifier) @reference.type))
  (_ . (identifier) @reference.type . "as")
  (_ . (_ . object: (_) @receiver . attribute: (identifier) @reference.type) . "as")
  (_ . (_ . "(" (identifier) @reference.type) . "as")
  (_ . (_ . "(" (_ . object: (_) @receiver . attribute: (identifier) @reference.type)) . "as")])
(raise_statement . (identifier) @reference.type (#match? @reference.type "^_*[A-Z]"))
(class_pattern (dotted_name (identifier) @reference.type .))

; Names bound to values: what a call on them reaches.

(assignment left: (identifier) @binding type: (type)? @type right: (_)? @value)
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.member)
  type: (type)? @type
  right: (_)? @value
  (#any-of? @_self "self" "cls"))
(named_expression name: (identifier) @binding value: (_) @value)
(assignment left: (pattern_list (identifier) @binding))
(for_statement left: (identifier) @binding)
(for_statement left: (_ (identifier) @binding))
(as_pattern (_) @value alias: (as_pattern_target (identifier) @binding))
(lambda_parameters (identifier) @binding)
