//! The binary form.

use super::{
    Attributes, CUMULATIVE, KIND_INTERNAL, Measured, Metric, Points, Resource, SCOPE, STATUS_ERROR, Span,
};

/// Writes fields of a protobuf message.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn fixed(&mut self, field: u64, value: u64) {
        self.varint(field << 3 | 1);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn double(&mut self, field: u64, value: f64) {
        self.fixed(field, value.to_bits());
    }

    fn put(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn message(&mut self, field: u64, fill: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        fill(&mut inner);
        self.put(field, &inner.bytes);
    }

    fn attribute(&mut self, field: u64, name: &str, value: &str) {
        self.message(field, |pair| {
            pair.put(1, name.as_bytes());
            pair.message(2, |any| any.put(1, value.as_bytes()));
        });
    }

    fn attributes(&mut self, field: u64, attributes: &Attributes) {
        for (name, value) in attributes {
            self.attribute(field, name, value);
        }
    }

    /// The resource and the scope around what `fill` writes.
    fn scoped(&mut self, resource: &Resource, fill: impl FnOnce(&mut Self)) {
        self.message(1, |outer| {
            outer.message(1, |inner| {
                for (name, value) in &resource.attributes {
                    inner.attribute(1, name, value);
                }
            });
            outer.message(2, |scoped| {
                scoped.message(1, |scope| {
                    scope.put(1, SCOPE.0.as_bytes());
                    scope.put(2, SCOPE.1.as_bytes());
                });
                fill(scoped);
            });
        });
    }
}

/// An `ExportTraceServiceRequest`.
pub(crate) fn traces(resource: &Resource, spans: &[Span]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.scoped(resource, |scoped| spans.iter().for_each(|span| scoped.message(2, |out| write(out, span))));
    writer.bytes
}

fn write(out: &mut Writer, span: &Span) {
    out.put(1, &span.trace);
    out.put(2, &span.id);
    if let Some(parent) = &span.parent {
        out.put(4, parent);
    }
    out.put(5, span.name.as_bytes());
    out.number(6, KIND_INTERNAL);
    out.fixed(7, span.start);
    out.fixed(8, span.end);
    out.attributes(9, &span.attributes);
    if span.error {
        out.message(15, |status| status.number(3, STATUS_ERROR));
    }
}

/// An `ExportMetricsServiceRequest`.
pub(crate) fn metrics(resource: &Resource, measured: &Measured) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.scoped(resource, |scoped| {
        for metric in &measured.metrics {
            scoped.message(2, |out| write_metric(out, metric, measured));
        }
    });
    writer.bytes
}

fn write_metric(out: &mut Writer, metric: &Metric, measured: &Measured) {
    out.put(1, metric.name.as_bytes());
    out.put(2, metric.about.as_bytes());
    out.put(3, metric.unit.as_bytes());
    match &metric.points {
        Points::Sum(points) => out.message(7, |sum| {
            for point in points {
                sum.message(1, |out| {
                    out.fixed(2, measured.start);
                    out.fixed(3, measured.now);
                    out.fixed(6, point.value);
                    out.attributes(7, &point.attributes);
                });
            }
            sum.number(2, CUMULATIVE);
            sum.number(3, 1);
        }),
        Points::Histogram(points) => out.message(9, |histogram| {
            for point in points {
                histogram.message(1, |out| {
                    out.fixed(2, measured.start);
                    out.fixed(3, measured.now);
                    out.fixed(4, point.count);
                    out.double(5, point.sum);
                    let packed: Vec<u8> =
                        point.buckets.iter().flat_map(|count| count.to_le_bytes()).collect();
                    out.put(6, &packed);
                    let packed: Vec<u8> = point.bounds.iter().flat_map(|end| end.to_le_bytes()).collect();
                    out.put(7, &packed);
                    out.attributes(9, &point.attributes);
                });
            }
            histogram.number(2, CUMULATIVE);
        }),
    }
}
