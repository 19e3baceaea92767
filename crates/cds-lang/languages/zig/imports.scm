; const a = @import("a.zig");  _ = @import("a.zig");  usingnamespace @import("a.zig");
(variable_declaration . (identifier) @alias
  "=" . (_ . (builtin_identifier) @_import . (_ . (string) @module))
  (#eq? @_import "@import") (#not-eq? @alias "_")) @import
(variable_declaration . (identifier) @_name
  "=" . (_ . (builtin_identifier) @_import . (_ . (string) @module))
  (#eq? @_name "_") (#eq? @_import "@import")) @import
(using_namespace_declaration
  (_ . (builtin_identifier) @_import . (_ . (string) @module)) @wildcard
  (#eq? @_import "@import")) @import

; const B = @import("a.zig").B;  const Allocator = std.mem.Allocator;
(variable_declaration . (identifier) "=" . [
  (_ . object: (_ . (builtin_identifier) @_import . (_ . (string) @module)) . member: (identifier) @item)
  (_ . object: [(identifier) (field_expression)] @module . member: (identifier) @item)
]
  (#eq? @_import "@import") (#match? @module "^(std|builtin)\\b|^@import *\\(|^\"") (#not-match? @import "^[^=]*\\bvar\\b")) @import
(variable_declaration . (identifier) @alias "=" . [
  (_ . object: (_ . (builtin_identifier) @_import . (_ . (string) @module)) . member: (identifier) @item)
  (_ . object: [(identifier) (field_expression)] @module . member: (identifier) @item)
]
  (#eq? @_import "@import") (#match? @module "^(std|builtin)\\b|^@import *\\(|^\"") (#not-match? @import "^[^=]*\\bvar\\b") (#not-eq? @alias @item)) @import
