(comment) @comment
["pub" "export" "extern" "inline" "noinline" "threadlocal"] @modifier

; Constants of files and containers, aliases of types among them. Names for parts of std and of other files are imports,
; unless they are public.
(source_file (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(source_file (variable_declaration "pub" "const" . (identifier) @name (_) @_value .) @definition.constant
  (#match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(source_file (variable_declaration "const" . (identifier) @name [
    (pointer_type) (slice_type) (nullable_type) (array_type) (error_union_type) (builtin_type) (function_signature)
    (call_expression) (field_expression) (identifier)
  ] @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(struct_declaration (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(struct_declaration (variable_declaration "pub" "const" . (identifier) @name (_) @_value .) @definition.constant
  (#match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(struct_declaration (variable_declaration "const" . (identifier) @name [
    (pointer_type) (slice_type) (nullable_type) (array_type) (error_union_type) (builtin_type) (function_signature)
    (call_expression) (field_expression) (identifier)
  ] @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(union_declaration (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(union_declaration (variable_declaration "pub" "const" . (identifier) @name (_) @_value .) @definition.constant
  (#match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(union_declaration (variable_declaration "const" . (identifier) @name [
    (pointer_type) (slice_type) (nullable_type) (array_type) (error_union_type) (builtin_type) (function_signature)
    (call_expression) (field_expression) (identifier)
  ] @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(enum_declaration (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(enum_declaration (variable_declaration "pub" "const" . (identifier) @name (_) @_value .) @definition.constant
  (#match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(enum_declaration (variable_declaration "const" . (identifier) @name [
    (pointer_type) (slice_type) (nullable_type) (array_type) (error_union_type) (builtin_type) (function_signature)
    (call_expression) (field_expression) (identifier)
  ] @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(opaque_declaration (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(opaque_declaration (variable_declaration "pub" "const" . (identifier) @name (_) @_value .) @definition.constant
  (#match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))
(opaque_declaration (variable_declaration "const" . (identifier) @name [
    (pointer_type) (slice_type) (nullable_type) (array_type) (error_union_type) (builtin_type) (function_signature)
    (call_expression) (field_expression) (identifier)
  ] @_value .) @definition.typealias
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#not-match? @_value "^(@import *\\(\"[^\"]*\"\\)|std|builtin)(\\.[A-Za-z_0-9]+)*$|^@This\\(\\)$"))

; A constant that is a type is that type.
(variable_declaration "const" . (identifier) @name (struct_declaration "{" @body)) @definition.struct
(variable_declaration "const" . (identifier) @name (union_declaration "{" @body)) @definition.union
(variable_declaration "const" . (identifier) @name (enum_declaration "{" @body)) @definition.enum
(variable_declaration "const" . (identifier) @name (opaque_declaration "{" @body)) @definition.struct
(variable_declaration "const" . (identifier) @name (error_set_declaration "{" @body)) @definition.enum

(function_declaration name: (identifier) @name (parameters) @parameters type: (_) @return
  (#not-match? @name "^@")) @definition.function
(function_declaration name: (identifier (string (string_content) @name)) (parameters) @parameters type: (_) @return) @definition.function
(function_declaration name: (identifier) @name !body ";" @body
  (#not-match? @name "^@")) @definition.function

(test_declaration [(string) (identifier)] @name (block) @body) @definition.test
(test_declaration "test" @name . (block) @body) @definition.test

; Calls.
(call_expression function: [
  (identifier) @reference.call
  (field_expression object: (_)? @receiver member: (identifier) @reference.call)
])

; Types, where they are used.
([
  (parameter type: (identifier) @reference.type)
  (parameter type: (field_expression object: (_) @receiver member: (identifier) @reference.type))
  (function_declaration type: (identifier) @reference.type)
  (function_declaration type: (field_expression object: (_) @receiver member: (identifier) @reference.type))
  (function_signature type: (identifier) @reference.type)
  (function_signature type: (field_expression object: (_) @receiver member: (identifier) @reference.type))
  (variable_declaration type: (identifier) @reference.type)
  (variable_declaration type: (field_expression object: (_) @receiver member: (identifier) @reference.type))
  (container_field type: (identifier) @reference.type)
  (container_field type: (field_expression object: (_) @receiver member: (identifier) @reference.type))
  (pointer_type (identifier) @reference.type .)
  (pointer_type (field_expression object: (_) @receiver member: (identifier) @reference.type) .)
  (slice_type (identifier) @reference.type .)
  (slice_type (field_expression object: (_) @receiver member: (identifier) @reference.type) .)
  (array_type (identifier) @reference.type .)
  (array_type (field_expression object: (_) @receiver member: (identifier) @reference.type) .)
  (nullable_type (identifier) @reference.type)
  (nullable_type (field_expression object: (_) @receiver member: (identifier) @reference.type))
  (error_union_type ok: (identifier) @reference.type)
  (error_union_type ok: (field_expression object: (_) @receiver member: (identifier) @reference.type))
  (error_union_type error: (identifier) @reference.type)
  (error_union_type error: (field_expression object: (_) @receiver member: (identifier) @reference.type))
  (struct_initializer . (identifier) @reference.type)
  (struct_initializer . (field_expression object: (_) @receiver member: (identifier) @reference.type))
] (#not-match? @reference.type "^[A-Z]$"))
