//! The values that go into and come out of both databases.

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// One row.
pub(crate) type Row = Vec<Value>;

impl Value {
    pub(crate) fn int(&self) -> i64 {
        match self {
            Self::Int(number) => *number,
            _ => 0,
        }
    }

    pub(crate) fn optional(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            _ => String::new(),
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
        // PostgreSQL's text has no zero byte, and nothing of ours needs one.
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

/// The value in a column; a column that is not there is null.
pub(crate) fn at(row: &Row, column: usize) -> &Value {
    row.get(column).unwrap_or(&Value::Null)
}

/// A list of values of different kinds.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::value::Value::from($value)),*] };
}
pub(crate) use values;
