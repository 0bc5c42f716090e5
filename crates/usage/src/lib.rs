//! What a session uses: the context of the model, and the limits of the account, as the agents themselves tell them.

pub mod budget;
pub mod context;
pub mod limits;
pub mod price;
pub mod spent;
pub mod tokens;
