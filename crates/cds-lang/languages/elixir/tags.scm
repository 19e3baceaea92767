; Fields and nested patterns make this grammar's queries slow to compile: patterns here lean on order (`.`) where they can.
(comment) @comment
((unary_operator "@" . (call . (identifier) @_doc . (arguments . [(string) (sigil)]))) @comment (#any-of? @_doc "doc" "typedoc"))
((unary_operator "@" . (call . (identifier) @_doc . (arguments . [(keywords) (boolean)]))) @decorator (#any-of? @_doc "doc" "typedoc"))
((unary_operator "@" . (call . (identifier) @_attribute)) @decorator
  (#any-of? @_attribute "spec" "impl" "deprecated" "since" "dialyzer" "tag" "describetag" "moduletag"))
((identifier) @modifier (#any-of? @modifier "defp" "defmacrop" "defguardp" "defnp" "typep"))

((call . (identifier) @_def . (arguments . [(alias) (dot)] @name)) @definition.module (#eq? @_def "defmodule"))
((call
    . (identifier) @_def
    . (arguments . [(alias) (dot)] @name)
    . (do_block (unary_operator "@" . (call . (identifier) @_doc . (arguments . [(string) (sigil)] @doc))))) @definition.module
  (#any-of? @_def "defmodule" "defprotocol") (#eq? @_doc "moduledoc"))
((call . (identifier) @_def . (arguments . [(alias) (dot)] @name)) @definition.protocol (#eq? @_def "defprotocol"))
((call . (identifier) @_def . (arguments . (_) @name .)) @definition.impl (#eq? @_def "defimpl"))
((call . (identifier) @_def . (arguments (keywords (pair key: (keyword) @_for value: (_) @name)))) @definition.impl
  (#eq? @_def "defimpl") (#match? @_for "^for:"))

((call . (identifier) @_def (arguments . [
    (identifier) @name
    (call . (identifier) @name . (arguments) @parameters)
    (binary_operator [(identifier) @name (call . (identifier) @name . (arguments) @parameters)] . "when")])) @definition.function
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp"))
((call . (identifier) @_def (arguments . [
    (identifier) @name
    (call . (identifier) @name . (arguments) @parameters)
    (binary_operator [(identifier) @name (call . (identifier) @name . (arguments) @parameters)] . "when")])) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((call . (identifier) @_def . (arguments . (binary_operator operator: _ @name))) @definition.operator
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop") (#not-eq? @name "when"))
((call . (identifier) @name) @definition.struct (#any-of? @name "defstruct" "defexception"))

; Attributes: types, callbacks, and what is left is a constant.
((unary_operator "@" . (call . (identifier) @_attribute . (arguments . (binary_operator . [
    (identifier) @name
    (call . (identifier) @name)])))) @definition.typealias
  (#any-of? @_attribute "type" "typep" "opaque"))
((unary_operator "@" . (call . (identifier) @_attribute . (arguments . (binary_operator .
    (call . (identifier) @name . (arguments) @parameters))))) @definition.function
  (#any-of? @_attribute "callback" "macrocallback"))
((unary_operator "@" . (call . (identifier) @name . (arguments))) @definition.constant
  (#not-any-of? @name
    "moduledoc" "doc" "typedoc" "shortdoc" "since" "deprecated" "spec" "type" "typep" "opaque" "callback" "macrocallback" "optional_callbacks" "behaviour" "impl"
    "derive" "enforce_keys" "tag" "moduletag" "describetag" "before_compile" "after_compile" "after_verify" "on_load" "on_definition" "compile"
    "dialyzer" "external_resource" "vsn" "nifs" "fallback_to_any" "primary_key" "foreign_key_type" "schema_prefix" "timestamps_opts"))

((call . (identifier) @_test . (arguments . (string) @name) . (do_block)) @definition.test
  (#any-of? @_test "test" "describe" "property" "feature"))

((call . (identifier) @_base . (arguments . (alias) @reference.base)) (#any-of? @_base "use" "defimpl" "behaviour"))
(struct (alias) @reference.type)
((dot . (alias) @reference.type "." . (identifier) @_t) (#eq? @_t "t"))

((call . (dot . (_) @receiver "." . (identifier) @reference.call)) (#not-eq? @reference.call "t"))
(unary_operator "&" . (binary_operator . (identifier) @reference.call "/"))
; The head of a function looks like a call, so calls are found by where they stand: anywhere but first after `def`,
; in front of `when` or `::`, and behind `@`.
([
    (source (call . (identifier) @reference.call))
    (do_block (call . (identifier) @reference.call))
    (else_block (call . (identifier) @reference.call))
    (after_block (call . (identifier) @reference.call))
    (rescue_block (call . (identifier) @reference.call))
    (catch_block (call . (identifier) @reference.call))
    (body (call . (identifier) @reference.call))
    (block (call . (identifier) @reference.call))
    (list (call . (identifier) @reference.call))
    (tuple (call . (identifier) @reference.call))
    (interpolation (call . (identifier) @reference.call))
    (arguments "," . (call . (identifier) @reference.call))
    (pair value: (call . (identifier) @reference.call))
    (dot . (call . (identifier) @reference.call))
    (access_call . (call . (identifier) @reference.call))
    (binary_operator right: (call . (identifier) @reference.call))
    (binary_operator . (call . (identifier) @reference.call) operator: _ @_operator)
    (unary_operator operator: _ @_operator . (call . (identifier) @reference.call))
    (call . (dot) . (arguments . (call . (identifier) @reference.call)))
    (call . (identifier) @_outer . (arguments . (call . (identifier) @reference.call)))
  ]
  (#not-any-of? @_operator "when" "::" "@")
  (#not-any-of? @_outer "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp" "type" "typep" "opaque" "spec" "callback")
  (#not-any-of? @reference.call
    "alias" "import" "require" "use" "def" "defp" "defmodule" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defprotocol"
    "defimpl" "defstruct" "defexception" "defn" "defnp" "if" "unless" "case" "cond" "with" "for" "try" "receive" "quote" "unquote" "unquote_splicing" "super"
    "test" "describe" "any" "atom" "binary" "bitstring" "boolean" "charlist" "float" "integer" "iodata" "iolist" "keyword" "list" "map" "no_return"
    "non_neg_integer" "number" "pid" "pos_integer" "reference" "term" "timeout" "tuple"))
