//! The encoder against vectors of the reference implementation.

use sprag_encoder::{Encoder, tokens};

struct Golden {
    text: String,
    ids: Vec<u16>,
    vector: Vec<f32>,
}

fn golden() -> Vec<Golden> {
    let all: serde_json::Value = serde_json::from_str(include_str!("golden.json")).unwrap();
    all.as_array()
        .unwrap()
        .iter()
        .map(|one| Golden {
            text: one["text"].as_str().unwrap().to_owned(),
            ids: one["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u16).collect(),
            vector: one["vector"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect(),
        })
        .collect()
}

#[test]
fn token_ids_are_those_of_the_reference() {
    for golden in golden() {
        assert_eq!(tokens(&golden.text), golden.ids, "{:?}", golden.text);
    }
}

#[test]
fn vectors_are_those_of_the_reference() {
    let encoder = Encoder::new().unwrap();
    for golden in golden() {
        let vector = encoder.encode(&golden.text);
        let cosine: f32 = vector.iter().zip(&golden.vector).map(|(a, b)| a * b).sum();
        assert!(cosine >= 0.9999, "{:?}: {cosine}", golden.text);
    }
}
