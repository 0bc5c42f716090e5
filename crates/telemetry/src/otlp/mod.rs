//! The OpenTelemetry protocol over HTTP, as far as it is used here: spans, sums and histograms; as protobuf and as JSON. Field
//! numbers and names are those of opentelemetry-proto 1.x; the tests read both back with its own types.

mod json;
mod proto;

pub(crate) use json::{metrics as json_metrics, traces as json_traces};
pub(crate) use proto::{metrics as proto_metrics, traces as proto_traces};

/// Attributes, in their order.
pub(crate) type Attributes = Vec<(&'static str, String)>;

/// A text attribute.
pub(crate) fn text(name: &'static str, value: impl Into<String>) -> (&'static str, String) {
    (name, value.into())
}

/// Who sends: the attributes of the resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Resource {
    pub(crate) attributes: Vec<(String, String)>,
}

/// The name and version of the instrumentation.
pub(crate) const SCOPE: (&str, &str) = ("sprag", env!("CARGO_PKG_VERSION"));

/// A span. Times are nanoseconds since 1970.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) trace: [u8; 16],
    pub(crate) id: [u8; 8],
    pub(crate) parent: Option<[u8; 8]>,
    pub(crate) name: String,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) attributes: Attributes,
    /// It failed.
    pub(crate) error: bool,
}

/// A point of a sum.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SumPoint {
    pub(crate) attributes: Attributes,
    pub(crate) value: u64,
}

/// A point of a histogram; bounds and sum in seconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HistogramPoint {
    pub(crate) attributes: Attributes,
    pub(crate) count: u64,
    pub(crate) sum: f64,
    pub(crate) buckets: Vec<u64>,
    pub(crate) bounds: Vec<f64>,
}

/// What a metric holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Points {
    /// Counters, cumulative and monotonic.
    Sum(Vec<SumPoint>),
    /// Histograms, cumulative.
    Histogram(Vec<HistogramPoint>),
}

/// A metric.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) points: Points,
}

/// Metrics of one time: from when on they were counted, and now, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) start: u64,
    pub(crate) now: u64,
    pub(crate) metrics: Vec<Metric>,
}

/// A span inside of one process.
const KIND_INTERNAL: u64 = 1;
/// The status of a span that failed.
const STATUS_ERROR: u64 = 2;
/// Points are those since the start, not since the last time.
const CUMULATIVE: u64 = 2;
