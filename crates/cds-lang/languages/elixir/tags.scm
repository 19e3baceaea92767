; Compiling costs by the nodes that have children here: most of all calls, which begin anywhere. So wildcards with fields or
; signs stand for nodes: what has a `target` is a call, and the first of an alternation is a wildcard.
(comment) @comment
((unary_operator "@" . (_ . target: (identifier) @_doc . (_ . [(string) (sigil)]))) @comment (#any-of? @_doc "doc" "typedoc"))
((unary_operator "@" . (_ . target: (identifier) @_doc . (_ . [(keywords) (boolean)]))) @decorator (#any-of? @_doc "doc" "typedoc"))
((unary_operator "@" . (_ . target: (identifier) @_attribute)) @decorator
  (#any-of? @_attribute "spec" "impl" "deprecated" "since" "dialyzer" "tag" "describetag" "moduletag"))
((identifier) @modifier (#any-of? @modifier "defp" "defmacrop" "defguardp" "defnp" "typep"))

((_ target: (identifier) @_def . (_ . [(alias) (dot)] @name)) @definition.module (#eq? @_def "defmodule"))
((_
    target: (identifier) @_def
    . (_ . [(alias) (dot)] @name)
    . (_ (_ . "@" . (_ . target: (identifier) @_doc . (_ . [(string) (sigil)] @doc))))) @definition.module
  (#any-of? @_def "defmodule" "defprotocol") (#eq? @_doc "moduledoc"))
((_ target: (identifier) @_def . (_ . [(alias) (dot)] @name)) @definition.protocol (#eq? @_def "defprotocol"))
((_ target: (identifier) @_def . (arguments . (_) @name .)) @definition.impl (#eq? @_def "defimpl"))
((_ target: (identifier) @_def . (_ (keywords (_ key: (keyword) @_for value: (_) @name)))) @definition.impl
  (#eq? @_def "defimpl") (#match? @_for "^for:"))

((_ target: (identifier) @_def . (_ . [
    (identifier) @name
    (_ . target: (identifier) @name . (arguments) @parameters)
    (_ . left: [(identifier) @name (_ . target: (identifier) @name . (arguments) @parameters)] . "when")])) @definition.function
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp"))
((_ target: (identifier) @_def . (_ . [
    (identifier) @name
    (_ . target: (identifier) @name . (arguments) @parameters)
    (_ . left: [(identifier) @name (_ . target: (identifier) @name . (arguments) @parameters)] . "when")])) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((_ target: (identifier) @_def . (_ . (_ . left: (_) . operator: _ @name))) @definition.operator
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop") (#not-eq? @name "when"))
((_ target: (identifier) @name) @definition.struct (#any-of? @name "defstruct" "defexception"))

; Attributes: types, callbacks, and what is left is a constant.
((unary_operator "@" . (_ . target: (identifier) @_attribute . (_ . (_ . left: [
    (identifier) @name
    (_ . target: (identifier) @name)])))) @definition.typealias
  (#any-of? @_attribute "type" "typep" "opaque"))
((unary_operator "@" . (_ . target: (identifier) @_attribute . (_ . (_ . left:
    (_ . target: (identifier) @name . (arguments) @parameters))))) @definition.function
  (#any-of? @_attribute "callback" "macrocallback"))
((unary_operator "@" . (_ . target: (identifier) @name . (arguments))) @definition.constant
  (#not-any-of? @name
    "moduledoc" "doc" "typedoc" "shortdoc" "since" "deprecated" "spec" "type" "typep" "opaque" "callback" "macrocallback" "optional_callbacks" "behaviour" "impl"
    "derive" "enforce_keys" "tag" "moduletag" "describetag" "before_compile" "after_compile" "after_verify" "on_load" "on_definition" "compile"
    "dialyzer" "external_resource" "vsn" "nifs" "fallback_to_any" "primary_key" "foreign_key_type" "schema_prefix" "timestamps_opts"))

((_ target: (identifier) @_test . (_ . (string) @name) . (do_block)) @definition.test
  (#any-of? @_test "test" "describe" "property" "feature"))

((_ target: (identifier) @_base . (_ . (alias) @reference.base)) (#any-of? @_base "use" "defimpl" "behaviour"))
(struct (alias) @reference.type)
((_ left: (alias) @reference.type . "." . right: (identifier) @_t) (#eq? @_t "t"))

((call . (_ . left: (_) @receiver "." . right: (identifier) @reference.call)) (#not-eq? @reference.call "t"))
(unary_operator "&" . (_ . left: (identifier) @reference.call . "/"))
; The head of a function looks like a call, so calls are found by where they stand: anywhere but first after `def`,
; in front of `when` or `::`, and behind `@`.
([
    (source (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (do_block (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (else_block (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (after_block (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (rescue_block (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (catch_block (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (body (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (block (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (list (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (tuple (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (interpolation (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (arguments "," @_comma . (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (pair value: (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (dot . (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (access_call . (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (binary_operator [
      ((_ . target: (identifier) @reference.call . [(arguments) (do_block)]) . operator: _ @_operator)
      right: (_ . target: (identifier) @reference.call . [(arguments) (do_block)])])
    (unary_operator operator: _ @_operator . (_ . target: (identifier) @reference.call . [(arguments) (do_block)]))
    (call . (_) @_outer . (arguments . (_ . target: (identifier) @reference.call . [(arguments) (do_block)])))
  ]
  (#not-any-of? @_operator "when" "::" "@")
  (#not-any-of? @_outer "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp" "type" "typep" "opaque" "spec" "callback")
  (#not-any-of? @reference.call
    "alias" "import" "require" "use" "def" "defp" "defmodule" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defprotocol"
    "defimpl" "defstruct" "defexception" "defn" "defnp" "if" "unless" "case" "cond" "with" "for" "try" "receive" "quote" "unquote" "unquote_splicing" "super"
    "test" "describe" "any" "atom" "binary" "bitstring" "boolean" "charlist" "float" "integer" "iodata" "iolist" "keyword" "list" "map" "no_return"
    "non_neg_integer" "number" "pid" "pos_integer" "reference" "term" "timeout" "tuple"))

; Names in parameters, patterns and assignments.
((_ target: (identifier) @_def . (_ . [
    (_ . target: (_) . (arguments) @declared)
    (_ . left: (_ . target: (_) . (arguments) @declared) . "when")]))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defn" "defnp"))
(_ . left: (_) @declared . ["=" "<-"])
(stab_clause . left: (_) @declared)
