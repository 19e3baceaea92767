; use a;  use a::b;  use a::b as c;  use a::*;
(use_declaration argument: [
  (identifier) @module
  (crate) @module
  (scoped_identifier path: (_) @module name: (_) @item)
  (scoped_identifier !path name: (_) @module)
  (use_as_clause path: (identifier) @module alias: (_) @alias)
  (use_as_clause path: (crate) @module alias: (_) @alias)
  (use_as_clause path: (self) @module alias: (_) @alias)
  (use_as_clause path: (super) @module alias: (_) @alias)
  (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @item) alias: (_) @alias)
  (use_wildcard [(identifier) (scoped_identifier) (crate) (self) (super)] @module "*" @wildcard)
]) @import

; use a::{self, b, c::d, e as f, g::*};
(use_declaration argument: (scoped_use_list path: (_) @module list: (use_list [
  (identifier) @item
  (scoped_identifier) @item
  (use_as_clause path: [(identifier) (scoped_identifier)] @item alias: (_) @alias)
  (use_wildcard [(identifier) (scoped_identifier)] @item "*" @wildcard)
  (use_wildcard . "*" @wildcard)
]))) @import
(use_declaration argument: (scoped_use_list path: (_) @module list: (use_list [
  (self)
  (use_as_clause path: (self) alias: (_) @alias)
]))) @import

; use {a::b, c as d, e::*};
(use_declaration argument: (use_list [
  (identifier) @module
  (scoped_identifier path: (_) @module name: (_) @item)
  (use_as_clause path: (identifier) @module alias: (_) @alias)
  (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @item) alias: (_) @alias)
  (use_wildcard [(identifier) (scoped_identifier) (crate) (self) (super)] @module "*" @wildcard)
])) @import
(use_declaration argument: (use_list (scoped_use_list path: (_) @module list: (use_list [
  (identifier) @item
  (scoped_identifier) @item
  (use_as_clause path: [(identifier) (scoped_identifier)] @item alias: (_) @alias)
  (use_wildcard [(identifier) (scoped_identifier)] @item "*" @wildcard)
  (use_wildcard . "*" @wildcard)
])))) @import
(use_declaration argument: (use_list (scoped_use_list path: (_) @module list: (use_list [
  (self)
  (use_as_clause path: (self) alias: (_) @alias)
])))) @import

; Groups in groups, two and three levels down.
(use_declaration argument: (scoped_use_list path: (_) @module
  list: (use_list (scoped_use_list path: (_) @module list: (use_list [
    (identifier) @item
    (scoped_identifier) @item
    (use_as_clause path: [(identifier) (scoped_identifier)] @item alias: (_) @alias)
    (use_wildcard [(identifier) (scoped_identifier)] @item "*" @wildcard)
    (use_wildcard . "*" @wildcard)
  ]))))) @import
(use_declaration argument: (scoped_use_list path: (_) @module
  list: (use_list (scoped_use_list path: (_) @module list: (use_list [
    (self)
    (use_as_clause path: (self) alias: (_) @alias)
  ]))))) @import
(use_declaration argument: (scoped_use_list path: (_) @module
  list: (use_list (scoped_use_list path: (_) @module
    list: (use_list (scoped_use_list path: (_) @module list: (use_list [
      (identifier) @item
      (scoped_identifier) @item
      (use_as_clause path: [(identifier) (scoped_identifier)] @item alias: (_) @alias)
      (use_wildcard [(identifier) (scoped_identifier)] @item "*" @wildcard)
      (use_wildcard . "*" @wildcard)
    ]))))))) @import
(use_declaration argument: (scoped_use_list path: (_) @module
  list: (use_list (scoped_use_list path: (_) @module
    list: (use_list (scoped_use_list path: (_) @module list: (use_list [
      (self)
      (use_as_clause path: (self) alias: (_) @alias)
    ]))))))) @import

(extern_crate_declaration name: (identifier) @module !alias) @import
(extern_crate_declaration name: (identifier) @module alias: (identifier) @alias) @import
(mod_item name: (identifier) @module !body) @import
