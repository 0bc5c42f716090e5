//! Pictures of code as inline SVG: files as areas, calls as a graph, a function's control flow. Where everything is comes from numbers
//! alone; colours are classes of the stylesheet.

use maud::{Markup, html};
use sprag_base::text::cut;

/// A rectangle: where, how wide, how high.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// A thing with an area of its own.
pub(crate) struct Tile {
    /// What its area stands for.
    pub(crate) weight: f64,
    /// How strong its colour is, 0 to 4.
    pub(crate) heat: usize,
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) href: String,
}

const MAP_WIDTH: f64 = 1_200.0;
const MAP_HEIGHT: f64 = 420.0;

/// Splits an area by weights, the largest first, so that no part is much longer than wide.
fn squarified(weights: &[f64], within: Area) -> Vec<Area> {
    let sum: f64 = weights.iter().sum();
    if sum <= 0.0 {
        return Vec::new();
    }
    let scale = within.width * within.height / sum;
    let mut left = within;
    let mut areas = Vec::with_capacity(weights.len());
    let mut rest = weights;
    while !rest.is_empty() {
        let side = left.width.min(left.height).max(1e-6);
        // A row grows as long as its worst part gets better by it.
        let worst = |row: &[f64]| {
            let row_sum: f64 = row.iter().sum::<f64>() * scale;
            let ratio = |weight: &f64| {
                let area = (weight * scale).max(1e-9);
                (side * side * area / (row_sum * row_sum)).max(row_sum * row_sum / (side * side * area))
            };
            row.iter().map(ratio).fold(0.0, f64::max)
        };
        let mut count = 1;
        while count < rest.len() {
            let (now, more) = (rest.get(..count).unwrap_or_default(), rest.get(..=count).unwrap_or_default());
            if worst(more) > worst(now) {
                break;
            }
            count += 1;
        }
        let (row, after) = rest.split_at(count.min(rest.len()));
        let thick = row.iter().sum::<f64>() * scale / side;
        let mut at = 0.0;
        for weight in row {
            let long = weight * scale / thick.max(1e-9);
            areas.push(if left.width >= left.height {
                Area { x: left.x, y: left.y + at, width: thick, height: long }
            } else {
                Area { x: left.x + at, y: left.y, width: long, height: thick }
            });
            at += long;
        }
        if left.width >= left.height {
            (left.x, left.width) = (left.x + thick, left.width - thick);
        } else {
            (left.y, left.height) = (left.y + thick, left.height - thick);
        }
        rest = after;
    }
    areas
}

/// Files as areas, the largest first.
pub(crate) fn tree_map(about: &str, tiles: &[Tile]) -> Markup {
    let weights: Vec<f64> = tiles.iter().map(|tile| tile.weight).collect();
    let areas = squarified(&weights, Area { x: 0.0, y: 0.0, width: MAP_WIDTH, height: MAP_HEIGHT });
    html! {
        div.scroll tabindex="0" role="region" aria-label=(about) {
            svg.map viewBox=(format!("0 0 {MAP_WIDTH} {MAP_HEIGHT}")) role="group" aria-label=(about) {
                @for (tile, area) in tiles.iter().zip(areas) {
                    @let letters = ((area.width - 10.0) / 7.3).max(0.0) as usize;
                    @let named = letters >= 4 && area.height > 20.0;
                    a href=(tile.href) aria-label=[(!named).then(|| format!("{}, {}", tile.name, tile.about))] {
                        title { (tile.name) ": " (tile.about) }
                        rect class={ "heat" (tile.heat.min(4)) } x=(px(area.x + 1.0)) y=(px(area.y + 1.0))
                            width=(px((area.width - 2.0).max(0.5))) height=(px((area.height - 2.0).max(0.5))) rx="4" {}
                        @if named {
                            text x=(px(area.x + 7.0)) y=(px(area.y + 17.0)) { (cut(short(&tile.name), letters)) }
                        }
                        @if letters >= 8 && area.height > 40.0 {
                            text.small x=(px(area.x + 7.0)) y=(px(area.y + 33.0)) { (cut(&tile.about, letters * 7 / 6)) }
                        }
                    }
                }
            }
        }
    }
}

