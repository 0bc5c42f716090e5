//! The rules of the reference tokenisation, written a second time in the plainest way, against ours on any text.

use proptest::prelude::*;
use sprag_encoder::{MAX_TOKENS, tokens};
use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory as C, UnicodeGeneralCategory as _};

static VOCABULARY: LazyLock<HashMap<&'static str, u16>> =
    LazyLock::new(|| include_str!("../../model/vocab.txt").lines().zip(0..).collect());

/// One pass over the whole text per rule, in the order of the reference.
fn reference(text: &str) -> Vec<u16> {
    let cleaned: String = text
        .chars()
        .filter(|c| *c != '\0' && *c != '\u{fffd}')
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| {
            !matches!(
                c.general_category(),
                C::Control | C::Format | C::PrivateUse | C::Unassigned | C::Surrogate
            )
        })
        .collect();
    let spaced: String = cleaned
        .chars()
        .map(|c| {
            let code = c as u32;
            let ideograph = [
                (0x4e00, 0x9fff),
                (0x3400, 0x4dbf),
                (0x20000, 0x2a6df),
                (0x2a700, 0x2b73f),
                (0x2b740, 0x2b81f),
                (0x2b920, 0x2ceaf),
                (0xf900, 0xfaff),
                (0x2f800, 0x2fa1f),
            ]
            .iter()
            .any(|(low, high)| (*low..=*high).contains(&code));
            if ideograph { format!(" {c} ") } else { c.to_string() }
        })
        .collect();
    let plain: String = spaced.nfd().filter(|c| c.general_category() != C::NonspacingMark).collect();
    let lower = plain.chars().flat_map(char::to_lowercase).collect::<String>();
    let punctuation = |c: char| {
        c.is_ascii_punctuation()
            || matches!(
                c.general_category(),
                C::ConnectorPunctuation
                    | C::DashPunctuation
                    | C::OpenPunctuation
                    | C::ClosePunctuation
                    | C::InitialPunctuation
                    | C::FinalPunctuation
                    | C::OtherPunctuation
            )
    };
    let split: String =
        lower.chars().map(|c| if punctuation(c) { format!(" {c} ") } else { c.to_string() }).collect();
    let mut ids = vec![101];
    for word in split.split(' ').filter(|word| !word.is_empty()) {
        ids.extend(pieces(word));
    }
    ids.truncate(MAX_TOKENS - 1);
    ids.push(102);
    ids
}

fn pieces(word: &str) -> Vec<u16> {
    let letters: Vec<char> = word.chars().collect();
    if letters.len() > 100 {
        return vec![100];
    }
    let (mut ids, mut start) = (Vec::new(), 0);
    while start < letters.len() {
        let mut end = letters.len();
        let found = loop {
            if start == end {
                return vec![100];
            }
            let piece: String = letters[start..end].iter().collect();
            let piece = if start > 0 { format!("##{piece}") } else { piece };
            if let Some(id) = VOCABULARY.get(piece.as_str()) {
                break *id;
            }
            end -= 1;
        };
        ids.push(found);
        start = end;
    }
    ids
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text(text in any::<String>()) {
        prop_assert_eq!(tokens(&text), reference(&text));
    }

    #[test]
    fn texts_like_those_that_people_write(
        text in "([a-zA-Z]{1,12}|[a-z_]{3,20}|[A-Z][a-z]+[A-Z][a-z]+|[0-9.]{1,6}|[éüñßÅçİ]{1,3}|[中文字한글]{1,3}|[-+=;:,.!?(){}/\\\\'\"#@$]|\u{301}|\u{200d}|🙂|\t|\n| ){0,60}"
    ) {
        prop_assert_eq!(tokens(&text), reference(&text));
    }

    #[test]
    fn case_accents_and_blanks_make_no_difference(words in prop::collection::vec("[a-z]{1,9}", 1..8)) {
        let plain = tokens(&words.join(" "));
        prop_assert_eq!(&tokens(&words.join(" \t\n ").to_uppercase()), &plain);
        prop_assert_eq!(&tokens(&words.join("\u{301} ")), &plain);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn long_texts_are_cut_with_the_end_mark(word in "[a-z]{1,120}", times in 200usize..400) {
        let text = format!("{word} ").repeat(times);
        let ids = tokens(&text);
        prop_assert!(ids.len() <= MAX_TOKENS && ids.last() == Some(&102));
        prop_assert_eq!(ids, reference(&text));
    }
}

#[test]
fn named_rules() {
    let same = |a: &str, b: &str| assert_eq!(tokens(a), tokens(b), "{a:?} and {b:?}");
    same("Café", "cafe");
    same("a\u{0}b\u{fffd}c\u{200b}d", "abcd");
    same("x+=1", "x + = 1");
    same("中文", "中 文");
    assert_eq!(tokens(&"a".repeat(101)), [101, 100, 102], "a word over 100 characters is unknown");
    assert_ne!(tokens(&"a".repeat(100)), [101, 100, 102]);
}
