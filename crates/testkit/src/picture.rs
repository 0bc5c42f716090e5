//! A terminal's text with its colours as an SVG: pictures in the documentation come from the real program.
//! The texts of a picture can be read back, so that a check can compare them with what the program prints today.

use std::fmt::Write as _;

/// Pixels per column, per line, and around the text.
const COLUMN: f64 = 8.0;
const LINE: usize = 18;
const MARGIN: usize = 16;
/// The bar with the title.
const BAR: usize = 34;

const BACKGROUND: &str = "#16191f";
const FOREGROUND: &str = "#d7dae0";
/// The sixteen colours of a terminal.
const PALETTE: [&str; 16] = [
    "#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0", "#7d8590",
    "#ff7b86", "#b5e08f", "#ffd88f", "#83c5ff", "#dd9bef", "#7ad3df", "#ffffff",
];

#[derive(Clone, Default, PartialEq, Eq)]
struct Style {
    color: Option<String>,
    background: Option<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    reverse: bool,
}

/// Text with escape sequences (colours only: what `tmux capture-pane -e` and a program in a pipe print) as an SVG.
#[must_use]
pub fn svg(title: &str, text: &str) -> String {
    let lines: Vec<Vec<(Style, String)>> = runs(text);
    let columns = lines.iter().map(|line| width(line)).max().unwrap_or(0).max(40);
    let (across, down) = ((columns as f64 * COLUMN) as usize + 2 * MARGIN, BAR + lines.len() * LINE + MARGIN);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {across} {down}\" width=\"{across}\" \
         height=\"{down}\" role=\"img\" aria-label=\"{}\">\n\
         <rect width=\"{across}\" height=\"{down}\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n\
         <circle cx=\"20\" cy=\"17\" r=\"5\" fill=\"#e06c75\"/><circle cx=\"37\" cy=\"17\" r=\"5\" fill=\"#e5c07b\"/>\
         <circle cx=\"54\" cy=\"17\" r=\"5\" fill=\"#98c379\"/>\n\
         <g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"13\" \
         fill=\"{FOREGROUND}\">\n<text x=\"{}\" y=\"21\" text-anchor=\"middle\" fill=\"#7d8590\" class=\"title\">{}</text>",
        escaped(title),
        across / 2,
        escaped(title),
    );
    for (number, line) in lines.iter().enumerate() {
        write_line(&mut out, line, BAR + number * LINE);
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// One line: each run at its own column, so that a font of another width keeps the table straight.
fn write_line(out: &mut String, line: &[(Style, String)], top: usize) {
    let mut column = 0;
    let mut spans = String::new();
    for (style, text) in line {
        let length = text.chars().count();
        let x = MARGIN as f64 + column as f64 * COLUMN;
        let (color, background) = if style.reverse {
            (
                Some(style.background.as_deref().unwrap_or(BACKGROUND)),
                Some(style.color.as_deref().unwrap_or(FOREGROUND)),
            )
        } else {
            (style.color.as_deref(), style.background.as_deref())
        };
        if let Some(background) = background {
            let wide = length as f64 * COLUMN;
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{top}\" width=\"{wide}\" height=\"{LINE}\" fill=\"{background}\"/>"
            );
        }
        column += length;
        if text.trim().is_empty() {
            // A gap: the next run has its own place.
            let _ = write!(spans, "{text}");
            continue;
        }
        let _ = write!(spans, "<tspan x=\"{x}\" textLength=\"{}\"", length as f64 * COLUMN);
        if let Some(color) = color {
            let _ = write!(spans, " fill=\"{color}\"");
        }
        for (is_set, attribute) in [
            (style.bold, " font-weight=\"bold\""),
            (style.dim, " opacity=\"0.6\""),
            (style.italic, " font-style=\"italic\""),
            (style.underline, " text-decoration=\"underline\""),
        ] {
            if is_set {
                spans.push_str(attribute);
            }
        }
        let _ = write!(spans, ">{}</tspan>", escaped(text));
    }
    let _ = writeln!(out, "<text y=\"{}\" xml:space=\"preserve\">{spans}</text>", top + 13);
}

fn width(line: &[(Style, String)]) -> usize {
    line.iter().map(|(_, text)| text.chars().count()).sum()
}

/// The lines of a picture without their colours, as [`svg`] was given them.
#[must_use]
pub fn texts(svg: &str) -> String {
    let lines = svg.lines().filter(|line| line.starts_with("<text y="));
    lines.map(|line| unescaped(&without_tags(line)).trim_end().to_owned() + "\n").collect()
}

/// Text without its escape sequences.
#[must_use]
pub fn plain(text: &str) -> String {
    let line = |line: &Vec<(Style, String)>| line.iter().map(|(_, text)| text.as_str()).collect::<String>();
    runs(text).iter().map(|runs| line(runs).trim_end().to_owned() + "\n").collect()
}

