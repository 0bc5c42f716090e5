//! Against a collector on loopback that reads what it is sent with the protocol's own types.

use super::*;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{Metric, metric, number_data_point};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::Value as Json;
use sprag_runtime::journal::{self, Entry, Run, Stop};
use sprag_testkit::http::{Incoming, Reply, Server};
use std::io::Read as _;
use std::sync::mpsc::{Receiver, channel};

fn collector(status: u16) -> (Server, Receiver<Incoming>) {
    let (send, got) = channel();
    let server = Server::start(move |incoming| {
        send.send(incoming).unwrap();
        Reply { status, kind: "application/x-protobuf", body: Vec::new() }
    })
    .unwrap();
    (server, got)
}

fn host(dir: &std::path::Path, config: &str, vars: &[(&str, &str)]) -> Host {
    let host = Host::in_home(dir, &[vars, &[("SPRAG_HOST", "box")]].concat());
    let text = format!("version = 1\n[telemetry]\n{config}\n");
    files::write_atomic(&host.paths.config_file(), text.as_bytes()).unwrap();
    host
}

fn write(host: &Host, entry: Entry) {
    let entry = Entry {
        agent: "claude".into(),
        session: "s1".into(),
        cwd: "/home/me/secret-project".into(),
        tool: Some("Bash".into()),
        about: Some("git push --force".into()),
        ..entry
    };
    journal::write(&host.paths, &entry, 0, 1).unwrap();
}

/// A call that ran, one that a guard denied, and one that shadow mode let through.
fn fill(host: &Host) {
    let now = host.clock.now();
    let at = |back: u64| now.before(Duration::from_millis(back)).to_string();
    let run = |verdict: &str, shadow| Run {
        hook: "command-guard".into(),
        verdict: verdict.into(),
        us: 300,
        rule: Some("git:force-push".into()),
        reason: Some("it would lose origin/main".into()),
        shadow,
        ..Run::default()
    };
    let event = |event: &str, call: &str, back, runs: Vec<Run>| Entry {
        t: at(back),
        event: event.into(),
        call: Some(call.into()),
        us: 1_000,
        runs,
        ..Entry::default()
    };
    write(host, event("PreToolUse", "toolu_1", 3_000, vec![run("pass", false)]));
    write(host, event("PostToolUse", "toolu_1", 1_000, vec![]));
    let stopped = event("PreToolUse", "toolu_2", 900, vec![run("deny", false)]);
    write(host, Entry { verdict: "deny".into(), stop: Some(Stop::default()), ..stopped });
    write(host, event("PreToolUse", "toolu_3", 800, vec![run("deny", true)]));
}

fn words(attributes: &[KeyValue]) -> Vec<(&str, &str)> {
    let text = |pair: &'_ KeyValue| match pair.value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(any_value::Value::StringValue(text)) => Some(text.clone()),
        _ => None,
    };
    attributes.iter().map(|pair| (pair.key.as_str(), text(pair).unwrap().leak() as &str)).collect()
}

fn has(span: &Span, name: &str, value: &str) -> bool {
    words(&span.attributes).contains(&(name, value))
}

fn spans_of(request: ExportTraceServiceRequest) -> Vec<Span> {
    let resource = &request.resource_spans[0];
    let who = words(&resource.resource.as_ref().unwrap().attributes);
    assert!(who.contains(&("service.name", "sprag")) && who.contains(&("host.name", "box")), "{who:?}");
    assert_eq!(resource.scope_spans[0].scope.as_ref().unwrap().name, "sprag");
    resource.scope_spans[0].spans.clone()
}

fn check_spans(spans: &[Span]) {
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "execute_tool Bash", "execute_tool Bash", "run_guardrail command-guard",
            "run_guardrail command-guard"
        ]
    );
    let [ran, blocked, denied, shadow] = spans else { panic!("{names:?}") };
    assert_eq!(ran.end_time_unix_nano - ran.start_time_unix_nano, 1_999_000_000);
    assert!(has(ran, "gen_ai.tool.call.id", "toolu_1") && has(ran, "gen_ai.conversation.id", "s1"));
    assert!(has(blocked, "error.type", "blocked") && blocked.status.as_ref().unwrap().code == 2);
    for span in [denied, shadow] {
        assert_eq!((span.trace_id.len(), span.span_id.len(), span.kind), (16, 8, 1));
        assert!(has(span, "gen_ai.operation.name", "run_guardrail"));
        assert!(has(span, "gen_ai.guardrail.verdict.type", "deny"));
        assert!(has(span, "gen_ai.guardrail.security.policy.rule.id", "git:force-push"));
        assert!(has(span, "gen_ai.guardrail.target.subtype", "tool_call"));
    }
    assert_eq!((&denied.trace_id, &denied.parent_span_id), (&blocked.trace_id, &blocked.span_id));
    assert!(has(denied, "gen_ai.guardrail.action.type", "block"));
    assert!(has(shadow, "gen_ai.guardrail.action.type", "allow"), "shadow mode said it and did nothing");
    assert_ne!(denied.trace_id, ran.trace_id);
    let all = format!("{spans:?}");
    assert!(
        !all.contains("secret-project") && !all.contains("--force") && !all.contains("would lose"),
        "{all}"
    );
}

