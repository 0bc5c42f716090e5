//! Charts as inline SVG. Colours are classes of the stylesheet: nothing here is a style of its own.

use maud::{Markup, html};

/// A part of a stacked bar.
pub(crate) struct Series<'a> {
    /// Its class of colour.
    pub(crate) class: &'static str,
    /// Its name in the legend.
    pub(crate) name: &'a str,
    /// A value per bar.
    pub(crate) values: Vec<u64>,
}

const WIDTH: usize = 720;
const HEIGHT: usize = 140;
/// Below the bars: the labels.
const FOOT: usize = 20;

/// Stacked bars over time. `labels` has a text per bar; `about` says what it shows.
pub(crate) fn bars(about: &str, labels: &[String], series: &[Series<'_>]) -> Markup {
    bars_in(about, labels, series, &number)
}

/// The same with values in a unit of their own.
pub(crate) fn bars_in(
    about: &str,
    labels: &[String],
    series: &[Series<'_>],
    unit: &dyn Fn(u64) -> String,
) -> Markup {
    let count = labels.len().max(1);
    let sum = |at: usize| series.iter().map(|one| one.values.get(at).copied().unwrap_or(0)).sum::<u64>();
    let top = (0..count).map(sum).max().unwrap_or(0).max(1);
    let step = WIDTH as f64 / count as f64;
    let width = (step * 0.78).min(36.0);
    let plot = (HEIGHT - FOOT) as f64;
    let every = count.div_ceil(8).max(1);
    html! {
        figure.chart {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(about) preserveAspectRatio="none" {
                @for line in 0..4 {
                    @let y = f64::from(line) * plot / 4.0;
                    line.grid x1="0" x2=(WIDTH) y1=(format!("{y:.1}")) y2=(format!("{y:.1}")) {}
                }
                line.axis x1="0" x2=(WIDTH) y1=(plot) y2=(plot) {}
                @for (at, label) in labels.iter().enumerate() {
                    @let x = step * at as f64 + (step - width) / 2.0;
                    @let parts = stack(series, at, top, plot - 6.0);
                    g {
                        title { (label) ": " (told(series, at, unit)) }
                        rect.hover x=(format!("{:.1}", step * at as f64)) y="0" width=(format!("{step:.1}")) height=(plot) {}
                        @for (class, from, height) in parts {
                            rect class=(class) x=(format!("{x:.1}")) y=(format!("{:.1}", plot - from - height))
                                width=(format!("{width:.1}")) height=(format!("{height:.1}")) rx="2" {}
                        }
                    }
                }
            }
            div.ticks aria-hidden="true" {
                @for (at, label) in labels.iter().enumerate() {
                    @if at % every == 0 { span { (label) } }
                }
            }
            @if series.len() > 1 {
                figcaption.legend {
                    @for one in series {
                        span { i class={ "dot " (one.class) } {} (one.name) " " b { (unit(one.values.iter().sum())) } }
                    }
                    span.max { "highest " b { (unit(top)) } }
                }
            }
        }
    }
}

/// The parts of one bar: class, where it begins, how high it is.
fn stack(series: &[Series<'_>], at: usize, top: u64, plot: f64) -> Vec<(&'static str, f64, f64)> {
    let mut from = 0.0;
    let mut parts = Vec::new();
    for one in series {
        let value = one.values.get(at).copied().unwrap_or(0);
        if value > 0 {
            // What happened at all is visible.
            let height = (value as f64 / top as f64 * plot).max(1.5);
            parts.push((one.class, from, height));
            from += height;
        }
    }
    parts
}

fn told(series: &[Series<'_>], at: usize, unit: &dyn Fn(u64) -> String) -> String {
    let parts = series.iter().filter_map(|one| {
        let value = one.values.get(at).copied().unwrap_or(0);
        (value > 0).then(|| format!("{} {}", unit(value), one.name))
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

/// A share as a thin bar.
pub(crate) fn share(value: u64, of: u64, class: &str, about: &str) -> Markup {
    let width = if of == 0 { 0.0 } else { (value as f64 / of as f64 * 100.0).clamp(0.0, 100.0) };
    html! {
        svg.share viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label=(about) {
            rect.track x="0" y="0" width="100" height="6" rx="3" {}
            rect class=(class) x="0" y="0" width=(format!("{width:.1}")) height="6" rx="3" {}
        }
    }
}

/// A number as a person reads it: `12,345`, `3.4 M`.
pub(crate) fn number(value: u64) -> String {
    if value >= 10_000_000 {
        return format!("{:.1} M", value as f64 / 1_000_000.0);
    }
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_large_ones_a_unit() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567, 12_345_678].map(number),
            ["0", "999", "1,000", "1,234,567", "12.3 M"]
        );
    }

    #[test]
    fn a_bar_says_what_it_shows_and_escapes_its_labels() {
        let series = [
            Series { class: "bad", name: "denied", values: vec![1, 0] },
            Series { class: "plain", name: "passed", values: vec![9, 0] },
        ];
        let svg = bars("events <by> hour", &["<em>10:00".into(), "11:00".into()], &series).into_string();
        assert!(svg.contains("1 denied, 9 passed") && svg.contains("11:00: nothing"), "{svg}");
        assert!(!svg.contains("<em>") && svg.contains("&lt;em&gt;10:00"));
        assert!(!svg.contains("style="), "the page's policy forbids it");
    }
}
