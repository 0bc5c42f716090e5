//! Typed rows. A struct is decoded by the names of its columns; a missing column or a value of the wrong type is an
//! error that names the column, never a 0 or an empty text.

use crate::error::{Error, Result};
use crate::value::Value;
use std::cell::Cell;

/// The cells of one row, as the database's client holds them. Nothing is copied until a cell is decoded.
pub(crate) trait Cells {
    /// The number of columns.
    fn width(&self) -> usize;
    /// The name of a column.
    fn name(&self, column: usize) -> &str;
    /// The value in a column.
    fn value(&self, column: usize) -> Result<Value>;
}

/// One row of a query.
pub(crate) struct Row<'a> {
    cells: &'a dyn Cells,
    /// The column after the one read last. Structs read columns in the order of the query, so the first try is nearly
    /// always right and a wide row costs one comparison per column.
    next: Cell<usize>,
}

impl<'a> Row<'a> {
    pub(crate) const fn new(cells: &'a dyn Cells) -> Self {
        Self { cells, next: Cell::new(0) }
    }

    /// The value of the column with this name.
    pub(crate) fn get<T: FromValue>(&self, name: &str) -> Result<T> {
        let (width, next) = (self.cells.width(), self.next.get());
        let mut columns = (next..width).chain(0..next.min(width));
        let column = columns
            .find(|column| self.cells.name(*column) == name)
            .ok_or_else(|| wrong(name, T::EXPECTED, "no such column"))?;
        self.next.set(column + 1);
        self.at(column)
    }

    /// The value at a position of the query's column list: no search by name, for scans over many rows.
    pub(crate) fn at<T: FromValue>(&self, column: usize) -> Result<T> {
        if column >= self.cells.width() {
            return Err(wrong(&format!("number {column}"), T::EXPECTED, "no such column"));
        }
        let value = self.cells.value(column)?;
        let found = value.type_name();
        T::from_value(value).ok_or_else(|| wrong(self.cells.name(column), T::EXPECTED, found))
    }
}

/// Decodes a struct from the columns that have the names of its fields.
macro_rules! from_row {
    ($type:ident: $($field:ident),+) => {
        impl $crate::row::FromRow for $type {
            fn from_row(row: &$crate::row::Row<'_>) -> $crate::error::Result<Self> {
                Ok(Self { $($field: row.get(stringify!($field))?),+ })
            }
        }
    };
}
pub(crate) use from_row;

/// The error for a column that cannot be decoded.
pub(crate) fn wrong(column: &str, expected: &'static str, found: &'static str) -> Error {
    Error::Column { column: column.to_owned(), expected, found }
}

/// A type that a column can be decoded into.
pub(crate) trait FromValue: Sized {
    /// What the column must hold, for error messages.
    const EXPECTED: &'static str;
    /// `None` when the value is something else.
    fn from_value(value: Value) -> Option<Self>;
}

impl FromValue for Value {
    const EXPECTED: &'static str = "any value";
    fn from_value(value: Value) -> Option<Self> {
        Some(value)
    }
}

impl FromValue for i64 {
    const EXPECTED: &'static str = "an integer";
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Int(number) = value { Some(number) } else { None }
    }
}

impl FromValue for bool {
    const EXPECTED: &'static str = "0 or 1";
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Int(0) => Some(false),
            Value::Int(1) => Some(true),
            _ => None,
        }
    }
}

impl FromValue for String {
    const EXPECTED: &'static str = "text";
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Text(text) = value { Some(text) } else { None }
    }
}

impl FromValue for Vec<u8> {
    const EXPECTED: &'static str = "bytes";
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Bytes(bytes) = value { Some(bytes) } else { None }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn from_value(value: Value) -> Option<Self> {
        if value == Value::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}

/// A type that a whole row is decoded into.
pub(crate) trait FromRow: Sized {
    fn from_row(row: &Row<'_>) -> Result<Self>;
}

/// A row of one column.
impl<T: FromValue> FromRow for T {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        row.at(0)
    }
}

/// Tuples are decoded by position: for the rows of short queries, and for large scans.
macro_rules! tuple {
    ($($type:ident $column:tt),+) => {
        impl<$($type: FromValue),+> FromRow for ($($type,)+) {
            fn from_row(row: &Row<'_>) -> Result<Self> {
                Ok(($(row.at::<$type>($column)?,)+))
            }
        }
    };
}
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(Vec<(&'static str, Value)>);

    impl Cells for Fixed {
        fn width(&self) -> usize {
            self.0.len()
        }

        fn name(&self, column: usize) -> &str {
            self.0[column].0
        }

        fn value(&self, column: usize) -> Result<Value> {
            Ok(self.0[column].1.clone())
        }
    }

    fn cells() -> Fixed {
        Fixed(vec![
            ("path", Value::Text("a.rs".into())),
            ("lease_until", Value::Int(7)),
            ("ended", Value::Null),
            ("vector", Value::Bytes(vec![1, 2])),
        ])
    }

    #[test]
    fn columns_are_decoded_by_name_in_any_order() {
        let cells = cells();
        let row = Row::new(&cells);
        assert_eq!(row.get::<i64>("lease_until").unwrap(), 7);
        assert_eq!(row.get::<Option<i64>>("ended").unwrap(), None);
        assert_eq!(row.get::<String>("path").unwrap(), "a.rs");
        assert_eq!(row.get::<Option<i64>>("lease_until").unwrap(), Some(7));
        assert_eq!(row.get::<Vec<u8>>("vector").unwrap(), [1, 2]);
        assert_eq!(<(String, i64)>::from_row(&row).unwrap(), ("a.rs".into(), 7));
    }

    #[test]
    fn a_wrong_type_or_a_missing_column_is_an_error_with_its_name() {
        let cells = cells();
        let row = Row::new(&cells);
        for (error, column, found) in [
            (row.get::<i64>("path").unwrap_err(), "path", "text"),
            (row.get::<String>("lease_until").unwrap_err(), "lease_until", "an integer"),
            (row.get::<i64>("ended").unwrap_err(), "ended", "NULL"),
            (row.get::<bool>("lease_until").unwrap_err(), "lease_until", "an integer"),
            (row.get::<i64>("nowhere").unwrap_err(), "nowhere", "no such column"),
            (row.at::<i64>(9).unwrap_err(), "number 9", "no such column"),
        ] {
            let Error::Column { column: named, found: was, .. } = &error else { panic!("{error}") };
            assert_eq!((named.as_str(), *was), (column, found));
            assert!(error.to_string().contains(column) && !error.is_transient(), "{error}");
        }
    }
}
