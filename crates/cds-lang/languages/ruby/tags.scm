; What compiling a query costs is its nodes that have a kind and children, most of all `call`. So below the outermost node of a pattern
; `(_ field: …)` stands wherever its fields tell what it is (scope and name: a scope_resolution), patterns of calls begin at the name
; of the method where they can, and `^name` in the text of a call says that it has no receiver.

(comment) @comment

; Sorbet's `sig { … }` stands in front of a definition like a decorator.
((_ method: (identifier) @_sig . block: (_)) @decorator (#eq? @_sig "sig"))

; What a call says by the name of its method: `private def x` (a decorator and a modifier), attributes, mixins, imports.
; The patterns that begin with the field of a node without a kind cost nothing to compile.
([method: (_) @decorator @modifier] . [
  arguments: (_ . [(method name: (_) @name) (singleton_method name: (_) @name)] @definition.function)
])
([method: (_) @_how] . [arguments: (_ (simple_symbol) @name @definition.property)]
  (#any-of? @_how "attr_accessor" "attr_reader" "attr_writer" "attr" "cattr_accessor" "cattr_reader" "mattr_accessor"
    "mattr_reader" "class_attribute" "thread_mattr_accessor"))
([method: (_) @_how @import] . [
  arguments: (_ . (simple_symbol) @item . (string) @module .)
  arguments: (_ . (simple_symbol) @module .)
] (#eq? @_how "autoload"))
(call !receiver [
  method: (identifier) @_own @reference.call
  method: (constant) @_own @reference.call
  ([method: (identifier) @_mixin] . (_ [(constant) @reference.base (_ scope: (_)? @receiver name: (constant) @reference.base)]))
  ([method: (identifier) @_require @import] . (_ . (string) @module .))
]
  (#not-any-of? @_own "require" "require_relative" "load" "autoload" "include" "extend" "prepend" "private" "protected"
    "public" "private_class_method" "module_function" "private_constant" "attr_accessor" "attr_reader" "attr_writer" "alias_method"
    "define_method" "define_singleton_method" "scope" "sig" "raise" "puts" "p" "print" "lambda" "proc" "loop" "task" "desc"
    "describe" "context" "it" "specify" "example" "feature" "scenario" "test" "should" "shared_examples" "shared_examples_for"
    "shared_context" "fdescribe" "xdescribe" "fcontext" "xcontext" "fit" "xit" "refine")
  (#any-of? @_mixin "include" "extend" "prepend")
  (#any-of? @_require "require" "require_relative" "load" "import" "require_dependency"))

; Definitions

(class name: [(constant) @name (_ scope: (_)? @scope name: (constant) @name)]) @definition.class
(class !body name: [(constant) @name (_ name: (constant) @name)] "end" @body) @definition.class
(module name: [(constant) @name (_ scope: (_)? @scope name: (constant) @name)]) @definition.module
(module !body name: [(constant) @name (_ name: (constant) @name)] "end" @body) @definition.module

[(method name: (_) @name) (singleton_method name: (_) @name)] @definition.function
[(method !body name: (_) @name "end" @body) (singleton_method !body name: (_) @name "end" @body)] @definition.function
(singleton_method object: (_) @scope name: (_) @name (#match? @scope "^[A-Z]\\w*$")) @definition.function
(alias name: (identifier) @name) @definition.function

; Heads of definitions whose end the parser does not find.
(ERROR "class" . (constant) @name @definition.class)
(ERROR "module" . (constant) @name @definition.module)
(ERROR "def" . (identifier) @name @definition.function)

; Visibility: a line `private` that holds for what follows.
([(class body: (_ (identifier) @modifier (method name: (_) @name) @definition.function))
  (module body: (_ (identifier) @modifier (method name: (_) @name) @definition.function))
  (singleton_class body: (_ (identifier) @modifier (method name: (_) @name) @definition.function))]
  (#any-of? @modifier "private" "protected" "module_function"))

; Constants; a constant may hold a class, a module or a lambda.
((assignment left: (_) @name) @definition.constant (#match? @name "^[A-Z]\\w*$"))
(assignment left: (_ scope: (_)? @scope name: (constant) @name)) @definition.constant
((operator_assignment left: (_) @name) @definition.constant (#match? @name "^[A-Z]\\w*$"))
((assignment left: (_) @name right: (_ . "->" parameters: (_)? @parameters body: (_) @body)) @definition.function
  (#match? @name "^[A-Z]\\w*$"))
((assignment left: (_) @name) @definition.class
  (#match? @name "^[A-Z]\\w*$") (#match? @definition.class "^\\w+\\s*=\\s*Class\\.new\\b"))
((assignment left: (_) @name) @definition.module
  (#match? @name "^[A-Z]\\w*$") (#match? @definition.module "^\\w+\\s*=\\s*Module\\.new\\b"))
((assignment left: (_) @name) @definition.struct
  (#match? @name "^[A-Z]\\w*$") (#match? @definition.struct "^\\w+\\s*=\\s*(Struct|Data|OpenStruct)\\.(new|define)\\b"))

; Refinements
((_ method: (identifier) . arguments: (_ . [(constant) (scope_resolution)] @name) . block: (_) @body) @definition.extension
  (#match? @definition.extension "^refine\\b"))

; Blocks of RSpec, Minitest::Spec, Rails and Shoulda
((_ method: (identifier) @_how
    . arguments: (_ . (_) @name)
    . block: (_) @body) @definition.test
  (#match? @name "^([\"':%A-Z]|::)")
  (#any-of? @_how "describe" "context" "it" "specify" "example" "feature" "scenario" "test" "should" "shared_examples"
    "shared_examples_for" "shared_context" "fdescribe" "xdescribe" "fcontext" "xcontext" "fit" "xit" "fspecify" "xspecify"))

; Names given as symbols
((_ method: (identifier) @_how
    . arguments: (_ . (simple_symbol) @name)
    . block: (_ parameters: (_)? @parameters)? @body) @definition.function
  (#any-of? @_how "define_method" "define_singleton_method" "alias_method" "scope"))

; Rake
((_ method: (identifier)
    . arguments: (_ . [(_) @name (_ . key: (_) @name)])
    . block: (_) @body) @definition.function
  (#match? @name "^(:?\\w+[?!]?|\"[^\"]*\"|'[^']*')$")
  (#match? @definition.function "^task[\\s(]+([:\"']|\\w+:)"))

; Calls. A constructor call has the name of its class.

([receiver: (_) @receiver] . [method: (identifier) @reference.call method: (constant) @reference.call]
  (#not-any-of? @reference.call "new" "define" "class" "nil?" "freeze"))
([receiver: (_) @reference.call] . [method: (identifier) @_new]
  (#eq? @_new "new") (#match? @reference.call "^[A-Z]\\w*$") (#not-any-of? @reference.call "Class" "Module" "Struct"))
([receiver: (_ scope: (_)? @receiver name: (constant) @reference.call)] . [method: (identifier) @_new]
  (#eq? @_new "new"))
; A lone word that is not the last of a body is a call: as a variable it would do nothing.
((body_statement (identifier) @reference.call . (_))
  (#not-any-of? @reference.call "private" "protected" "public" "module_function" "raise"))

; Bases

(superclass [
  (constant) @reference.base
  (_ scope: (_)? @receiver name: (constant) @reference.base)
  (_ . receiver: (constant) @reference.base)])
([left: (_) @_left] . [right: (_ . receiver: (constant) @_maker . method: (_) . arguments: (_ . [
    (constant) @reference.base
    (_ scope: (_)? @receiver name: (constant) @reference.base)]))]
  (#match? @_left "^[A-Z]\\w*$") (#eq? @_maker "Class"))

; Types

(exceptions [
  (constant) @reference.type
  (_ scope: (_)? @receiver name: (constant) @reference.type)])
(when pattern: (_ [
  (constant) @reference.type
  (_ scope: (_)? @receiver name: (constant) @reference.type)]))
(in_clause pattern: [
  (constant) @reference.type
  (_ scope: (_)? @receiver name: (constant) @reference.type)])
class: (constant) @reference.type
([(as_pattern value: (constant) @reference.type) (keyword_pattern value: (constant) @reference.type)])
([method: (_) @_how] . [arguments: (_ . [
    (constant) @reference.type
    (_ scope: (_)? @receiver name: (constant) @reference.type)])]
  (#any-of? @_how "raise" "fail" "is_a?" "kind_of?" "instance_of?" "rescue_from" "raise_error" "assert_raises" "describe" "refine"
    "instance_double" "class_double"))

; Names bound to values: variables, fields, constants, parameters of blocks.

(assignment left: [
  (identifier) @binding
  (constant) @binding
  (instance_variable) @binding.member
] right: (_) @value)
(operator_assignment left: [(identifier) @binding (instance_variable) @binding.member] right: (_) @value)
(left_assignment_list (identifier) @binding)
(block_parameters (identifier) @binding)
(exception_variable (identifier) @binding)