fn check_metrics(metrics: &[Metric]) {
    let named = |name: &str| metrics.iter().find(|metric| metric.name == name).unwrap().data.clone().unwrap();
    let metric::Data::Sum(verdicts) = named("sprag.guard.verdicts") else { panic!("no sum") };
    assert!(verdicts.is_monotonic && verdicts.aggregation_temporality == 2);
    let values: Vec<_> = verdicts.data_points.iter().map(|point| point.value.unwrap()).collect();
    assert_eq!(values, [number_data_point::Value::AsInt(1), number_data_point::Value::AsInt(1)]);
    let metric::Data::Histogram(tools) = named("gen_ai.execute_tool.duration") else {
        panic!("no histogram")
    };
    let ran = tools.data_points.iter().find(|point| point.sum.unwrap() > 1.0).unwrap();
    assert_eq!((ran.count, ran.bucket_counts.iter().sum::<u64>()), (1, 1));
    assert_eq!(ran.bucket_counts.len(), ran.explicit_bounds.len() + 1);
    assert_eq!(ran.explicit_bounds.last(), Some(&81.92));
}

#[test]
fn a_collector_reads_the_binary_form() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = collector(200);
    let config = format!("otlp = true\nendpoint = \"http://{}\"\nkey_env = \"TOKEN\"", server.address());
    let host =
        host(dir.path(), &config, &[("TOKEN", "k"), ("OTEL_EXPORTER_OTLP_HEADERS", "x-a=b%20c,x-d=e")]);
    fill(&host);
    run(&host).unwrap();
    let (traces, metrics) = (got.recv().unwrap(), got.recv().unwrap());
    assert_eq!((traces.path.as_str(), metrics.path.as_str()), ("/v1/traces", "/v1/metrics"));
    let header = |name: &str| traces.headers.get(name).map(String::as_str);
    assert_eq!(header("content-type"), Some("application/x-protobuf"));
    assert_eq!(
        (header("x-a"), header("x-d"), header("authorization")),
        (Some("b c"), Some("e"), Some("Bearer k"))
    );
    check_spans(&spans_of(ExportTraceServiceRequest::decode(&*traces.body).unwrap()));
    let metrics = ExportMetricsServiceRequest::decode(&*metrics.body).unwrap();
    check_metrics(&metrics.resource_metrics[0].scope_metrics[0].metrics);
    run(&host).unwrap();
    assert_eq!(got.recv().unwrap().path, "/v1/metrics", "spans are sent once");
}

