; The path is a row of names.
(import_declaration . (identifier) @module .) @import
(import_declaration ((identifier) @module . ".")+ . (identifier) @item .) @import
(import_declaration ((identifier) @module . ".")+ . [
  (_ name: (_) @item alias: (_) @alias)
  (namespace_wildcard) @wildcard
  (namespace_selectors [
    (_ name: (_) @item alias: (_) @alias)
    (identifier) @item
    (namespace_wildcard) @wildcard])]) @import
(export_declaration . (identifier) @module .) @import
(export_declaration ((identifier) @module . ".")+ . (identifier) @item .) @import
(export_declaration ((identifier) @module . ".")+ . [
  (_ name: (_) @item alias: (_) @alias)
  (namespace_wildcard) @wildcard
  (namespace_selectors [
    (_ name: (_) @item alias: (_) @alias)
    (identifier) @item
    (namespace_wildcard) @wildcard])]) @import
