(namespace_use_declaration (namespace_use_clause . [
    (name) @item
    (qualified_name (name) @item)
    (qualified_name prefix: (namespace_name) @module (name) @item)]
  alias: (name)? @alias) @import)
(namespace_use_declaration
  (namespace_name) @module
  body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name)] @item alias: (name)? @alias) @import))

[
  (include_expression [
    (string) @module
    (encapsed_string) @module
    (_ right: (string) @module)
    (parenthesized_expression [(string) @module (encapsed_string) @module (_ right: (string) @module)])])
  (include_once_expression [
    (string) @module
    (encapsed_string) @module
    (_ right: (string) @module)
    (parenthesized_expression [(string) @module (encapsed_string) @module (_ right: (string) @module)])])
  (require_expression [
    (string) @module
    (encapsed_string) @module
    (_ right: (string) @module)
    (parenthesized_expression [(string) @module (encapsed_string) @module (_ right: (string) @module)])])
  (require_once_expression [
    (string) @module
    (encapsed_string) @module
    (_ right: (string) @module)
    (parenthesized_expression [(string) @module (encapsed_string) @module (_ right: (string) @module)])])
] @import
