//! An OpenAI-compatible embedding endpoint in the encoder's place: what the user's configuration says of it, and the
//! texts that go there. What comes back is checked before it is believed.

use super::Error;
use serde_json::{Value, json};
use sprag_config::schema::{EmbedderChoice, RecallSection};
use sprag_encoder::Vector;
use sprag_llm::LlmError;
use sprag_llm::http::Post;
use sprag_scan::scrub::scrub;
use std::time::Duration;

/// The most that an answer may hold: a batch of the longest vectors, as text.
const MAX_ANSWER: u64 = 32 << 20;
/// The most numbers of a vector.
const MAX_DIMENSIONS: usize = 8_192;

/// Where vectors are made.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    url: String,
    asked: String,
    key: Option<String>,
    name: String,
    dimensions: usize,
    timeout: Duration,
}

impl Endpoint {
    /// What a section `[recall]` says; `None` when it says that the encoder in the program is used. `variable` looks a
    /// variable up.
    pub fn of(
        section: &RecallSection<'_>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, Error> {
        if section.embedder != EmbedderChoice::Endpoint {
            return Ok(None);
        }
        let (url, asked) = (section.url.trim().to_owned(), section.model.trim().to_owned());
        let dimensions = section.dimensions;
        if url.is_empty() || asked.is_empty() || !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return Err(Error::Endpoint(format!(
                "[recall] embedder = \"endpoint\" needs url, model and dimensions (1 to {MAX_DIMENSIONS})"
            )));
        }
        let timeout = Duration::from_millis(section.timeout_ms);
        let key = variable(section.key_env).filter(|key| !key.is_empty());
        let name = format!("{asked}/{dimensions}");
        Ok(Some(Self { url, asked, key, name, dimensions, timeout }))
    }

    /// The name that is kept beside every vector: the model and its size.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The longest that a question waits.
    pub(super) const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The vector of a text that somebody waits for. Secrets are taken out of it before it leaves.
    pub(super) fn question(&self, text: &str) -> Result<Vector, Error> {
        let mut vectors = self.ask(&[&scrub(text)], self.timeout)?;
        vectors.pop().ok_or_else(|| Error::Endpoint(format!("{}: no vector in the answer", self.url)))
    }

    /// The vectors of memories, for the background; their secrets were taken out when they were kept.
    pub(super) fn texts(&self, texts: &[&str]) -> Result<Vec<Vector>, Error> {
        self.ask(texts, self.timeout.saturating_mul(30))
    }

    fn ask(&self, texts: &[&str], timeout: Duration) -> Result<Vec<Vector>, Error> {
        let body = json!({ "model": self.asked, "input": texts, "encoding_format": "float" });
        let (url, key) = (self.url.as_str(), self.key.clone());
        let post = Post { section: "recall", url, path: "embeddings", key, timeout, most: MAX_ANSWER };
        let answer = post.send(&body).map_err(|error| {
            Error::Endpoint(match error {
                LlmError::Timeout(_) => format!("{url}: no answer within {} ms", timeout.as_millis()),
                LlmError::Unavailable(text) | LlmError::Failed(text) => text,
                other => other.to_string(),
            })
        })?;
        vectors(&answer, texts.len(), self.dimensions)
            .map_err(|what| Error::Endpoint(format!("{url}, model {}: {what}", self.asked)))
    }
}

/// The vectors of an answer, in the order of the question: as many and as long as were asked for, or none at all.
fn vectors(answer: &Value, count: usize, dimensions: usize) -> Result<Vec<Vector>, String> {
    let data = answer.get("data").and_then(Value::as_array).ok_or("the answer has no vectors")?;
    if data.len() != count {
        return Err(format!("{} vectors for {count} texts", data.len()));
    }
    let mut vectors = vec![None; count];
    for (at, item) in data.iter().enumerate() {
        let at = item.get("index").and_then(Value::as_u64).map_or(at, |index| index as usize);
        let numbers = item.get("embedding").and_then(Value::as_array).ok_or("an entry without a vector")?;
        if numbers.len() != dimensions {
            return Err(format!(
                "its vectors have {} numbers, [recall] dimensions = {dimensions}",
                numbers.len()
            ));
        }
        let numbers: Option<Vec<f32>> = numbers.iter().map(|x| x.as_f64().map(|x| x as f32)).collect();
        let mut numbers = numbers.ok_or("a vector of something else than numbers")?;
        let length = numbers.iter().map(|x| x * x).sum::<f32>().sqrt();
        if !length.is_finite() || length <= 0.0 {
            return Err("a vector without a direction".to_owned());
        }
        numbers.iter_mut().for_each(|x| *x /= length);
        match vectors.get_mut(at) {
            Some(place @ None) => *place = Some(Vector::quantize(&numbers)),
            _ => return Err("vectors for texts that were not asked for".to_owned()),
        }
    }
    vectors.into_iter().collect::<Option<_>>().ok_or_else(|| "a text without a vector".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_in_the_order_of_the_question_and_have_length_one() {
        let answer = json!({"data": [
            {"index": 1, "embedding": [0.0, 2.0]},
            {"index": 0, "embedding": [3, 0]},
        ]});
        let got = vectors(&answer, 2, 2).unwrap();
        assert_eq!(got, [Vector::quantize(&[1.0, 0.0]), Vector::quantize(&[0.0, 1.0])]);
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let one = |embedding: Value| json!({"data": [{"index": 0, "embedding": embedding}]});
        for (answer, why) in [
            (json!(null), "no vectors"),
            (json!({"data": []}), "0 vectors"),
            (one(json!([1.0])), "1 numbers"),
            (one(json!([1.0, "x"])), "something else"),
            (one(json!([0.0, 0.0])), "direction"),
            (one(json!([1e300, 1.0])), "direction"),
            (json!({"data": [{"index": 7, "embedding": [1.0, 0.0]}]}), "not asked for"),
        ] {
            let said = vectors(&answer, 1, 2).unwrap_err();
            assert!(said.contains(why), "{answer}: {said}");
        }
    }
}
