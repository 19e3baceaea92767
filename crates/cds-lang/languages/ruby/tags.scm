(comment) @comment

; `private def x`, and Sorbet's `sig { … }`, stand in front of a definition like decorators.
(call !receiver method: (identifier) @decorator arguments: (argument_list . [(method) (singleton_method)]))
((call !receiver method: (identifier) @_sig block: (_)) @decorator (#eq? @_sig "sig"))

; Definitions

(class name: (constant) @name) @definition.class
(class name: (scope_resolution scope: (_)? @scope name: (constant) @name)) @definition.class
(class !body name: [(constant) @name (scope_resolution name: (constant) @name)] "end" @body) @definition.class
(module name: (constant) @name) @definition.module
(module name: (scope_resolution scope: (_)? @scope name: (constant) @name)) @definition.module
(module !body name: [(constant) @name (scope_resolution name: (constant) @name)] "end" @body) @definition.module

[(method name: (_) @name) (singleton_method name: (_) @name)] @definition.function
[(method !body name: (_) @name "end" @body) (singleton_method !body name: (_) @name "end" @body)] @definition.function
(singleton_method object: (constant) @scope name: (_) @name) @definition.function
(alias name: (identifier) @name) @definition.function

; Heads of definitions whose end the parser does not find.
(ERROR "class" . (constant) @name @definition.class)
(ERROR "module" . (constant) @name @definition.module)
(ERROR "def" . (identifier) @name @definition.function)

; Visibility: `private def x`, or a line `private` that holds for what follows.
((call !receiver method: (identifier) @modifier
    arguments: (argument_list . [(method name: (_) @name) (singleton_method name: (_) @name)] @definition.function))
  (#any-of? @modifier "private" "protected" "public" "private_class_method" "module_function"))
([(class body: (body_statement (identifier) @modifier (method name: (_) @name) @definition.function))
  (module body: (body_statement (identifier) @modifier (method name: (_) @name) @definition.function))
  (singleton_class body: (body_statement (identifier) @modifier (method name: (_) @name) @definition.function))]
  (#any-of? @modifier "private" "protected" "module_function"))

; Constants; a constant may hold a class, a module or a lambda.
(assignment left: (constant) @name) @definition.constant
(assignment left: (scope_resolution scope: (_)? @scope name: (constant) @name)) @definition.constant
(operator_assignment left: (constant) @name) @definition.constant
(assignment left: (constant) @name right: (lambda parameters: (_)? @parameters body: (_) @body)) @definition.function
((assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)) @definition.class
  (#eq? @_maker "Class") (#eq? @_new "new"))
((assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)) @definition.module
  (#eq? @_maker "Module") (#eq? @_new "new"))
((assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)) @definition.struct
  (#any-of? @_maker "Struct" "Data" "OpenStruct") (#any-of? @_new "new" "define"))

; Refinements
((call !receiver method: (identifier) @_how
    arguments: (argument_list . [(constant) (scope_resolution)] @name) block: (_) @body) @definition.extension
  (#eq? @_how "refine"))

; Blocks of RSpec, Minitest::Spec, Rails and Shoulda
((call method: (identifier) @_how
    arguments: (argument_list . [(string) (constant) (scope_resolution) (simple_symbol)] @name)
    block: (_) @body) @definition.test
  (#any-of? @_how "describe" "context" "it" "specify" "example" "feature" "scenario" "test" "should" "shared_examples"
    "shared_examples_for" "shared_context" "fdescribe" "xdescribe" "fcontext" "xcontext" "fit" "xit" "fspecify" "xspecify"))

; Names given as symbols
((call !receiver method: (identifier) @_how arguments: (argument_list (simple_symbol) @name @definition.property))
  (#any-of? @_how "attr_accessor" "attr_reader" "attr_writer" "attr" "cattr_accessor" "cattr_reader" "mattr_accessor"
    "mattr_reader" "class_attribute" "thread_mattr_accessor"))
((call method: (identifier) @_how arguments: (argument_list . (simple_symbol) @name)) @definition.function
  (#any-of? @_how "define_method" "define_singleton_method" "alias_method" "scope"))
((call method: (identifier) @_how
    arguments: (argument_list . (simple_symbol) @name)
    block: [(do_block parameters: (_)? @parameters) (block parameters: (_)? @parameters)] @body) @definition.function
  (#any-of? @_how "define_method" "define_singleton_method"))

; Rake
((call !receiver method: (identifier) @_how
    arguments: (argument_list . [
      (simple_symbol) @name
      (string) @name
      (pair key: [(simple_symbol) (hash_key_symbol) (string)] @name)])
    block: (_) @body) @definition.function
  (#eq? @_how "task"))

; Calls. A constructor call has the name of its class.

((call !receiver method: [(identifier) (constant)] @reference.call)
  (#not-any-of? @reference.call "require" "require_relative" "load" "autoload" "include" "extend" "prepend" "private" "protected"
    "public" "private_class_method" "module_function" "private_constant" "attr_accessor" "attr_reader" "attr_writer" "alias_method"
    "define_method" "define_singleton_method" "scope" "sig" "raise" "puts" "p" "print" "lambda" "proc" "loop" "task" "desc"
    "describe" "context" "it" "specify" "example" "feature" "scenario" "test" "should" "shared_examples" "shared_examples_for"
    "shared_context" "fdescribe" "xdescribe" "fcontext" "xcontext" "fit" "xit" "refine"))
((call receiver: (_) @receiver method: [(identifier) (constant)] @reference.call)
  (#not-any-of? @reference.call "new" "define" "class" "nil?" "freeze"))
((call receiver: [
      (constant) @reference.call
      (scope_resolution scope: (_)? @receiver name: (constant) @reference.call)]
    method: (identifier) @_new)
  (#eq? @_new "new") (#not-any-of? @reference.call "Class" "Module" "Struct"))
; A lone word that is not the last of a body is a call: as a variable it would do nothing.
((body_statement (identifier) @reference.call . (_))
  (#not-any-of? @reference.call "private" "protected" "public" "module_function" "raise"))

; Bases

(superclass [
  (constant) @reference.base
  (scope_resolution scope: (_)? @receiver name: (constant) @reference.base)
  (call receiver: (constant) @reference.base)])
((call !receiver method: (identifier) @_how arguments: (argument_list [
    (constant) @reference.base
    (scope_resolution scope: (_)? @receiver name: (constant) @reference.base)]))
  (#any-of? @_how "include" "extend" "prepend"))
((assignment left: (constant) right: (call receiver: (constant) @_maker arguments: (argument_list . [
    (constant) @reference.base
    (scope_resolution scope: (_)? @receiver name: (constant) @reference.base)])))
  (#eq? @_maker "Class"))

; Types

(exceptions [
  (constant) @reference.type
  (scope_resolution scope: (_)? @receiver name: (constant) @reference.type)])
(when pattern: (pattern [
  (constant) @reference.type
  (scope_resolution scope: (_)? @receiver name: (constant) @reference.type)]))
(in_clause pattern: [
  (constant) @reference.type
  (scope_resolution scope: (_)? @receiver name: (constant) @reference.type)])
([(hash_pattern class: (constant) @reference.type) (array_pattern class: (constant) @reference.type)
  (as_pattern value: (constant) @reference.type) (keyword_pattern value: (constant) @reference.type)])
((call method: (identifier) @_how arguments: (argument_list . [
    (constant) @reference.type
    (scope_resolution scope: (_)? @receiver name: (constant) @reference.type)]))
  (#any-of? @_how "raise" "fail" "is_a?" "kind_of?" "instance_of?" "rescue_from" "raise_error" "assert_raises" "describe" "refine"
    "instance_double" "class_double"))
