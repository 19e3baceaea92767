(using_directive "static" @wildcard [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @module . ";") @import
(using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @module . ";") @import
(using_directive name: (identifier) @alias [(identifier) (predefined_type) (tuple_type) (array_type) (pointer_type) (nullable_type)] @module . ";") @import
(using_directive name: (identifier) @alias (generic_name (identifier) @module) . ";") @import
(using_directive name: (identifier) @alias
  (_ qualifier: (_) @module name: [(identifier) @item (_ (identifier) @item)]) . ";") @import
(extern_alias_directive name: (identifier) @module) @import
