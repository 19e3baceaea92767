//! How a language's names find each other across files: the `[link]` part of a language's data.

use serde::Deserialize;

/// Rules of one language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkRules {
    /// How imports name files.
    pub modules: ModuleRule,
    /// Who sees a file's outermost names without an import.
    pub shared: Shared,
    /// Whether names of the packages around a package are seen in it too: `App` in `App.Models`.
    pub outer_packages: bool,
    /// Names of the object a method is called on: `self`, `this`.
    pub this: Vec<String>,
    /// Names of its type inside a method: `cls`, `Self`.
    pub this_type: Vec<String>,
    /// Names of what its bases say: `super`, `super()`.
    pub base: Vec<String>,
    /// Whether members of a type are called inside it without `this`.
    pub bare_members: bool,
    /// Whether a bare name that no scope and no import explains may be any function of the tree.
    pub globals: bool,
    /// Folders that hold packages but are no part of their names.
    pub roots: Vec<String>,
    /// Types that stand for the one they hold: `Optional`, `Promise`.
    pub wrappers: Vec<String>,
    /// Methods whose call gives a new object of the type they are called on: `new`, `default`.
    pub makers: Vec<String>,
    /// Methods whose call gives what they are called on, as far as its type goes: `clone`, `unwrap`.
    pub keepers: Vec<String>,
    /// Whether a function with several results in brackets gives the first to the first name: `(*Foo, error)`.
    pub first_result: bool,
    /// Types that hold one of another and have methods of their own: `Option`, `Mutex`.
    pub holders: Vec<String>,
    /// Their methods, besides `keepers`: never those of what they hold.
    pub holder_methods: Vec<String>,
    /// Types inside a type whose members are its own: `companion`.
    pub companions: Vec<String>,
    /// Whether a field and a method of one name are told apart by the call.
    pub fields_apart: bool,
    /// Whether a variable and a function of one name are: a variable hides no function.
    pub variables_apart: bool,
    /// Functions and types that are always there: never an entity of the tree unless a scope or import says so.
    pub builtins: Vec<String>,
    /// Kinds whose entities of one qualified name are one thing, wherever they stand: namespaces, Ruby's classes.
    pub open: Vec<String>,
    /// Whether variables are tables that functions are put into, and a file is the one it returns: `function M.run()`.
    pub tables: bool,
    /// Whether names with a capital are modules or types, so that one which is not found is from outside the tree.
    pub capitals: bool,
    /// Whether functions of one name in one scope are clauses of one: the first stands for all.
    pub clauses: bool,
    /// Kinds whose members are names of the scope around as well: classes of Haskell.
    pub lifted: Vec<String>,
    /// Whether a module that is taken without a name only goes before its names, unless all of them are taken.
    pub qualified: bool,
    /// The variable that lists which names of a module an import of everything takes: `__all__`.
    pub wildcard_list: Option<String>,
    /// Beginnings of names that such an import leaves out where the module has no list.
    pub wildcard_hidden_prefixes: Vec<String>,
    /// Modifiers that keep what is outside of types to its own file, and to files that include it: `static`.
    pub file_modifiers: Vec<String>,
    /// Which entities of other files a call may mean when only its name is known.
    pub reach: ReachRules,
    /// Languages whose entities this one may use as its own.
    pub family: Option<String>,
}

/// From where an entity is visible to a call that is resolved by its name alone. Calls that scopes, imports or types resolve do not ask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReachRules {
    /// Modifiers that keep an entity, and all in it, to its own file: `private`.
    pub file_modifiers: Vec<String>,
    /// Prefixes of names that do the same: `#name`.
    pub file_prefixes: Vec<String>,
    /// Modifiers that only allow calls on the object itself: `private` in Ruby.
    pub self_modifiers: Vec<String>,
    /// Modifiers, up to a bracket, that make an entity visible everywhere: `public`, `pub(crate)`.
    pub modifiers: Vec<String>,
    /// Kinds whose members are visible everywhere: `interface`. Members of a block that names a base, `impl Trait for Type`, are too.
    pub open_parents: Vec<String>,
    /// Whether names that begin with a capital are visible everywhere.
    pub capitalised: bool,
    /// Whether an outermost function of a file that exports anything is visible elsewhere only if it is exported.
    pub exported: bool,
    /// How far an entity without any of these is visible.
    pub default: Reach,
    /// The same for a member of a type, where that differs.
    pub member_default: Option<Reach>,
}

/// The files in which an entity is visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// All files.
    #[default]
    Tree,
    /// Files that share outermost names with its own: see [`Shared`].
    Group,
    /// Its own file and those of the modules below it: `a/b.rs` and `a/b/c.rs`.
    Below,
    /// Its own file.
    File,
}

/// How imports name files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleRule {
    /// They do not, or nothing is known of it.
    #[default]
    None,
    /// Dotted names are folders and files; dots in front are relative.
    Python,
    /// Relative paths with the extension left out, aliases of a configuration, packages of a workspace.
    Ecma,
    /// `a.b.C`: a package that files declare, and a name in it.
    Package,
    /// `crate::a::b`: modules of files and folders, crates of a workspace.
    Rust,
    /// Folders under the module's path.
    Go,
    /// Paths of headers.
    Include,
    /// Paths of files, from the file or a root, with or without extension.
    Path,
}

/// Who sees a file's outermost names without an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shared {
    /// Nobody.
    #[default]
    File,
    /// Files of the same folder.
    Folder,
    /// Files that declare the same package.
    Package,
    /// Everybody.
    Tree,
}
