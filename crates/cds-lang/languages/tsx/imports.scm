; import x = require("y"), import A = B.C

(import_statement (import_require_clause (identifier) @alias source: (string) @module)) @import
(import_alias (identifier) @alias (nested_identifier) @module) @import
(import_alias . (identifier) @alias (identifier) @module .) @import
