//! The forward pass: BERT with six layers and twelve heads, mean pooling, normalized to length 1.

use crate::kernel::{Linear, Rows};
use crate::late::{TokenQuery, pack_tokens};
use crate::math::{dot, gelu, layer_norm, softmax};
use crate::tokens::tokens;
use crate::vocab::END;
use crate::weights::Weights;
use crate::{DIMENSIONS, Error};

const LAYERS: usize = 6;
const HEADS: usize = 12;
const HEAD: usize = DIMENSIONS / HEADS;

/// The sentence encoder.
pub struct Encoder {
    words: (&'static [u8], &'static [u8]),
    positions: (&'static [u8], &'static [u8]),
    token_type: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Norm {
    fn read(weights: &Weights, name: &str) -> Result<Self, Error> {
        let floats = |part: &str| weights.floats(&format!("{name}.LayerNorm.{part}"));
        Ok(Self { weight: floats("weight")?, bias: floats("bias")? })
    }

    fn apply(&self, x: &mut [f32]) {
        layer_norm(x, &self.weight, &self.bias);
    }
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    up: Linear,
    down: Linear,
    norm: Norm,
}

impl Layer {
    fn read(weights: &Weights, number: usize) -> Result<Self, Error> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let linear = |part: &str| weights.linear(&name(part));
        Ok(Self {
            query: linear("attention.self.query")?,
            key: linear("attention.self.key")?,
            value: linear("attention.self.value")?,
            attended: linear("attention.output.dense")?,
            attended_norm: Norm::read(weights, &name("attention.output"))?,
            up: linear("intermediate.dense")?,
            down: linear("output.dense")?,
            norm: Norm::read(weights, &name("output"))?,
        })
    }

    fn apply(&self, x: &mut [f32], buffers: &mut Buffers) {
        let Buffers { rows, query, key, value, mixed, wide, head } = buffers;
        let inputs = rows.quantize(x, DIMENSIONS);
        self.query.apply(inputs, query);
        self.key.apply(inputs, key);
        self.value.apply(inputs, value);
        attend([query, key, value], mixed, head);
        // The query is not needed any more: its buffer takes the result.
        self.attended.apply(rows.quantize(mixed, DIMENSIONS), query);
        add(x, query);
        self.attended_norm.apply(x);
        self.up.apply(rows.quantize(x, DIMENSIONS), wide);
        gelu(wide);
        self.down.apply(rows.quantize(wide, self.up.biases.len()), query);
        add(x, query);
        self.norm.apply(x);
    }
}

/// The buffers that all layers share. In a process that encodes one text, allocation time is mostly page faults.
#[derive(Default)]
struct Buffers {
    rows: Rows,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    mixed: Vec<f32>,
    wide: Vec<f32>,
    head: [Vec<f32>; 4],
}

