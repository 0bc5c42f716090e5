//! Plots of measured tables: bars, from the figures that a page has, so that picture and page cannot differ.

use crate::root;
use anyhow::Context as _;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A plot: its file, what it shows, the page with the table, the marks around it, and which column.
struct Plot {
    file: &'static str,
    title: &'static str,
    page: &'static str,
    mark: &'static str,
    column: usize,
}

const PLOTS: [Plot; 3] = [
    Plot {
        file: "plot-call.svg",
        title: "One tool call, wall time, ms (logarithmic)",
        page: "docs/performance.md",
        mark: "measured",
        column: 1,
    },
    Plot {
        file: "plot-recall.svg",
        title: "Prompts and recall, processor time, ms (logarithmic)",
        page: "docs/recall.md",
        mark: "recall measured",
        column: 3,
    },
    Plot {
        file: "plot-lessons.svg",
        title: "One tool call with lessons, wall time, ms (logarithmic)",
        page: "docs/lessons.md",
        mark: "lessons measured",
        column: 1,
    },
];

/// The plots with their files.
pub(crate) fn all() -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut out = Vec::new();
    for plot in &PLOTS {
        let page = std::fs::read_to_string(root().join(plot.page))?;
        let rows = rows(&page, plot.mark, plot.column).with_context(|| plot.page.to_owned())?;
        out.push((root().join("docs/images").join(plot.file), bars(plot.title, &rows)));
    }
    Ok(out)
}

/// Labels and numbers of the table between two marks.
fn rows(page: &str, mark: &str, column: usize) -> anyhow::Result<Vec<(String, f64)>> {
    let (_, rest) = page.split_once(&format!("<!-- {mark}: begin -->")).context("no table")?;
    let (table, _) = rest.split_once(&format!("<!-- {mark}: end -->")).context("no end of the table")?;
    let mut out = Vec::new();
    for line in table.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let number = cells.get(column).and_then(|cell| cell.parse::<f64>().ok());
        if let (Some(label), Some(number)) = (cells.first(), number) {
            out.push(((*label).to_owned(), number));
        }
    }
    anyhow::ensure!(!out.is_empty(), "the table has no numbers");
    Ok(out)
}

/// Horizontal bars. Their lengths grow with the logarithm: a program in C and an interpreter fit into one picture.
fn bars(title: &str, rows: &[(String, f64)]) -> String {
    const LEFT: f64 = 400.0;
    const LONGEST: f64 = 330.0;
    let height = 46 + rows.len() * 26;
    let (least, most) = rows.iter().fold((f64::MAX, f64::MIN), |(least, most), (_, value)| {
        (least.min(value.max(0.01)), most.max(value.max(0.01)))
    });
    let floor = least / 2.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 {height}\" width=\"800\" height=\"{height}\" \
         role=\"img\" aria-label=\"{title}\">\n<rect width=\"800\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\"/>\n\
         <g font-family=\"system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif\" font-size=\"12\" fill=\"#1f2530\">\n\
         <text x=\"16\" y=\"24\" font-weight=\"bold\">{title}</text>\n"
    );
    for (number, (label, value)) in rows.iter().enumerate() {
        let y = 40 + number * 26;
        let share = (value.max(0.01) / floor).ln() / (most / floor).ln().max(f64::EPSILON);
        let length = (share * LONGEST).round();
        // What sprag is compared with is grey.
        let is_other = ["floor", "node", "python"].iter().any(|other| label.starts_with(other));
        let color = if is_other { "#9aa5b1" } else { "#3b82c4" };
        let label = label.replace('&', "&amp;").replace('<', "&lt;").replace('`', "");
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>\
             <rect x=\"{LEFT}\" y=\"{y}\" width=\"{length}\" height=\"18\" rx=\"2\" fill=\"{color}\"/>\
             <text x=\"{}\" y=\"{}\">{value}</text>",
            LEFT - 8.0,
            y + 13,
            LEFT + length + 6.0,
            y + 13,
        );
    }
    out.push_str("</g>\n</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_becomes_bars() {
        let page = "<!-- m: begin -->\n| what | ms |\n|---|---:|\n| floor | 0.5 |\n| sprag | 1 |\n| x | – |\n<!-- m: end -->";
        let rows = rows(page, "m", 1).unwrap_or_default();
        assert_eq!(rows, [("floor".to_owned(), 0.5), ("sprag".to_owned(), 1.0)]);
        let plot = bars("t", &rows);
        assert!(
            plot.contains("width=\"330\"") && plot.contains("width=\"165\"") && plot.contains(">0.5<"),
            "{plot}"
        );
    }
}
