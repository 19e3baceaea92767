; ES modules

(import_statement . "import" . source: (string) @module) @import
(import_statement (import_clause (identifier) @item) source: (string) @module) @import
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module) @import
(import_statement
  (import_clause (named_imports (import_specifier name: _ @item !alias)))
  source: (string) @module) @import
(import_statement
  (import_clause (named_imports (import_specifier name: _ @item alias: _ @alias)))
  source: (string) @module) @import

(export_statement (export_clause (export_specifier name: _ @item !alias)) source: (string) @module) @import
(export_statement
  (export_clause (export_specifier name: _ @item alias: _ @alias))
  source: (string) @module) @import
(export_statement "*" @wildcard source: (string) @module) @import
(export_statement (namespace_export (_) @alias) source: (string) @module) @import

(call_expression function: (import) arguments: (arguments . [(string) (template_string)] @module)) @import
(variable_declarator
  name: (identifier) @alias
  value: (await_expression
    (call_expression function: (import) arguments: (arguments . (string) @module)) @import))

; CommonJS

(variable_declarator
  name: (identifier) @alias
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module)) @import
  (#eq? @_require "require"))
(variable_declarator
  name: (object_pattern
    [(shorthand_property_identifier_pattern) @item
     (object_assignment_pattern left: (shorthand_property_identifier_pattern) @item)
     (pair_pattern key: (_) @item value: (identifier) @alias)])
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module)) @import
  (#eq? @_require "require"))
(variable_declarator
  name: (identifier) @alias
  value: (member_expression
    object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module))
    property: (property_identifier) @item) @import
  (#eq? @_require "require"))
([
  (expression_statement (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)) @import)
  (arguments (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)) @import)
  (call_expression function: (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)) @import)
  (assignment_expression right: (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)) @import)
  (pair value: (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)) @import)
  (return_statement (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)) @import)
  (call_expression function: (member_expression object: (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)) @import))
  (assignment_expression right: (member_expression object: (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)) @import))
  (pair value: (member_expression object: (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)) @import))
] (#eq? @_require "require"))
