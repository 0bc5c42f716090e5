//! The model's weights: a safetensors file embedded in the program. Its pages are read from the disk only when a text
//! is encoded.

use crate::Error;
use crate::kernel::Linear;
use serde_json::{Map, Value};
use std::ops::Range;

static FILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/model.safetensors"));

/// The tensors of the model.
pub(crate) struct Weights {
    header: Map<String, Value>,
    data: &'static [u8],
}

impl Weights {
    pub(crate) fn open() -> Result<Self, Error> {
        let (length, rest) = FILE.split_first_chunk::<8>().ok_or(Error::Header)?;
        let length = u64::from_le_bytes(*length) as usize;
        let (header, data) = rest.split_at_checked(length).ok_or(Error::Header)?;
        let header = serde_json::from_slice(header).map_err(|_| Error::Header)?;
        Ok(Self { header, data })
    }

    /// The bytes of a tensor.
    pub(crate) fn bytes(&self, name: &str) -> Result<&'static [u8], Error> {
        let offsets = self.header.get(name).and_then(|tensor| tensor.get("data_offsets"));
        let at = |side: usize| offsets?.get(side)?.as_u64().map(|offset| offset as usize);
        let range: Option<Range<usize>> = at(0).zip(at(1)).map(|(begin, end)| begin..end);
        range.and_then(|range| self.data.get(range)).ok_or_else(|| Error::Tensor(name.to_owned()))
    }

    /// The numbers of a tensor.
    pub(crate) fn floats(&self, name: &str) -> Result<Vec<f32>, Error> {
        Ok(self.bytes(name)?.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect())
    }

    /// A weight matrix with its biases.
    pub(crate) fn linear(&self, name: &str) -> Result<Linear, Error> {
        Ok(Linear {
            numbers: self.bytes(&format!("{name}.weight.q"))?,
            scales: self.floats(&format!("{name}.weight.s"))?,
            biases: self.floats(&format!("{name}.bias"))?,
        })
    }

    /// One row of an embedding table.
    pub(crate) fn row(
        numbers: &'static [u8],
        scales: &'static [u8],
        row: usize,
        size: usize,
    ) -> Option<(&'static [u8], f32)> {
        let scale = scales.as_chunks::<4>().0.get(row)?;
        Some((numbers.chunks_exact(size).nth(row)?, f32::from_le_bytes(*scale)))
    }
}
