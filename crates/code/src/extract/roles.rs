//! Which nodes of a grammar matter, by number: most nodes of a tree are passed over without a look at their names.

use crate::language::{Language, TABLE};
use std::sync::OnceLock;

/// What a node is to the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing.
    None,
    /// It declares something, or may.
    Declares,
    /// It calls something.
    Calls,
    /// It imports names.
    Imports,
    /// It says the type of a value.
    Types,
    /// It declares something and says a type.
    DeclaresAndTypes,
}

/// The roles of a language, by the number of a node's kind.
pub(super) fn of(language: Language) -> &'static [Role] {
    static ROLES: [OnceLock<Vec<Role>>; 19] = [const { OnceLock::new() }; 19];
    const { assert!(TABLE.len() == 19) };
    match ROLES.get(language as usize) {
        Some(cell) => cell.get_or_init(|| build(language)),
        None => &[],
    }
}

fn build(language: Language) -> Vec<Role> {
    let Some(grammar) = language.grammar() else { return Vec::new() };
    let mut roles = vec![Role::None; grammar.node_kind_count()];
    let kinds = node_kinds(language);
    let mut set = |kinds: &[&str], role: Role| {
        for kind in kinds {
            let id = grammar.id_for_node_kind(kind, true) as usize;
            if let Some(place) = roles.get_mut(id).filter(|_| id != 0) {
                *place = match (*place, role) {
                    (Role::Declares, Role::Types) => Role::DeclaresAndTypes,
                    _ => role,
                };
            }
        }
    };
    set(kinds.declares, Role::Declares);
    set(kinds.calls, Role::Calls);
    set(kinds.imports, Role::Imports);
    set(kinds.types, Role::Types);
    roles
}

/// The kinds of nodes that matter, by what they do.
struct NodeKinds {
    declares: &'static [&'static str],
    calls: &'static [&'static str],
    imports: &'static [&'static str],
    types: &'static [&'static str],
}

const fn node_kinds(language: Language) -> &'static NodeKinds {
    match language {
        Language::Python => &PYTHON,
        Language::TypeScript | Language::Tsx | Language::JavaScript => &SCRIPT,
        Language::Rust => &RUST,
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::C | Language::Cpp => &C,
        Language::CSharp => &C_SHARP,
        Language::Ruby => &RUBY,
        Language::Php => &PHP,
        Language::Bash => &BASH,
        Language::Lua => &LUA,
        Language::Kotlin | Language::Swift | Language::Scala | Language::Elixir | Language::Zig => &NO_TREE,
    }
}

const PYTHON: NodeKinds = NodeKinds {
    declares: &["function_definition", "class_definition", "assignment", "type_alias_statement"],
    calls: &["call", "decorator"],
    imports: &["import_statement", "import_from_statement"],
    types: &["typed_parameter", "typed_default_parameter", "assignment"],
};

const SCRIPT: NodeKinds = NodeKinds {
    declares: &[
        "function_declaration",
        "generator_function_declaration",
        "function_signature",
        "class_declaration",
        "abstract_class_declaration",
        "method_definition",
        "method_signature",
        "abstract_method_signature",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "internal_module",
        "module",
        "variable_declarator",
        "public_field_definition",
        "field_definition",
        "pair",
        "assignment_expression",
        "export_statement",
    ],
    calls: &[
        "call_expression", "new_expression", "jsx_self_closing_element", "jsx_opening_element", "decorator",
    ],
    imports: &["import_statement"],
    types: &[
        "required_parameter", "optional_parameter", "variable_declarator", "public_field_definition",
        "field_definition", "assignment_expression",
    ],
};

const RUST: NodeKinds = NodeKinds {
    declares: &[
        "function_item", "function_signature_item", "struct_item", "enum_item", "union_item", "trait_item",
        "impl_item", "mod_item", "const_item", "static_item", "type_item", "associated_type",
        "macro_definition",
    ],
    calls: &["call_expression", "macro_invocation", "token_tree"],
    imports: &["use_declaration"],
    types: &["parameter", "let_declaration", "field_declaration"],
};

const GO: NodeKinds = NodeKinds {
    declares: &[
        "function_declaration", "method_declaration", "type_spec", "type_alias", "const_spec", "var_spec",
        "method_elem",
    ],
    calls: &["call_expression"],
    imports: &["import_spec"],
    types: &["parameter_declaration", "short_var_declaration", "var_spec", "field_declaration"],
};

const JAVA: NodeKinds = NodeKinds {
    declares: &[
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "field_declaration",
        "constant_declaration",
    ],
    calls: &["method_invocation", "object_creation_expression"],
    imports: &["import_declaration"],
    types: &["formal_parameter", "local_variable_declaration", "field_declaration"],
};

const C: NodeKinds = NodeKinds {
    declares: &[
        "function_definition", "declaration", "field_declaration", "struct_specifier", "union_specifier",
        "enum_specifier", "class_specifier", "type_definition", "alias_declaration", "concept_definition",
        "namespace_definition", "preproc_def", "preproc_function_def",
    ],
    calls: &["call_expression", "new_expression", "preproc_arg"],
    imports: &["preproc_include"],
    types: &["parameter_declaration", "declaration", "field_declaration"],
};

const C_SHARP: NodeKinds = NodeKinds {
    declares: &[
        "class_declaration",
        "interface_declaration",
        "struct_declaration",
        "record_declaration",
        "enum_declaration",
        "delegate_declaration",
        "method_declaration",
        "constructor_declaration",
        "destructor_declaration",
        "property_declaration",
        "operator_declaration",
        "conversion_operator_declaration",
        "indexer_declaration",
        "local_function_statement",
        "namespace_declaration",
        "file_scoped_namespace_declaration",
        "field_declaration",
    ],
    calls: &["invocation_expression", "object_creation_expression"],
    imports: &["using_directive"],
    types: &["parameter", "variable_declaration", "property_declaration"],
};

const RUBY: NodeKinds = NodeKinds {
    declares: &["method", "singleton_method", "class", "module", "assignment"],
    calls: &["call", "identifier"],
    imports: &[],
    types: &["assignment"],
};

const PHP: NodeKinds = NodeKinds {
    declares: &[
        "function_definition", "method_declaration", "class_declaration", "interface_declaration",
        "trait_declaration", "enum_declaration", "namespace_definition", "const_element",
    ],
    calls: &[
        "function_call_expression",
        "member_call_expression",
        "nullsafe_member_call_expression",
        "scoped_call_expression",
        "object_creation_expression",
    ],
    imports: &["namespace_use_clause"],
    types: &[
        "simple_parameter", "property_promotion_parameter", "assignment_expression", "property_declaration",
    ],
};

const BASH: NodeKinds =
    NodeKinds { declares: &["function_definition"], calls: &["command"], imports: &[], types: &[] };

const LUA: NodeKinds = NodeKinds {
    declares: &["function_declaration", "assignment_statement", "field"],
    calls: &["function_call"],
    imports: &[],
    types: &[],
};

const NO_TREE: NodeKinds = NodeKinds { declares: &[], calls: &[], imports: &[], types: &[] };