fn short(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn px(number: f64) -> String {
    format!("{number:.1}")
}

/// A box of the graph of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) place: String,
    /// Empty when there is nothing to open.
    pub(crate) href: String,
}

/// A line between a box of one column and a box of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The column of `from`.
    pub(crate) column: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The text says so; otherwise values or the name alone do.
    pub(crate) sure: bool,
}

const BOX_WIDTH: f64 = 200.0;
const BOX_HEIGHT: f64 = 42.0;
const BOX_GAP: f64 = 12.0;
const COLUMN_GAP: f64 = 48.0;

/// Columns of boxes, from those who call on the left to what is called on the right. `own` is the column of the symbol itself.
pub(crate) fn call_graph(about: &str, columns: &[Vec<Node>], links: &[Link], own: usize) -> Markup {
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let height = rows as f64 * (BOX_HEIGHT + BOX_GAP) - BOX_GAP + 4.0;
    let width = columns.len() as f64 * (BOX_WIDTH + COLUMN_GAP) - COLUMN_GAP + 4.0;
    let at = |column: usize, row: usize| {
        let count = columns.get(column).map_or(0, Vec::len) as f64;
        let above = (height - count * BOX_HEIGHT - (count - 1.0) * BOX_GAP) / 2.0;
        (2.0 + column as f64 * (BOX_WIDTH + COLUMN_GAP), above + row as f64 * (BOX_HEIGHT + BOX_GAP))
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(about) {
            svg.graph.calls viewBox=(format!("0 0 {width:.0} {height:.0}")) width=(px(width)) height=(px(height)) role="group" aria-label=(about) {
                @for link in links {
                    @let (x1, y1) = at(link.column, link.from);
                    @let (x2, y2) = at(link.column + 1, link.to);
                    @let (x1, y1, y2) = (x1 + BOX_WIDTH, y1 + BOX_HEIGHT / 2.0, y2 + BOX_HEIGHT / 2.0);
                    @let bend = COLUMN_GAP / 2.0;
                    path.edge.guess[!link.sure] d=(format!("M{x1:.0} {y1:.0}C{:.0} {y1:.0} {:.0} {y2:.0} {:.0} {y2:.0}", x1 + bend, x2 - bend, x2 - 6.0)) {}
                    path.tip d=(format!("M{:.0} {:.0}l7 4l-7 4z", x2 - 7.0, y2 - 4.0)) {}
                }
                @for (column, nodes) in columns.iter().enumerate() {
                    @for (row, node) in nodes.iter().enumerate() {
                        @let (x, y) = at(column, row);
                        @let drawn = html! {
                            title { (node.name) " " (node.place) }
                            rect.node.me[column == own] x=(px(x)) y=(px(y)) width=(px(BOX_WIDTH)) height=(px(BOX_HEIGHT)) rx="8" {}
                            text.name x=(px(x + 10.0)) y=(px(y + 18.0)) { (cut(&node.name, 23)) }
                            text.small x=(px(x + 10.0)) y=(px(y + 33.0)) { (tail(&node.place, 28)) }
                        };
                        @if node.href.is_empty() { g { (drawn) } }
                        @else { a href=(node.href) { (drawn) } }
                    }
                }
            }
        }
    }
}

/// The end of a text that is too long: of a path the file says most.
fn tail(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let end: String = text.chars().skip(count + 1 - most).collect();
    format!("…{end}")
}

/// A block of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// Its lines, with their numbers.
    pub(crate) lines: Vec<(u32, String)>,
    /// Lines that are not shown.
    pub(crate) more: usize,
    /// Control gets here.
    pub(crate) reached: bool,
    /// Why, and where to; `None` is out of the function.
    pub(crate) next: Vec<(String, Option<usize>)>,
}

/// A line of the flow that does not simply go down.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Jump {
    from: usize,
    to: usize,
    lane: usize,
    word: String,
}

const STEP_WIDTH: f64 = 640.0;
const LINE_HEIGHT: f64 = 17.0;
const STEP_GAP: f64 = 26.0;
const LANE: f64 = 16.0;
const WORD_WIDTH: f64 = 62.0;

