//! Normalises characters for comparison: lower case, without accents, look-alikes replaced. Pure.

/// Characters that are not seen and split words.
pub(super) fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e01ef}')
}

/// Marks that stand on a letter.
pub(super) fn mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{93c}' | '\u{94d}' | '\u{9cd}' | '\u{a4d}' | '\u{acd}' | '\u{b4d}' | '\u{bcd}' | '\u{c4d}' | '\u{ccd}' | '\u{d4d}' | '\u{e47}'..='\u{e4e}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Scripts that put no blank between words.
pub(super) fn unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Latin letters that are one with a mark, by the letter.
const ACCENTS: &[(&str, &str)] = &[
    ("a", "àáâãäåāăąǎạảấầẩẫậắằẳẵặªα"),
    ("c", "çćĉċčϲ"),
    ("d", "ďđðḍ"),
    ("e", "èéêëēĕėęěẹẻẽếềểễệε"),
    ("g", "ĝğġģɡ"),
    ("h", "ĥħḥ"),
    ("i", "ìíîïĩīĭįıǐịỉι"),
    ("j", "ĵ"),
    ("k", "ķκ"),
    ("l", "ĺļľŀłḷ"),
    ("n", "ñńņňŉṇɴ"),
    ("o", "òóôõöøōŏőǒọỏốồổỗộơớờởỡợºο"),
    ("r", "ŕŗřʀ"),
    ("s", "śŝşšșſṣꜱ"),
    ("t", "ţťŧțṭτ"),
    ("u", "ùúûüũūŭůűųǔụủưứừửữựυ"),
    ("w", "ŵẁẃẅ"),
    ("y", "ýÿŷỳỵỷỹ"),
    ("z", "źżžẓ"),
    ("ae", "æ"),
    ("oe", "œ"),
    ("ss", "ß"),
    ("v", "ν"),
    ("p", "ρ"),
    ("x", "χ"),
];

/// Cyrillic letters that look like Latin ones; they count as such only in a word that is Latin otherwise.
const LOOKALIKES: &[(char, char)] = &[
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('у', 'y'),
    ('х', 'x'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ѕ', 's'),
    ('ԁ', 'd'),
    ('ɡ', 'g'),
    ('һ', 'h'),
    ('ԛ', 'q'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('к', 'k'),
    ('м', 'm'),
    ('т', 't'),
    ('в', 'b'),
    ('н', 'h'),
    ('п', 'n'),
    ('г', 'r'),
    ('ո', 'n'),
    ('օ', 'o'),
    ('ս', 'u'),
    ('ց', 'g'),
    ('հ', 'h'),
    ('լ', 'l'),
];

/// What a Cyrillic or Armenian letter looks like.
pub(super) fn lookalike(c: char) -> Option<char> {
    LOOKALIKES.iter().find(|(seen, _)| *seen == c).map(|(_, like)| *like)
}

/// A Cyrillic or Armenian letter.
pub(super) fn cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}' | '\u{531}'..='\u{58f}')
}

/// The letters and digits that a character is compared as; none for signs.
pub(super) fn letters(c: char) -> impl Iterator<Item = char> {
    let mut out = ['\0'; 3];
    let mut len = 0;
    let mut push = |c: char| {
        if let Some(slot) = out.get_mut(len) {
            *slot = c;
            len += 1;
        }
    };
    if c.is_ascii() {
        if c.is_ascii_alphanumeric() {
            push(c.to_ascii_lowercase());
        }
    } else if let Some(plain) = styled(c) {
        push(plain);
    } else if !invisible(c) && !mark(c) {
        for small in c.to_lowercase() {
            if mark(small) {
                continue;
            }
            match ACCENTS.iter().find(|(_, variants)| small < '\u{2000}' && variants.contains(small)) {
                // Greek letters stay Greek unless they are among Latin ones; the word decides.
                Some((latin, _)) if !greek(small) => latin.chars().for_each(&mut push),
                _ if small.is_alphanumeric() => push(plain(small)),
                _ => {}
            }
        }
    }
    out.into_iter().take(len)
}

/// Letters that writers use for one another, and Greek ones without their accent.
fn plain(c: char) -> char {
    match c {
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ى' => 'ي',
        'ة' => 'ه',
        'ё' => 'е',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        other => other,
    }
}

/// A Greek letter.
pub(super) fn greek(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{3ff}')
}

/// What a Greek letter looks like among Latin ones.
pub(super) fn greek_lookalike(c: char) -> Option<char> {
    let (plain, _) = ACCENTS.iter().find(|(_, variants)| greek(c) && variants.contains(c))?;
    plain.chars().next()
}

/// Full-width, circled and mathematical letters as plain ones.
fn styled(c: char) -> Option<char> {
    let code = u32::from(c);
    let letter = |offset: u32| char::from_u32(u32::from('a') + offset % 26);
    match code {
        0xff21..=0xff3a => letter(code - 0xff21),
        0xff41..=0xff5a => letter(code - 0xff41),
        0xff10..=0xff19 => char::from_u32(code - 0xff10 + u32::from('0')),
        0x24b6..=0x24cf => letter(code - 0x24b6),
        0x24d0..=0x24e9 => letter(code - 0x24d0),
        0x1d400..=0x1d6a3 => letter(code - 0x1d400),
        0x1d7ce..=0x1d7ff => char::from_u32((code - 0x1d7ce) % 10 + u32::from('0')),
        0x1f130..=0x1f149 => letter(code - 0x1f130),
        0x1f150..=0x1f169 => letter(code - 0x1f150),
        0x1f170..=0x1f189 => letter(code - 0x1f170),
        _ => None,
    }
}

/// The letter that a digit or sign stands for inside a word: `1gn0r3`.
pub(super) fn leet(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        other => other,
    }
}
