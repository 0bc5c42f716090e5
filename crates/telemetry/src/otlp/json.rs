//! The JSON form: names in camel case, ids in hexadecimal, 64-bit numbers as texts.

use super::{
    Attributes, CUMULATIVE, KIND_INTERNAL, Measured, Metric, Points, Resource, SCOPE, STATUS_ERROR, Span,
};
use serde_json::{Value as Json, json};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attributes(attributes: &Attributes) -> Json {
    let pairs =
        attributes.iter().map(|(name, value)| json!({ "key": name, "value": { "stringValue": value } }));
    pairs.collect()
}

fn resource(resource: &Resource) -> Json {
    let pairs = resource.attributes.iter();
    let pairs: Vec<Json> =
        pairs.map(|(name, value)| json!({ "key": name, "value": { "stringValue": value } })).collect();
    json!({ "attributes": pairs })
}

fn scope() -> Json {
    json!({ "name": SCOPE.0, "version": SCOPE.1 })
}

/// An `ExportTraceServiceRequest`.
pub(crate) fn traces(of: &Resource, spans: &[Span]) -> Json {
    let spans: Vec<Json> = spans.iter().map(span).collect();
    json!({ "resourceSpans": [{ "resource": resource(of), "scopeSpans": [{ "scope": scope(), "spans": spans }] }] })
}

fn span(span: &Span) -> Json {
    let status = if span.error { json!({ "code": STATUS_ERROR }) } else { json!({}) };
    json!({
        "traceId": hex(&span.trace),
        "spanId": hex(&span.id),
        "parentSpanId": span.parent.map(|id| hex(&id)).unwrap_or_default(),
        "name": span.name,
        "kind": KIND_INTERNAL,
        "startTimeUnixNano": span.start.to_string(),
        "endTimeUnixNano": span.end.to_string(),
        "attributes": attributes(&span.attributes),
        "status": status,
    })
}

/// An `ExportMetricsServiceRequest`.
pub(crate) fn metrics(of: &Resource, measured: &Measured) -> Json {
    let metrics: Vec<Json> = measured.metrics.iter().map(|one| metric(one, measured)).collect();
    json!({ "resourceMetrics": [{
        "resource": resource(of), "scopeMetrics": [{ "scope": scope(), "metrics": metrics }]
    }] })
}

fn metric(metric: &Metric, measured: &Measured) -> Json {
    let (start, now) = (measured.start.to_string(), measured.now.to_string());
    let common = json!({ "name": metric.name, "description": metric.about, "unit": metric.unit });
    let (field, data) = match &metric.points {
        Points::Sum(points) => {
            let points: Vec<Json> = points
                .iter()
                .map(|point| {
                    json!({ "startTimeUnixNano": start, "timeUnixNano": now, "asInt": point.value.to_string(),
                        "attributes": attributes(&point.attributes) })
                })
                .collect();
            let data =
                json!({ "dataPoints": points, "aggregationTemporality": CUMULATIVE, "isMonotonic": true });
            ("sum", data)
        }
        Points::Histogram(points) => {
            let points: Vec<Json> = points
                .iter()
                .map(|point| {
                    let buckets: Vec<String> = point.buckets.iter().map(ToString::to_string).collect();
                    json!({ "startTimeUnixNano": start, "timeUnixNano": now, "count": point.count.to_string(),
                        "sum": point.sum, "bucketCounts": buckets, "explicitBounds": point.bounds,
                        "attributes": attributes(&point.attributes) })
                })
                .collect();
            ("histogram", json!({ "dataPoints": points, "aggregationTemporality": CUMULATIVE }))
        }
    };
    let mut metric = common;
    if let Some(map) = metric.as_object_mut() {
        map.insert(field.to_owned(), data);
    }
    metric
}
