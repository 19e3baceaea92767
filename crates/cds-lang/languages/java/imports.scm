(import_declaration (identifier) @module . ";") @import
(import_declaration (scoped_identifier scope: (_) @module name: (identifier) @item) . ";") @import
(import_declaration [(identifier) (scoped_identifier)] @module (asterisk) @wildcard) @import
(requires_module_directive module: (_) @module) @import
