; What compiling a query costs is its nodes that have a kind and children, and what running it costs is the beginnings of matches that
; wait for a child. So below the outermost node of a pattern stands `(_ . …)` with what such a node begins with, and a pattern of one
; node begins with the field it stands in.

(comment) @comment
["pub" "export" "extern" "inline" "noinline" "threadlocal"] @modifier

; Constants of files and containers, aliases of types among them. Names for parts of std and of other files are imports,
; unless they are public.
(source_file (_ "const" . (identifier) @name (_) .) @definition.constant
  (#not-match? @definition.constant "^const\\b[^=]*=\\s*((@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*|@This\\(\\));$"))
(source_file (_ "const" . (identifier) @name (_) @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#match? @_value "(?s)^([*?].*|\\[[^{]*|fn\\b[^{]*|[A-Za-z_][\\w.]*(\\(.*\\)[\\w.]*)?|[\\w.]+![^{]*)$")
  (#not-match? @_value "^(std|builtin)(\\.[A-Za-z_0-9]+)*$"))
(struct_declaration (_ "const" . (identifier) @name (_) .) @definition.constant
  (#not-match? @definition.constant "^const\\b[^=]*=\\s*((@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*|@This\\(\\));$"))
(struct_declaration (_ "const" . (identifier) @name (_) @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#match? @_value "(?s)^([*?].*|\\[[^{]*|fn\\b[^{]*|[A-Za-z_][\\w.]*(\\(.*\\)[\\w.]*)?|[\\w.]+![^{]*)$")
  (#not-match? @_value "^(std|builtin)(\\.[A-Za-z_0-9]+)*$"))
(union_declaration (_ "const" . (identifier) @name (_) .) @definition.constant
  (#not-match? @definition.constant "^const\\b[^=]*=\\s*((@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*|@This\\(\\));$"))
(union_declaration (_ "const" . (identifier) @name (_) @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#match? @_value "(?s)^([*?].*|\\[[^{]*|fn\\b[^{]*|[A-Za-z_][\\w.]*(\\(.*\\)[\\w.]*)?|[\\w.]+![^{]*)$")
  (#not-match? @_value "^(std|builtin)(\\.[A-Za-z_0-9]+)*$"))
(enum_declaration (_ "const" . (identifier) @name (_) .) @definition.constant
  (#not-match? @definition.constant "^const\\b[^=]*=\\s*((@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*|@This\\(\\));$"))
(enum_declaration (_ "const" . (identifier) @name (_) @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#match? @_value "(?s)^([*?].*|\\[[^{]*|fn\\b[^{]*|[A-Za-z_][\\w.]*(\\(.*\\)[\\w.]*)?|[\\w.]+![^{]*)$")
  (#not-match? @_value "^(std|builtin)(\\.[A-Za-z_0-9]+)*$"))
(opaque_declaration (_ "const" . (identifier) @name (_) .) @definition.constant
  (#not-match? @definition.constant "^const\\b[^=]*=\\s*((@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*|@This\\(\\));$"))
(opaque_declaration (_ "const" . (identifier) @name (_) @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#match? @_value "(?s)^([*?].*|\\[[^{]*|fn\\b[^{]*|[A-Za-z_][\\w.]*(\\(.*\\)[\\w.]*)?|[\\w.]+![^{]*)$")
  (#not-match? @_value "^(std|builtin)(\\.[A-Za-z_0-9]+)*$"))

; A constant that is a type is that type.
((variable_declaration . (identifier) @name (_ . ["struct" "opaque"] "{" @body)) @definition.struct
  (#not-match? @definition.struct "^[^=:]*\\bvar\\b"))
(variable_declaration . (identifier) @name "=" . (_ . "union" "{" @body)) @definition.union
(variable_declaration . (identifier) @name "=" . (enum_declaration "{" @body)) @definition.enum
(variable_declaration . (identifier) @name "=" . (_ . "error" "{" @body)) @definition.enum

(function_declaration
  name: [(identifier) @name (_ . (string . (string_content) @name))]
  (parameters) @parameters
  type: (_) @return
  (#not-match? @name "^@")) @definition.function

(test_declaration [(string) (identifier)] @name (block) @body) @definition.test
(test_declaration "test" @name . (block) @body) @definition.test

; Calls.
function: (identifier) @reference.call
function: (field_expression object: (_)? @receiver member: (identifier) @reference.call)

; Types, where they are used.
([
  type: (identifier) @reference.type
  ok: (identifier) @reference.type
  error: (identifier) @reference.type
  type: (field_expression object: (_) @receiver member: (identifier) @reference.type)
  ok: (field_expression object: (_) @receiver member: (identifier) @reference.type)
  error: (field_expression object: (_) @receiver member: (identifier) @reference.type)
  (pointer_type [(identifier) @reference.type (_ . object: (_) @receiver . member: (identifier) @reference.type)] .)
  (slice_type [(identifier) @reference.type (_ . object: (_) @receiver . member: (identifier) @reference.type)] .)
  (array_type [(identifier) @reference.type (_ . object: (_) @receiver . member: (identifier) @reference.type)] .)
  (nullable_type [(identifier) @reference.type (_ . object: (_) @receiver . member: (identifier) @reference.type)])
  (struct_initializer . [(identifier) @reference.type (_ . object: (_) @receiver . member: (identifier) @reference.type)])
] (#not-match? @reference.type "^[A-Z]$"))

; Names bound to values: variables, fields, what is captured between bars. Imports bind their names themselves.
((variable_declaration . (identifier) @binding type: (_)? @type "=" . (_) @value)
  (#not-match? @value "^@|^(struct|union|enum|opaque|packed|extern|error)\\b"))
(container_field name: (identifier) @binding.member type: (_) @type)
(payload (identifier) @binding)
(variable_declaration . (identifier) @binding type: (_) @type)