/// The protocol has texts for 64-bit numbers; in a few places the crate's types want numbers.
fn numbers(value: &mut Json) {
    let number = |value: &mut Json| {
        *value = value.as_str().expect("a text").parse::<u64>().unwrap().into();
    };
    match value {
        Json::Array(items) => items.iter_mut().for_each(numbers),
        Json::Object(map) => {
            for (key, value) in map {
                match key.as_str() {
                    "asInt" | "count" => number(value),
                    "bucketCounts" => value.as_array_mut().unwrap().iter_mut().for_each(number),
                    _ => numbers(value),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn a_collector_reads_json_and_what_is_packed_and_the_variables_count() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = collector(200);
    let (all, own) =
        (format!("http://{}/base/", server.address()), format!("http://{}/own", server.address()));
    let vars = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", all.as_str()),
        ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", own.as_str()),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
    ];
    let host = host(dir.path(), "otlp = true", &vars);
    fill(&host);
    run(&host).unwrap();
    let unpacked = |sent: &Incoming| {
        assert_eq!(sent.headers.get("content-encoding").map(String::as_str), Some("gzip"));
        let mut text = String::new();
        flate2::read::GzDecoder::new(&*sent.body).read_to_string(&mut text).unwrap();
        text
    };
    let (traces, metrics) = (got.recv().unwrap(), got.recv().unwrap());
    assert_eq!((traces.path.as_str(), metrics.path.as_str()), ("/base/v1/traces", "/own"));
    check_spans(&spans_of(serde_json::from_str(&unpacked(&traces)).unwrap()));
    let mut metrics: Json = serde_json::from_str(&unpacked(&metrics)).unwrap();
    numbers(&mut metrics);
    let metrics: ExportMetricsServiceRequest = serde_json::from_value(metrics).unwrap();
    check_metrics(&metrics.resource_metrics[0].scope_metrics[0].metrics);
}

#[test]
fn a_collector_that_is_unavailable_is_asked_later_and_gets_everything() {
    let dir = tempfile::tempdir().unwrap();
    let (down, refused) = collector(503);
    let with = |server: &Server| format!("otlp = true\nendpoint = \"http://{}\"", server.address());
    let first = host(dir.path(), &with(&down), &[]);
    fill(&first);
    let pauses: Vec<u64> = (0..3)
        .map(|_| run(&first).unwrap_err().not_before().unwrap().seconds() - first.clock.now().seconds())
        .collect();
    assert!(pauses[0] >= 14 && pauses[1] > pauses[0] && pauses[2] > pauses[1], "{pauses:?}");
    assert_eq!(refused.try_iter().count(), 3);
    let (up, got) = collector(200);
    run(&host(dir.path(), &with(&up), &[])).unwrap();
    let request = ExportTraceServiceRequest::decode(&*got.recv().unwrap().body).unwrap();
    check_spans(&spans_of(request));
    // One that will never take it does not hold up the rest.
    let (never, refused) = collector(400);
    let third = host(dir.path(), &with(&never), &[]);
    fill(&third);
    let error = run(&third).unwrap_err();
    assert!(error.not_before().is_none() && error.to_string().contains("answered 400"), "{error}");
    assert_eq!(refused.try_iter().count(), 1);
    let fourth = host(dir.path(), &with(&up), &[]);
    got.try_iter().for_each(drop);
    run(&fourth).unwrap();
    assert_eq!(got.recv().unwrap().path, "/v1/metrics");
}

#[test]
fn nothing_is_sent_unless_it_is_on() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = collector(200);
    let endpoint = format!("endpoint = \"http://{}\"", server.address());
    for (config, vars) in [
        (endpoint.clone(), vec![]),
        (format!("otlp = true\n{endpoint}"), vec![("OTEL_SDK_DISABLED", "true")]),
        (
            format!("otlp = true\n{endpoint}"),
            vec![("OTEL_TRACES_EXPORTER", "none"), ("OTEL_METRICS_EXPORTER", "none")],
        ),
    ] {
        let host = host(dir.path(), &config, &vars);
        fill(&host);
        run(&host).unwrap();
    }
    assert_eq!(got.try_iter().count(), 0);
    let grpc = host(dir.path(), &format!("otlp = true\n{endpoint}\nprotocol = \"grpc\""), &[]);
    assert!(run(&grpc).unwrap_err().to_string().contains("http/protobuf"));
}

#[test]
fn many_lines_are_sent_in_batches() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = collector(200);
    let host = host(dir.path(), &format!("otlp = true\nendpoint = \"http://{}\"", server.address()), &[]);
    for _ in 0..300 {
        fill(&host);
    }
    run(&host).unwrap();
    let sizes: Vec<usize> = got
        .try_iter()
        .filter(|sent| sent.path == "/v1/traces")
        .map(|sent| spans_of(ExportTraceServiceRequest::decode(&*sent.body).unwrap()).len())
        .collect();
    assert_eq!(sizes.iter().sum::<usize>(), 1_200);
    assert!(sizes.len() >= 3 && sizes.iter().all(|size| *size <= MAX_SPANS + 2), "{sizes:?}");
}

#[test]
fn the_textfile_is_whole_readable_and_counts_over_restarts() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("node/sprag.prom");
    let host = host(dir.path(), "textfile = \"~/node/sprag.prom\"", &[]);
    for round in 1..3 {
        fill(&host);
        run(&host).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let row = format!(
            "sprag_guard_verdicts_total{{hook=\"command-guard\",rule=\"git:force-push\",verdict=\"deny\",action=\"allow\",mode=\"shadow\"}} {round}\n"
        );
        assert!(text.contains(&row), "{text}");
        assert!(text.contains("sprag_queue_jobs{state=\"waiting\"} 0\n"), "{text}");
        assert!(!text.contains("secret-project") && !text.contains("s1\""), "{text}");
    }
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
}
