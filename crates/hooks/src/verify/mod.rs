//! Is it right: hooks that have a project's own compilers and linters run. The mechanism under them is `sprag-checks`.

pub mod build_sensor;
pub mod compiler_in_the_loop;
pub mod import_validator;
pub mod stop_verify;
pub mod typescript_preflight;
