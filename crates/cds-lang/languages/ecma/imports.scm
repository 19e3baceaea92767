; ES modules. One of several names is the import itself: with the statement as the import, matches of long lists, which all wait for the
; source, would be compared each with each.

(import_statement . "import" . source: (string) @module) @import
(import_statement (import_clause (identifier) @alias @default) source: (string) @module) @import
(import_statement (import_clause (namespace_import (identifier) @alias) @import) source: (string) @module)
(import_statement (import_clause (named_imports [
  (import_specifier name: _ @item !alias) @import
  (import_specifier name: _ @item alias: _ @alias) @import
])) source: (string) @module)

(export_statement (export_clause [
  (export_specifier name: _ @item !alias) @import
  (export_specifier name: _ @item alias: _ @alias) @import
]) source: (string) @module)
(export_statement ["*" @wildcard (namespace_export (_) @alias)] source: (string) @module) @import

(call_expression function: (import) arguments: (_ . [(string) (template_string)] @module)) @import
(variable_declarator
  name: (identifier) @alias
  value: (await_expression (_ . function: (import) . arguments: (_ . (string) @module)) @import))

; CommonJS

(variable_declarator
  name: (identifier) @alias
  value: [
    (_ . function: (identifier) @_require . arguments: (_ . (string) @module)) @import
    (_ .
      object: (_ . function: (identifier) @_require . arguments: (_ . (string) @module))
      property: (property_identifier) @item) @import
  ]
  (#eq? @_require "require"))
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @item
    (_ . left: (shorthand_property_identifier_pattern) @item)
    (_ . key: (_) @item . value: (identifier) @alias)
  ])
  value: (_ . function: (identifier) @_require . arguments: (_ . (string) @module)) @import
  (#eq? @_require "require"))
(expression_statement (_ . function: (identifier) @_require . arguments: (_ . (string) @module)) @import (#eq? @_require "require"))
(return_statement (_ . function: (identifier) @_require . arguments: (_ . (string) @module)) @import (#eq? @_require "require"))
(arguments
  (call_expression . function: (identifier) @_require . arguments: (_ . (string) @module)) @import
  (#eq? @_require "require"))
(pair value: [
  (_ . function: (identifier) @_require . arguments: (_ . (string) @module)) @import
  (_ . object: (_ . function: (identifier) @_require . arguments: (_ . (string) @module)) @import)
] (#eq? @_require "require"))
(assignment_expression right: [
  (_ . function: (identifier) @_require . arguments: (_ . (string) @module)) @import
  (_ . object: (_ . function: (identifier) @_require . arguments: (_ . (string) @module)) @import)
] (#eq? @_require "require"))
function: (call_expression . function: (identifier) @_require . arguments: (_ . (string) @module)
  (#eq? @_require "require")) @import
function: (member_expression . object: (_ . function: (identifier) @_require . arguments: (_ . (string) @module)) @import
  (#eq? @_require "require"))

; What the file gives to others under another name.

(export_statement "default" value: (identifier) @item @default) @export
(export_statement !source (export_clause (export_specifier name: (_) @item alias: (_)? @alias) @export))
(assignment_expression
  left: (_ . object: (identifier) @_module . property: (_) @_exports)
  right: (identifier) @item @default
  (#eq? @_module "module") (#eq? @_exports "exports")) @export
(assignment_expression
  left: (_ . object: (identifier) @_exports . property: (_) @alias)
  right: (identifier) @item
  (#eq? @_exports "exports")) @export
(assignment_expression
  left: (_ . object: (_ . object: (identifier) @_module . property: (_) @_exports) . property: (_) @alias)
  right: (identifier) @item
  (#eq? @_module "module") (#eq? @_exports "exports")) @export
(assignment_expression
  left: (_ . object: (identifier) @_module . property: (_) @_exports)
  right: (assignment_expression right: (identifier) @item @default)
  (#eq? @_module "module") (#eq? @_exports "exports")) @export
(assignment_expression
  left: (identifier) @_exports
  right: (assignment_expression left: (_ . object: (identifier) @_module) right: (identifier) @item @default)
  (#eq? @_module "module") (#eq? @_exports "exports")) @export
