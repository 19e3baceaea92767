(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @item) @import
(import_from_statement module_name: (_) @module
  name: (aliased_import name: (dotted_name) @item alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @wildcard) @import
(future_import_statement "__future__" @module name: (dotted_name) @item) @import

; Names that `import *` takes, as far as they are literal.

(assignment left: (identifier) @_all
  right: [
    (list (string (string_content) @item @export))
    (tuple (string (string_content) @item @export))
    (expression_list (string (string_content) @item @export))
    (binary_operator (list (string (string_content) @item @export)))
  ]
  (#eq? @_all "__all__"))
(augmented_assignment left: (identifier) @_all
  right: [
    (list (string (string_content) @item @export))
    (tuple (string (string_content) @item @export))
  ]
  (#eq? @_all "__all__"))

; There may be others: the list is computed, or changed by a call.

(assignment left: (identifier) @_all right: (_) @wildcard @export
  (#eq? @_all "__all__")
  (#not-match? @wildcard "^([\\s,()\\[\\]]|#[^\\n]*|[rRuU]?(\"[^\"\\n]*\"|'[^'\\n]*'))*$"))
(augmented_assignment left: (identifier) @_all right: (_) @wildcard @export
  (#eq? @_all "__all__")
  (#not-match? @wildcard "^([\\s,()\\[\\]]|#[^\\n]*|[rRuU]?(\"[^\"\\n]*\"|'[^'\\n]*'))*$"))
(call function: (attribute object: (identifier) @_all) @wildcard @export (#eq? @_all "__all__"))