fn add(x: &mut [f32], y: &[f32]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

/// Self-attention: every position attends to every other, once per head.
fn attend(rows: [&[f32]; 3], out: &mut Vec<f32>, buffers: &mut [Vec<f32>; 4]) {
    let [all_query, all_key, all_value] = rows;
    let [query, key, value, scores] = buffers;
    out.clear();
    out.resize(all_query.len(), 0.0);
    scores.clear();
    scores.resize(all_query.len() / DIMENSIONS, 0.0);
    let shrink = 1.0 / (HEAD as f32).sqrt();
    for head in 0..HEADS {
        // The part of each row that belongs to the head, as contiguous rows.
        for (part, all) in [(&mut *query, all_query), (&mut *key, all_key), (&mut *value, all_value)] {
            part.clear();
            let parts = all.chunks_exact(DIMENSIONS).filter_map(|row| row.chunks_exact(HEAD).nth(head));
            parts.for_each(|numbers| part.extend_from_slice(numbers));
        }
        let outs = out.chunks_exact_mut(DIMENSIONS).filter_map(|row| row.chunks_exact_mut(HEAD).nth(head));
        for (query, out) in query.chunks_exact(HEAD).zip(outs) {
            for (score, key) in scores.iter_mut().zip(key.chunks_exact(HEAD)) {
                *score = dot(query, key) * shrink;
            }
            softmax(scores);
            for (weight, value) in scores.iter().zip(value.chunks_exact(HEAD)) {
                for (out, value) in out.iter_mut().zip(value) {
                    *out += weight * value;
                }
            }
        }
    }
}

impl Encoder {
    /// Locates the tensors of the model. Cheap: the large ones are read when a text is encoded.
    pub fn new() -> Result<Self, Error> {
        let weights = Weights::open()?;
        let table = |name: &str| -> Result<_, Error> {
            Ok((
                weights.bytes(&format!("embeddings.{name}.weight.q"))?,
                weights.bytes(&format!("embeddings.{name}.weight.s"))?,
            ))
        };
        Ok(Self {
            words: table("word_embeddings")?,
            positions: table("position_embeddings")?,
            token_type: weights.floats("embeddings.token_type_embeddings.weight")?,
            norm: Norm::read(&weights, "embeddings")?,
            layers: (0..LAYERS).map(|number| Layer::read(&weights, number)).collect::<Result<_, _>>()?,
        })
    }

    /// The vector of a text: [`DIMENSIONS`] numbers, length 1. Only the first [`MAX_TOKENS`](crate::MAX_TOKENS) tokens
    /// of a long text are used.
    pub fn encode(&self, text: &str) -> Vec<f32> {
        self.encode_first(text, crate::MAX_TOKENS)
    }

    /// [`Encoder::encode`] of the first `limit` tokens only: the time grows with their number.
    pub fn encode_first(&self, text: &str, limit: usize) -> Vec<f32> {
        mean(&self.rows(text, limit).1)
    }

    /// The vector of a text and its packed tokens, which a [`TokenQuery`] is compared with.
    pub fn encode_tokens(&self, text: &str, limit: usize) -> (Vec<f32>, Vec<u8>) {
        let (ids, rows) = self.rows(text, limit);
        (mean(&rows), pack_tokens(&ids, &rows, DIMENSIONS))
    }

    /// The vector of a question and its tokens.
    pub fn encode_question(&self, text: &str, limit: usize) -> (Vec<f32>, TokenQuery) {
        let (ids, rows) = self.rows(text, limit);
        (mean(&rows), TokenQuery::new(&ids, &rows, DIMENSIONS))
    }

    /// The ids of the first tokens and the last layer's row of each.
    fn rows(&self, text: &str, limit: usize) -> (Vec<u16>, Vec<f32>) {
        let mut ids = tokens(text);
        if ids.len() > limit.max(2) {
            ids.truncate(limit.max(2) - 1);
            ids.push(END);
        }
        let mut x = self.embed(&ids);
        self.norm.apply(&mut x);
        let mut buffers = Buffers::default();
        for layer in &self.layers {
            layer.apply(&mut x, &mut buffers);
        }
        (ids, x)
    }

    fn embed(&self, ids: &[u16]) -> Vec<f32> {
        let mut x = Vec::with_capacity(ids.len() * DIMENSIONS);
        for (index, id) in ids.iter().enumerate() {
            let word = Weights::row(self.words.0, self.words.1, usize::from(*id), DIMENSIONS);
            let position = Weights::row(self.positions.0, self.positions.1, index, DIMENSIONS);
            if let (Some((word, word_scale)), Some((position, position_scale))) = (word, position) {
                x.extend(word.iter().zip(position).zip(&self.token_type).map(
                    |((word, position), token_type)| {
                        f32::from(*word as i8) * word_scale
                            + f32::from(*position as i8) * position_scale
                            + token_type
                    },
                ));
            }
        }
        x
    }
}

/// The mean of all rows, of length 1.
fn mean(rows: &[f32]) -> Vec<f32> {
    let mut mean = vec![0f32; DIMENSIONS];
    for row in rows.chunks_exact(DIMENSIONS) {
        add(&mut mean, row);
    }
    let length = dot(&mean, &mean).sqrt();
    if length > 0.0 {
        for x in &mut mean {
            *x /= length;
        }
    }
    mean
}
