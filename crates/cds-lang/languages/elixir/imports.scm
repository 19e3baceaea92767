((call . (identifier) @_import . (arguments . [(alias) (dot (alias) .)] @module)) @import
  (#any-of? @_import "alias" "import" "require" "use"))
((call
    . (identifier) @_import
    . (arguments . [(alias) (dot (alias) .)] @module (keywords (pair (keyword) @_as . (alias) @alias)))) @import
  (#any-of? @_import "alias" "require") (#match? @_as "^as:"))
((call . (identifier) @_import . (arguments . (dot . (_) @module (tuple (alias) @item)))) @import
  (#any-of? @_import "alias" "import" "require" "use"))
