(import (qualified_identifier) @module "*" @wildcard) @import
(import (qualified_identifier) @module (identifier) @alias) @import
((import (qualified_identifier) @module) @import (#not-match? @import "[*]"))