/// Gives every jump a lane beside the boxes that no other uses at the same height.
fn in_lanes(mut jumps: Vec<Jump>) -> (Vec<Jump>, usize) {
    jumps.sort_by_key(|jump| jump.from.abs_diff(jump.to));
    let mut lanes: Vec<Vec<(usize, usize)>> = Vec::new();
    for jump in &mut jumps {
        let (top, bottom) = (jump.from.min(jump.to), jump.from.max(jump.to));
        let free = |lane: &Vec<(usize, usize)>| lane.iter().all(|(a, b)| bottom < *a || top > *b);
        jump.lane = lanes.iter().position(free).unwrap_or_else(|| {
            lanes.push(Vec::new());
            lanes.len() - 1
        });
        if let Some(lane) = lanes.get_mut(jump.lane) {
            lane.push((top, bottom));
        }
    }
    let count = lanes.len();
    (jumps, count)
}

/// A function's blocks from top to bottom; jumps forward on the right, back on the left. The last place is the function's end.
pub(crate) fn flow_chart(about: &str, steps: &[Step]) -> Markup {
    let end = steps.len();
    let heights: Vec<f64> = steps
        .iter()
        .map(|step| (step.lines.len() + usize::from(step.more > 0)) as f64 * LINE_HEIGHT + 14.0)
        .collect();
    let mut tops = Vec::with_capacity(end + 1);
    let mut y = 4.0;
    for height in &heights {
        tops.push(y);
        y += height + STEP_GAP;
    }
    tops.push(y);
    let mut forward: Vec<Jump> = Vec::new();
    let mut back: Vec<Jump> = Vec::new();
    let mut down: Vec<(usize, String)> = Vec::new();
    for (from, step) in steps.iter().enumerate() {
        for (word, to) in &step.next {
            let to = to.unwrap_or(end);
            let jump = Jump { from, to, lane: 0, word: word.clone() };
            match to {
                to if to == from + 1 => down.push((from, word.clone())),
                to if to > from => forward.push(jump),
                _ => back.push(jump),
            }
        }
    }
    let (forward, right) = in_lanes(forward);
    let (back, left) = in_lanes(back);
    let x = 6.0 + left as f64 * LANE + if left > 0 { WORD_WIDTH } else { 0.0 };
    let edge = x + STEP_WIDTH;
    let width = edge + right as f64 * LANE + if right > 0 { WORD_WIDTH } else { 0.0 } + 6.0;
    let height = y + 34.0;
    let top = |place: usize| tops.get(place).copied().unwrap_or(y);
    let tall = |place: usize| heights.get(place).copied().unwrap_or(28.0);
    html! {
        div.scroll tabindex="0" role="region" aria-label=(about) {
            svg.graph.flow viewBox=(format!("0 0 {width:.0} {height:.0}")) width=(px(width)) height=(px(height)) role="img" aria-label=(about) {
                @for (from, word) in &down {
                    @let (middle, start) = (x + STEP_WIDTH / 2.0, top(*from) + tall(*from));
                    path.edge d=(format!("M{middle:.0} {start:.0}V{:.0}", top(from + 1) - 6.0)) {}
                    path.tip d=(format!("M{:.0} {:.0}l4 7l4 -7z", middle - 4.0, top(from + 1) - 7.0)) {}
                    @if !word.is_empty() { text.word x=(px(middle + 8.0)) y=(px(start + 17.0)) { (word) } }
                }
                @for (number, jump) in forward.iter().enumerate() {
                    @let lane = edge + WORD_WIDTH + jump.lane as f64 * LANE;
                    // Several that leave one block, or reach one, do so beside each other.
                    @let start = top(jump.from) + tall(jump.from) - 10.0 - 3.0 * (number % 3) as f64;
                    @let goal = top(jump.to) + 12.0 + 3.0 * (number % 3) as f64;
                    path.edge class={ "edge " (jump.word) } d=(format!("M{edge:.0} {start:.0}H{lane:.0}V{goal:.0}H{:.0}", edge + 7.0)) {}
                    path.tip d=(format!("M{:.0} {:.0}l-7 4l7 4z", edge + 8.0, goal - 4.0)) {}
                    @if !jump.word.is_empty() { text.word x=(px(edge + 6.0)) y=(px(start + 11.0)) { (jump.word) } }
                }
                @for jump in &back {
                    @let lane = x - WORD_WIDTH - jump.lane as f64 * LANE;
                    @let (start, goal) = (top(jump.from) + tall(jump.from) - 10.0, top(jump.to) + 12.0);
                    path.edge.back d=(format!("M{x:.0} {start:.0}H{lane:.0}V{goal:.0}H{:.0}", x - 7.0)) {}
                    path.tip.back d=(format!("M{:.0} {:.0}l7 4l-7 4z", x - 8.0, goal - 4.0)) {}
                    @if !jump.word.is_empty() { text.word x=(px(x - WORD_WIDTH + 4.0)) y=(px(start - 4.0)) { (jump.word) } }
                }
                @for (number, step) in steps.iter().enumerate() {
                    rect.node.never[!step.reached].me[number == 0] x=(px(x)) y=(px(top(number))) width=(px(STEP_WIDTH)) height=(px(tall(number))) rx="8" {}
                    @for (row, (line, text)) in step.lines.iter().enumerate() {
                        @let y = top(number) + 19.0 + row as f64 * LINE_HEIGHT;
                        text.no x=(px(x + 36.0)) y=(px(y)) { (line) }
                        text x=(px(x + 48.0)) y=(px(y)) { (cut(text, 72)) }
                    }
                    @if step.more > 0 {
                        text.small x=(px(x + 48.0)) y=(px(top(number) + 19.0 + step.lines.len() as f64 * LINE_HEIGHT)) { (step.more) " more lines" }
                    }
                }
                rect.node.end x=(px(x + STEP_WIDTH / 2.0 - 40.0)) y=(px(y)) width="80" height="28" rx="14" {}
                text.mid x=(px(x + STEP_WIDTH / 2.0)) y=(px(y + 19.0)) { "end" }
                @if forward.iter().any(|jump| jump.to == end) {
                    path.edge.out d=(format!("M{:.0} {:.0}H{:.0}", edge, y + 14.0, x + STEP_WIDTH / 2.0 + 46.0)) {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_areas_fill_the_whole_and_do_not_overlap() {
        let weights = [60.0, 60.0, 40.0, 30.0, 20.0, 10.0, 1.0];
        let whole = Area { x: 0.0, y: 0.0, width: 600.0, height: 400.0 };
        let areas = squarified(&weights, whole);
        let sum: f64 = areas.iter().map(|area| area.width * area.height).sum();
        assert!((sum - 240_000.0).abs() < 1.0, "{sum}");
        for (at, one) in areas.iter().enumerate() {
            assert!(one.x >= -0.01 && one.x + one.width <= 600.01 && one.y + one.height <= 400.01, "{one:?}");
            for other in areas.iter().skip(at + 1) {
                let apart = one.x + one.width <= other.x + 0.01
                    || other.x + other.width <= one.x + 0.01
                    || one.y + one.height <= other.y + 0.01
                    || other.y + other.height <= one.y + 0.01;
                assert!(apart, "{one:?} {other:?}");
            }
        }
        assert!(squarified(&[], whole).is_empty() && squarified(&[0.0], whole).is_empty());
    }

    #[test]
    fn jumps_at_the_same_height_have_lanes_of_their_own() {
        let jump = |from, to| Jump { from, to, lane: 0, word: String::new() };
        let (jumps, count) = in_lanes(vec![jump(0, 5), jump(1, 3), jump(6, 8)]);
        let lane = |from| jumps.iter().find(|jump| jump.from == from).unwrap().lane;
        assert_eq!(count, 2);
        assert!(lane(0) != lane(1) && lane(6) == 0);
    }

    #[test]
    fn what_is_hostile_is_text_in_a_picture_too() {
        let node = Node { name: "<script>x".into(), place: "\"onload=".into(), href: String::new() };
        let graph = call_graph("calls", &[vec![node]], &[], 0).into_string();
        let step = Step { lines: vec![(1, "</text><script>".into())], reached: true, ..Step::default() };
        let flow = flow_chart("flow", &[step]).into_string();
        for svg in [graph, flow] {
            assert!(!svg.contains("<script>") && !svg.contains("style="), "{svg}");
        }
    }
}
