//! The forward pass: BERT with six layers and twelve heads, the mean over all positions, length 1.

use crate::kernel::{Linear, Rows};
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
    kind: Vec<f32>,
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

    fn apply(&self, x: &mut [f32], room: &mut Room) {
        let Room { rows, query, key, value, mixed, wide, head } = room;
        let inputs = rows.round(x, DIMENSIONS);
        self.query.apply(inputs, query);
        self.key.apply(inputs, key);
        self.value.apply(inputs, value);
        attend([query, key, value], mixed, head);
        // The query was used: its room serves for what comes back.
        self.attended.apply(rows.round(mixed, DIMENSIONS), query);
        add(x, query);
        self.attended_norm.apply(x);
        self.up.apply(rows.round(x, DIMENSIONS), wide);
        gelu(wide);
        self.down.apply(rows.round(wide, self.up.biases.len()), query);
        add(x, query);
        self.norm.apply(x);
    }
}

/// What the layers work in, one after the other. In a process that encodes one text, most of an allocator's time is
/// that of the pages it asks the system for.
#[derive(Default)]
struct Room {
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

/// Every position looks at every other, once per head.
fn attend(rows: [&[f32]; 3], out: &mut Vec<f32>, room: &mut [Vec<f32>; 4]) {
    let [all_query, all_key, all_value] = rows;
    let [query, key, value, scores] = room;
    out.clear();
    out.resize(all_query.len(), 0.0);
    scores.clear();
    scores.resize(all_query.len() / DIMENSIONS, 0.0);
    let shrink = 1.0 / (HEAD as f32).sqrt();
    for head in 0..HEADS {
        // Row after row; of each, the part that belongs to the head.
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
    /// Finds the parts of the model. Cheap: what is large is read when a text is encoded.
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
            kind: weights.floats("embeddings.token_type_embeddings.weight")?,
            norm: Norm::read(&weights, "embeddings")?,
            layers: (0..LAYERS).map(|number| Layer::read(&weights, number)).collect::<Result<_, _>>()?,
        })
    }

    /// The vector of a text: [`DIMENSIONS`] numbers, length 1. Of a long text, its first
    /// [`MAX_TOKENS`](crate::MAX_TOKENS) tokens count.
    pub fn encode(&self, text: &str) -> Vec<f32> {
        self.encode_first(text, crate::MAX_TOKENS)
    }

    /// [`Encoder::encode`] of the first tokens alone: the time grows with their number.
    pub fn encode_first(&self, text: &str, most: usize) -> Vec<f32> {
        let mut ids = tokens(text);
        if ids.len() > most.max(2) {
            ids.truncate(most.max(2) - 1);
            ids.push(END);
        }
        let mut x = self.embed(&ids);
        self.norm.apply(&mut x);
        let mut room = Room::default();
        for layer in &self.layers {
            layer.apply(&mut x, &mut room);
        }
        let mut mean = vec![0f32; DIMENSIONS];
        for row in x.chunks_exact(DIMENSIONS) {
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

    fn embed(&self, ids: &[u16]) -> Vec<f32> {
        let mut x = Vec::with_capacity(ids.len() * DIMENSIONS);
        for (position, id) in ids.iter().enumerate() {
            let word = Weights::row(self.words.0, self.words.1, usize::from(*id), DIMENSIONS);
            let place = Weights::row(self.positions.0, self.positions.1, position, DIMENSIONS);
            if let (Some((word, word_scale)), Some((place, place_scale))) = (word, place) {
                x.extend(word.iter().zip(place).zip(&self.kind).map(|((word, place), kind)| {
                    f32::from(*word as i8) * word_scale + f32::from(*place as i8) * place_scale + kind
                }));
            }
        }
        x
    }
}