fn without_tags(line: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in line.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn unescaped(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
}

/// The lines as runs of one style. Sequences that are no colour are left out.
fn runs(text: &str) -> Vec<Vec<(Style, String)>> {
    let mut style = Style::default();
    let mut lines = Vec::new();
    for line in text.trim_end().lines() {
        let mut runs: Vec<(Style, String)> = Vec::new();
        let mut rest = line.trim_end_matches('\r');
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            push(&mut runs, &style, before);
            rest = sequence(after, &mut style);
        }
        push(&mut runs, &style, rest);
        lines.push(runs);
    }
    lines
}

fn push(runs: &mut Vec<(Style, String)>, style: &Style, text: &str) {
    // What is no character of a line would move the cursor.
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    if text.is_empty() {
        return;
    }
    match runs.last_mut() {
        Some((last, known)) if last == style => known.push_str(&text),
        _ => runs.push((style.clone(), text)),
    }
}

/// Reads one sequence after its escape character: what follows it.
fn sequence<'a>(text: &'a str, style: &mut Style) -> &'a str {
    match text.chars().next() {
        Some('[') => {
            let end = text.char_indices().skip(1).find(|(_, c)| ('@'..='~').contains(c));
            let Some((at, last)) = end else { return "" };
            if last == 'm' {
                apply(text.get(1..at).unwrap_or_default(), style);
            }
            text.get(at + 1..).unwrap_or_default()
        }
        // A title or a link: to its terminator.
        Some(']') => text.split_once('\u{7}').map_or("", |(_, rest)| rest),
        // A choice of characters has one more byte.
        Some('(' | ')') => text.get(2..).unwrap_or_default(),
        Some(c) => text.get(c.len_utf8()..).unwrap_or_default(),
        None => "",
    }
}

fn apply(codes: &str, style: &mut Style) {
    let mut codes = codes.split([';', ':']).map(|code| code.parse::<u16>().unwrap_or(0));
    while let Some(code) = codes.next() {
        match code {
            0 => *style = Style::default(),
            1 => style.bold = true,
            2 => style.dim = true,
            3 => style.italic = true,
            4 => style.underline = true,
            7 => style.reverse = true,
            22 => (style.bold, style.dim) = (false, false),
            23 => style.italic = false,
            24 => style.underline = false,
            27 => style.reverse = false,
            30..=37 => style.color = Some(PALETTE[usize::from(code - 30)].to_owned()),
            90..=97 => style.color = Some(PALETTE[usize::from(code - 82)].to_owned()),
            40..=47 => style.background = Some(PALETTE[usize::from(code - 40)].to_owned()),
            100..=107 => style.background = Some(PALETTE[usize::from(code - 92)].to_owned()),
            38 => style.color = color(&mut codes),
            48 => style.background = color(&mut codes),
            39 => style.color = None,
            49 => style.background = None,
            _ => {}
        }
    }
}

/// `5;N` or `2;R;G;B`.
fn color(codes: &mut impl Iterator<Item = u16>) -> Option<String> {
    match codes.next()? {
        2 => Some(format!("#{:02x}{:02x}{:02x}", codes.next()?, codes.next()?, codes.next()?)),
        5 => Some(match codes.next()? {
            n @ 0..=15 => PALETTE[usize::from(n)].to_owned(),
            n @ 16..=231 => {
                let level = |part: u16| if part == 0 { 0 } else { 55 + part * 40 };
                let n = n - 16;
                format!("#{:02x}{:02x}{:02x}", level(n / 36), level(n / 6 % 6), level(n % 6))
            }
            n => format!("#{0:02x}{0:02x}{0:02x}", 8 + (n.min(255) - 232) * 10),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_the_text_with_its_colours() {
        let text = "\u{1b}[1;31mdenied\u{1b}[0m  a <b> & \u{1b}[38;5;196mc\u{1b}[39m\n\nlast  line\n";
        let picture = svg("$ sprag", text);
        assert!(picture.contains("fill=\"#e06c75\" font-weight=\"bold\">denied</tspan>"), "{picture}");
        assert!(picture.contains("fill=\"#ff0000\">c</tspan>"), "{picture}");
        assert_eq!(texts(&picture), "denied  a <b> & c\n\nlast  line\n");
        assert_eq!(plain(text), texts(&picture));
    }

    #[test]
    fn what_is_no_colour_is_left_out() {
        let text = "\u{1b}]0;title\u{7}a\u{1b}[2Kb\u{1b}(Bc\r\n\u{1b}[48;2;1;2;3m \u{1b}[7mx\u{1b}[27m";
        assert_eq!(plain(text), "abc\n x\n");
        assert!(svg("", text).contains("fill=\"#010203\""));
    }
}
