; const a = @import("a.zig");  _ = @import("a.zig");  usingnamespace @import("a.zig");
(variable_declaration "const" . (identifier) @alias
  (builtin_function (builtin_identifier) @_import (arguments . (string) @module))
  (#eq? @_import "@import")) @import
(variable_declaration . (identifier) @_name
  (builtin_function (builtin_identifier) @_import (arguments . (string) @module))
  (#eq? @_name "_") (#eq? @_import "@import")) @import
(using_namespace_declaration
  (builtin_function (builtin_identifier) @_import (arguments . (string) @module)) @wildcard
  (#eq? @_import "@import")) @import

; const B = @import("a.zig").B;
(variable_declaration "const" . (identifier) @_name
  (field_expression
    object: (builtin_function (builtin_identifier) @_import (arguments . (string) @module))
    member: (identifier) @item)
  (#eq? @_import "@import")) @import
(variable_declaration "const" . (identifier) @alias
  (field_expression
    object: (builtin_function (builtin_identifier) @_import (arguments . (string) @module))
    member: (identifier) @item)
  (#eq? @_import "@import") (#not-eq? @alias @item)) @import

; const Allocator = std.mem.Allocator;
(variable_declaration "const" . (identifier)
  (field_expression object: [(identifier) (field_expression)] @module member: (identifier) @item) .
  (#match? @module "^(std|builtin)\\b|^@import *\\(")) @import
(variable_declaration "const" . (identifier) @alias
  (field_expression object: [(identifier) (field_expression)] @module member: (identifier) @item) .
  (#match? @module "^(std|builtin)\\b|^@import *\\(") (#not-eq? @alias @item)) @import
