; The path is a row of names; what is captured is its first and its last one before the item.
(import_declaration . (identifier) @module .) @import
(import_declaration . (identifier) @module . (identifier) @item .) @import
(import_declaration . (identifier) @module (identifier) @module . (identifier) @item .) @import
(import_declaration . (identifier) @module . (namespace_wildcard) @wildcard) @import
(import_declaration . (identifier) @module . (as_renamed_identifier name: (_) @item alias: (_) @alias)) @import
(import_declaration . (identifier) @module . (namespace_selectors [
  (identifier) @item
  (namespace_wildcard) @wildcard
  (arrow_renamed_identifier name: (_) @item alias: (_) @alias)
  (as_renamed_identifier name: (_) @item alias: (_) @alias)])) @import
(import_declaration . (identifier) @module (identifier) @module . (namespace_wildcard) @wildcard) @import
(import_declaration . (identifier) @module (identifier) @module . (as_renamed_identifier name: (_) @item alias: (_) @alias)) @import
(import_declaration . (identifier) @module (identifier) @module . (namespace_selectors [
  (identifier) @item
  (namespace_wildcard) @wildcard
  (arrow_renamed_identifier name: (_) @item alias: (_) @alias)
  (as_renamed_identifier name: (_) @item alias: (_) @alias)])) @import
(export_declaration . (identifier) @module .) @import
(export_declaration . (identifier) @module . (identifier) @item .) @import
(export_declaration . (identifier) @module (identifier) @module . (identifier) @item .) @import
(export_declaration . (identifier) @module . (namespace_wildcard) @wildcard) @import
(export_declaration . (identifier) @module . (as_renamed_identifier name: (_) @item alias: (_) @alias)) @import
(export_declaration . (identifier) @module . (namespace_selectors [
  (identifier) @item
  (namespace_wildcard) @wildcard
  (arrow_renamed_identifier name: (_) @item alias: (_) @alias)
  (as_renamed_identifier name: (_) @item alias: (_) @alias)])) @import
(export_declaration . (identifier) @module (identifier) @module . (namespace_wildcard) @wildcard) @import
(export_declaration . (identifier) @module (identifier) @module . (as_renamed_identifier name: (_) @item alias: (_) @alias)) @import
(export_declaration . (identifier) @module (identifier) @module . (namespace_selectors [
  (identifier) @item
  (namespace_wildcard) @wildcard
  (arrow_renamed_identifier name: (_) @item alias: (_) @alias)
  (as_renamed_identifier name: (_) @item alias: (_) @alias)])) @import
