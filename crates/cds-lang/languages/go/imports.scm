(import_spec !name path: (_) @module) @import
(import_spec name: [(package_identifier) (blank_identifier)] @alias path: (_) @module) @import
(import_spec name: (dot) @wildcard path: (_) @module) @import
