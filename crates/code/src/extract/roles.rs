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
    /// It brings names in.
    Imports,
    /// It says the type of a value.
    Types,
    /// It declares something and says a type.
    DeclaresAndTypes,
}

/// The roles of a language, by the number of a node's kind.
pub(super) fn of(language: Language) -> &'static [Role] {
    static ROLES: [OnceLock<Vec<Role>>; 13] = [const { OnceLock::new() }; 13];
    const { assert!(TABLE.len() == 13) };
    match ROLES.get(language as usize) {
        Some(cell) => cell.get_or_init(|| build(language)),
        None => &[],
    }
}

fn build(language: Language) -> Vec<Role> {
    let grammar = language.grammar();
    let mut roles = vec![Role::None; grammar.node_kind_count()];
    let (declares, calls, imports, types) = kinds(language);
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
    set(declares, Role::Declares);
    set(calls, Role::Calls);
    set(imports, Role::Imports);
    set(types, Role::Types);
    roles
}

type Kinds = &'static [&'static str];

/// Declarations, calls, imports, types.
fn kinds(language: Language) -> (Kinds, Kinds, Kinds, Kinds) {
    match language {
        Language::Python => (
            &["function_definition", "class_definition", "assignment", "type_alias_statement"],
            &["call", "decorator"],
            &["import_statement", "import_from_statement"],
            &["typed_parameter", "typed_default_parameter", "assignment"],
        ),
        Language::TypeScript | Language::Tsx | Language::JavaScript => (
            &[
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
            &["call_expression", "new_expression", "jsx_self_closing_element", "jsx_opening_element"],
            &["import_statement"],
            &[
                "required_parameter",
                "optional_parameter",
                "variable_declarator",
                "public_field_definition",
                "field_definition",
                "assignment_expression",
            ],
        ),
        Language::Rust => (
            &[
                "function_item",
                "function_signature_item",
                "struct_item",
                "enum_item",
                "union_item",
                "trait_item",
                "impl_item",
                "mod_item",
                "const_item",
                "static_item",
                "type_item",
                "associated_type",
                "macro_definition",
            ],
            &["call_expression", "macro_invocation"],
            &["use_declaration"],
            &["parameter", "let_declaration", "field_declaration"],
        ),
        Language::Go => (
            &[
                "function_declaration",
                "method_declaration",
                "type_spec",
                "type_alias",
                "const_spec",
                "var_spec",
                "method_elem",
            ],
            &["call_expression"],
            &["import_spec"],
            &["parameter_declaration", "short_var_declaration", "var_spec", "field_declaration"],
        ),
        Language::Java => (
            &[
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
            &["method_invocation", "object_creation_expression"],
            &["import_declaration"],
            &["formal_parameter", "local_variable_declaration", "field_declaration"],
        ),
        Language::C | Language::Cpp => (
            &[
                "function_definition",
                "declaration",
                "field_declaration",
                "struct_specifier",
                "union_specifier",
                "enum_specifier",
                "class_specifier",
                "type_definition",
                "alias_declaration",
                "concept_definition",
                "namespace_definition",
                "preproc_def",
                "preproc_function_def",
            ],
            &["call_expression", "new_expression"],
            &["preproc_include"],
            &["parameter_declaration", "declaration", "field_declaration"],
        ),
        Language::CSharp => (
            &[
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
            &["invocation_expression", "object_creation_expression"],
            &["using_directive"],
            &["parameter", "variable_declaration", "property_declaration"],
        ),
        Language::Ruby => (
            &["method", "singleton_method", "class", "module", "assignment"],
            &["call", "identifier"],
            &[],
            &["assignment"],
        ),
        Language::Php => (
            &[
                "function_definition",
                "method_declaration",
                "class_declaration",
                "interface_declaration",
                "trait_declaration",
                "enum_declaration",
                "namespace_definition",
                "const_element",
            ],
            &[
                "function_call_expression",
                "member_call_expression",
                "nullsafe_member_call_expression",
                "scoped_call_expression",
                "object_creation_expression",
            ],
            &["namespace_use_clause"],
            &[
                "simple_parameter",
                "property_promotion_parameter",
                "assignment_expression",
                "property_declaration",
            ],
        ),
        Language::Bash => (&["function_definition"], &["command"], &[], &[]),
    }
}
