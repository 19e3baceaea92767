((call !receiver method: (identifier) @_how arguments: (argument_list . (string) @module .)) @import
  (#any-of? @_how "require" "require_relative" "load" "import" "require_dependency"))
((call method: (identifier) @_how arguments: (argument_list . (simple_symbol) @item . (string) @module .)) @import
  (#eq? @_how "autoload"))
((call !receiver method: (identifier) @_how arguments: (argument_list . (simple_symbol) @module .)) @import
  (#eq? @_how "autoload"))
