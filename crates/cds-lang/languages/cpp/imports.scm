(preproc_include path: (_) @module) @import
(using_declaration "namespace" @wildcard [(identifier) (qualified_identifier)] @module) @import
(using_declaration (_ scope: (_) @module name: [
  (identifier) @item
  (_ scope: (_) @module name: (identifier) @item)
]) (#not-match? @import "^using\\s+namespace\\s")) @import
(namespace_alias_definition
  name: (namespace_identifier) @alias
  [(namespace_identifier) (nested_namespace_specifier)] @module .) @import
