//! The text of a file as the parsers see it: bytes of any kind become text or a clear refusal, and lines are found.

use std::borrow::Cow;

/// Why there is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// It has zero bytes.
    #[error("this is a binary file")]
    Binary,
    /// It has nothing.
    #[error("the file is empty")]
    Empty,
}

/// A file's text and where its lines begin.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text.
    pub text: String,
    /// Bytes where lines begin.
    starts: Vec<u32>,
    /// What was odd about it.
    pub notes: Vec<String>,
}

/// Bytes in which a zero says that it is no text.
const LOOK_AT: usize = 8 << 10;
/// A line as nobody writes it.
const LONG_LINE: usize = 5_000;

impl Source {
    /// The text of some bytes. At most `most` bytes are taken, up to the end of a line.
    pub fn new(bytes: &[u8], most: usize) -> Result<Self, TextError> {
        let mut notes = Vec::new();
        let text = match decode(bytes, &mut notes)? {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        };
        let text = cut(text, most, &mut notes);
        if text.trim().is_empty() {
            return Err(TextError::Empty);
        }
        // A line has some thirty bytes; what is short of room grows once.
        let mut starts = Vec::with_capacity(text.len() / 24 + 2);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        let source = Self { text, starts, notes };
        Ok(source)
    }

    /// The text, where it is one.
    pub fn of_text(text: &str) -> Result<Self, TextError> {
        Self::new(text.as_bytes(), usize::MAX)
    }

    /// How many lines.
    pub fn lines(&self) -> u32 {
        let last = self.starts.last().copied().unwrap_or(0) as usize;
        (self.starts.len() - usize::from(last >= self.text.len())) as u32
    }

    /// One line, from 1, without its end.
    pub fn line(&self, number: u32) -> &str {
        let index = number.saturating_sub(1) as usize;
        let Some(start) = self.starts.get(index).map(|start| *start as usize) else { return "" };
        let end = self.starts.get(index + 1).map_or(self.text.len(), |end| *end as usize - 1);
        self.text.get(start..end.max(start)).unwrap_or("").trim_end_matches('\r')
    }

    /// The text of some lines, both counted, from 1.
    pub fn span(&self, from: u32, to: u32) -> &str {
        let start =
            self.starts.get(from.saturating_sub(1) as usize).map_or(self.text.len(), |at| *at as usize);
        let end = self.starts.get(to as usize).map_or(self.text.len(), |at| *at as usize);
        self.text.get(start..end.max(start)).unwrap_or("")
    }

    /// The line of a byte, from 1.
    pub fn line_of(&self, byte: usize) -> u32 {
        self.starts.partition_point(|start| *start as usize <= byte) as u32
    }

    /// What must be said of a text that nobody wrote by hand.
    pub fn remark(&self) -> Option<String> {
        if self.is_minified() {
            Some("the text is minified: lines say little about where a symbol is".to_owned())
        } else if self.is_generated() {
            Some("a program wrote this file".to_owned())
        } else {
            None
        }
    }

    /// True for text that a program wrote to be small: its lines have no end.
    pub fn is_minified(&self) -> bool {
        if self.text.len() / (self.lines().max(1) as usize) > 400 {
            return true;
        }
        let ends = self.starts.iter().skip(1).copied().chain([self.text.len() as u32]);
        // With its end a line is longer than without: most texts have none that is worth a look.
        let longest = self.starts.iter().zip(ends).map(|(start, end)| end - start).max().unwrap_or(0);
        if longest as usize <= LONG_LINE {
            return false;
        }
        let longest = (1..=self.lines()).map(|line| self.line(line).len()).max().unwrap_or(0);
        longest > LONG_LINE && longest * 4 > self.text.len()
    }

    /// True for text that says that a program wrote it.
    fn is_generated(&self) -> bool {
        (1..=self.lines().min(12)).any(|line| {
            let line = self.line(line).to_ascii_lowercase();
            line.contains("@generated") || (line.contains("generated") && line.contains("do not edit"))
        })
    }
}

fn decode<'a>(bytes: &'a [u8], notes: &mut Vec<String>) -> Result<Cow<'a, str>, TextError> {
    let wide = |little: bool| {
        let unit = |pair: &[u8]| match *pair {
            [a, b] if little => u16::from_le_bytes([a, b]),
            [a, b] => u16::from_be_bytes([a, b]),
            _ => 0xFFFD,
        };
        let units: Vec<u16> = bytes.chunks(2).skip(1).map(unit).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes {
        [0xFF, 0xFE, ..] => {
            notes.push("the file is UTF-16".to_owned());
            return Ok(wide(true));
        }
        [0xFE, 0xFF, ..] => {
            notes.push("the file is UTF-16".to_owned());
            return Ok(wide(false));
        }
        _ => {}
    }
    if bytes.iter().take(LOOK_AT).any(|byte| *byte == 0) {
        return Err(TextError::Binary);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => {
            let line = bytes.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count() + 1;
            notes.push(format!("the file is not UTF-8 (line {line}); the odd bytes are shown as \u{FFFD}"));
            // One byte becomes one character of three: the lines stay where they are.
            Ok(String::from_utf8_lossy(bytes))
        }
    }
}

fn cut(mut text: String, most: usize, notes: &mut Vec<String>) -> String {
    if text.len() <= most {
        return text;
    }
    let whole = text.len();
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if let Some(line) = text.get(..end).and_then(|head| head.rfind('\n')) {
        end = line + 1;
    }
    text.truncate(end);
    let lines = text.lines().count();
    notes.push(format!("only the first {end} of {whole} bytes were read (lines 1-{lines})"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_with_every_kind_of_end() {
        let source = Source::of_text("a\r\nbb\n\nccc").unwrap();
        assert_eq!(source.lines(), 4);
        assert_eq!([1, 2, 3, 4, 5].map(|line| source.line(line)), ["a", "bb", "", "ccc", ""]);
        assert_eq!((source.line_of(0), source.line_of(3), source.line_of(7)), (1, 2, 4));
        assert_eq!(source.span(2, 3), "bb\n\n");
        assert_eq!(Source::of_text("a\n").unwrap().lines(), 1);
    }

    #[test]
    fn odd_bytes_are_said_and_binary_is_refused() {
        assert_eq!(Source::new(b"\x7fELF\0\0", 100).unwrap_err(), TextError::Binary);
        assert_eq!(Source::new(b" \n", 100).unwrap_err(), TextError::Empty);
        let source = Source::new(b"def a(): pass\n# caf\xe9\n", 100).unwrap();
        assert!(source.notes[0].contains("not UTF-8 (line 2)"), "{:?}", source.notes);
        let wide: Vec<u8> = "\u{feff}def f(): pass\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(Source::new(&wide, 100).unwrap().text.starts_with("def f()"));
    }

    #[test]
    fn a_long_text_is_cut_at_a_line_and_says_so() {
        let source = Source::new("äb\ncd\nef\n".as_bytes(), 8).unwrap();
        assert_eq!(source.text, "äb\ncd\n");
        assert!(source.notes[0].contains("lines 1-2"), "{:?}", source.notes);
    }

    #[test]
    fn what_a_program_wrote_is_seen() {
        assert!(Source::of_text(&"x=1;".repeat(2_000)).unwrap().is_minified());
        assert!(!Source::of_text(&"let x = 1;\n".repeat(2_000)).unwrap().is_minified());
        assert!(Source::of_text("// Code generated by x. DO NOT EDIT.\npackage a\n").unwrap().is_generated());
    }
}
