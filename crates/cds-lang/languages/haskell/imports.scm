(import module: (module) @module !names) @import
(import module: (module) @module alias: (module) @alias) @import
((import module: (module) @module names: (import_list (import_name [
    (variable) @item
    (name) @item
    (prefix_id (_) @item)]))) @import
  (#not-match? @import "\\shiding\\s*\\("))
((import module: (module) @module names: (import_list)) @import
  (#match? @import "\\shiding\\s*\\(|\\(\\s*\\)$"))
