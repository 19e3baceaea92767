(import module: (module) @module !names) @import
(import module: (module) @module alias: (module) @alias) @import
((import module: (module) @module names: (_ (_ [
    (variable) @item
    (name) @item
    operator: (_ (_) @item)]))) @import
  (#not-match? @import "\\shiding\\s*\\("))
((import module: (module) @module names: (import_list)) @import
  (#match? @import "\\shiding\\s*\\(|\\(\\s*\\)$"))
; Unless it is qualified, an import without a list takes everything.
((import "import" @wildcard module: (module) @module !names) @import (#not-match? @import "\\squalified\\b"))
((import "import" @wildcard module: (module) @module names: (import_list)) @import
  (#match? @import "\\shiding\\s*\\(") (#not-match? @import "\\squalified\\b"))
