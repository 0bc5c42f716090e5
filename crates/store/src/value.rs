//! The values that both databases take and return.

/// One value of a statement or a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    /// The name of its type, for error messages.
    pub(crate) const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Int(_) => "an integer",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
        }
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        // PostgreSQL's TEXT cannot hold a zero byte.
        Self::Text(text.replace('\0', "\u{fffd}"))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<Option<i64>> for Value {
    fn from(number: Option<i64>) -> Self {
        number.map_or(Self::Null, Self::Int)
    }
}

impl From<Option<&String>> for Value {
    fn from(text: Option<&String>) -> Self {
        text.map_or(Self::Null, Self::from)
    }
}

/// The parameters of a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::value::Value::from($value)),*] };
}
pub(crate) use values;
