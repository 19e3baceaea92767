((_ target: (identifier) @_import . (_ . [(alias) (_ . left: (_) . "." . right: (alias))] @module)) @import
  (#any-of? @_import "alias" "import" "require" "use"))
((_
    target: (identifier) @_import
    . (_ . [(alias) (_ . left: (_) . "." . right: (alias))] @module (keywords (_ (keyword) @_as . (alias) @alias)))) @import
  (#any-of? @_import "alias" "require") (#match? @_as "^as:"))
((_ target: (identifier) @_import . (_ . (_ . left: (_) @module . "." . right: (tuple (alias) @item)))) @import
  (#any-of? @_import "alias" "import" "require" "use"))
((_ target: (identifier) @_import @wildcard . (_ . [(alias) (_ . left: (_) . "." . right: (alias))] @module)) @import
  (#eq? @_import "import"))
