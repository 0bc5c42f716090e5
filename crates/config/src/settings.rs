//! Settings: a struct per hook and per section, what the configuration says, and the one place that fills the first from
//! the second. [`settings!`](crate::settings!) makes the struct and the table of its keys; the reader of files, the template, the
//! reference and the JSON schema work from that table.

use crate::spec::Bundle;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// A configured value, in a form that the compiled cache can hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A table, in the order of the file.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// The text of a text value.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a list; nothing for other values.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The entries of a list; of another value itself, since one text may be written where a list is wanted.
    fn list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            one => std::slice::from_ref(one),
        }
    }

    /// A table's value.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Table(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// What a setting may hold, with its default.
#[derive(Clone, Copy, Debug)]
pub enum SettingKind {
    /// A switch.
    Bool(bool),
    /// A whole number of at least `min`.
    Int {
        /// Without a word in the configuration.
        default: i64,
        /// The least that makes sense.
        min: i64,
    },
    /// Text.
    Text(&'static str),
    /// One of several words; the first is the default.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts(&'static [&'static str]),
    /// A list of tables with these keys.
    Tables(&'static [Setting]),
    /// A table of texts under keys of the user's own.
    Map,
}

/// In which direction an untrusted project may move a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tighten {
    /// In none.
    Never,
    /// Down.
    Lower,
    /// Up.
    Raise,
    /// A switch may be set to true.
    ToTrue,
    /// A list may become longer.
    Add,
    /// A list of tables may become longer by those whose `decision` is not `allow`.
    AddStops,
}

/// One setting that a builtin declares.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key under `[hook.<name>]`.
    pub key: &'static str,
    /// What it holds.
    pub kind: SettingKind,
    /// What an untrusted project may do to it.
    pub tighten: Tighten,
    /// One line for the reference.
    pub doc: &'static str,
    /// It has no default: what is not written is not set.
    pub optional: bool,
    /// A switch that is on with this bundle, unless the configuration says otherwise.
    pub bundle: Option<Bundle>,
}

impl Setting {
    /// A setting that only a trusted file may change.
    pub const fn new(key: &'static str, kind: SettingKind, doc: &'static str) -> Self {
        Self { key, kind, tighten: Tighten::Never, doc, optional: false, bundle: None }
    }

    /// The same, which an untrusted project may move in one direction.
    pub const fn tighten(mut self, tighten: Tighten) -> Self {
        self.tighten = tighten;
        self
    }

    /// The same, on with a bundle.
    pub const fn with(mut self, bundle: Bundle) -> Self {
        self.bundle = Some(bundle);
        self
    }

    /// The same without a default.
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// The default of a list, as a value.
    pub fn default_list(&self) -> Option<Value> {
        match self.kind {
            SettingKind::Texts(texts) => {
                Some(Value::List(texts.iter().map(|text| Value::Text((*text).to_owned())).collect()))
            }
            _ => None,
        }
    }

    /// The default as it would stand in the file.
    pub fn default_text(&self) -> String {
        match self.kind {
            SettingKind::Bool(on) => on.to_string(),
            SettingKind::Int { default, .. } => default.to_string(),
            SettingKind::Text(text) => format!("{text:?}"),
            SettingKind::Choice(words) => format!("{:?}", words.first().copied().unwrap_or_default()),
            SettingKind::Texts(texts) => format!("{texts:?}"),
            SettingKind::Tables(_) => "[]".to_owned(),
            SettingKind::Map => "{}".to_owned(),
        }
    }
}

/// A hook's settings as they apply to one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    values: Vec<(String, Value)>,
}

impl Settings {
    /// The configured value, when there is one.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.values.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Sets a value.
    pub fn set(&mut self, key: &str, value: Value) {
        match self.values.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.values.push((key.to_owned(), value)),
        }
    }

    /// Takes a value out.
    pub fn unset(&mut self, key: &str) {
        self.values.retain(|(name, _)| name != key);
    }

    /// Sets everything that `other` sets.
    pub fn merge(&mut self, other: &Self) {
        for (key, value) in &other.values {
            self.set(key, value.clone());
        }
    }

    /// Nothing set.
    pub const fn empty() -> Self {
        Self { values: Vec::new() }
    }

    /// The settings as a struct: configured values over defaults.
    pub fn read<'a, T: FromSettings<'a>>(&'a self) -> T {
        T::from_values(Values(&self.values))
    }

    /// The keys that are set.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(key, _)| key.as_str())
    }
}

/// The keys of two structs that one table fills.
pub const fn joined<const N: usize>(first: &[Setting], second: &[Setting]) -> [Setting; N] {
    let (mut keys, mut rest) = (first, second);
    let mut all = [Setting::new("", SettingKind::Bool(false), ""); N];
    let mut left: &mut [Setting] = &mut all;
    while let [slot, others @ ..] = left {
        if keys.is_empty() {
            (keys, rest) = (rest, &[]);
        }
        if let [key, more @ ..] = keys {
            *slot = *key;
            keys = more;
        }
        left = others;
    }
    all
}

/// A struct that [`settings!`](crate::settings!) made.
pub trait FromSettings<'a>: Sized {
    /// Its fields from a table's values, and from their defaults where the table has none.
    fn from_values(values: Values<'a>) -> Self;
}

/// One of several words; [`setting_choice!`](crate::setting_choice!) makes such an enum.
pub trait Choice: Copy + 'static {
    /// The first is the default.
    const DEFAULT: Self;
    /// The words of the configuration, the default first.
    const WORDS: &'static [&'static str];

    /// What a word stands for.
    fn from_word(word: &str) -> Option<Self>;

    /// Its word.
    fn word(self) -> &'static str;
}

/// A whole number that a setting can be.
pub trait Whole {
    /// The nearest value to a configured number.
    fn from_int(number: i64) -> Self;
}

impl Whole for i64 {
    fn from_int(number: i64) -> Self {
        number
    }
}

macro_rules! whole {
    ($($type:ty)+) => {$(
        impl Whole for $type {
            fn from_int(number: i64) -> Self {
                Self::try_from(number).unwrap_or(if number < 0 { 0 } else { Self::MAX })
            }
        }
    )+};
}

whole!(u8 u32 u64 usize);

/// The values of one table. Only [`settings!`](crate::settings!) looks keys up in it.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a>(&'a [(String, Value)]);

impl<'a> Values<'a> {
    fn of(value: &'a Value) -> Self {
        match value {
            Value::Table(entries) => Self(entries),
            _ => Self(&[]),
        }
    }

    fn get(self, key: &str) -> Option<&'a Value> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// A switch.
    #[doc(hidden)]
    pub fn flag(self, key: &str) -> Option<bool> {
        match self.get(key) {
            Some(Value::Bool(on)) => Some(*on),
            _ => None,
        }
    }

    /// A whole number, raised to the least that makes sense.
    #[doc(hidden)]
    pub fn number<N: Whole>(self, key: &str, min: i64) -> Option<N> {
        match self.get(key) {
            Some(Value::Int(number)) => Some(N::from_int((*number).max(min))),
            _ => None,
        }
    }

    /// A text.
    #[doc(hidden)]
    pub fn text(self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_text()
    }

    /// A list of texts.
    #[doc(hidden)]
    pub fn texts(self, key: &str) -> Option<Texts<'a>> {
        let value = self.get(key)?;
        Some(Texts { defaults: &[], values: value.list() })
    }

    /// One of several words.
    #[doc(hidden)]
    pub fn choice<C: Choice>(self, key: &str) -> Option<C> {
        C::from_word(self.text(key)?)
    }

    /// A list of tables.
    #[doc(hidden)]
    pub fn tables<T>(self, key: &str) -> Tables<'a, T> {
        Tables { items: self.get(key).map_or(&[], Value::items), item: PhantomData }
    }

    /// A table of texts.
    #[doc(hidden)]
    pub fn map(self, key: &str) -> Map<'a> {
        Map(self.get(key).map_or(Values(&[]), Values::of))
    }
}

/// A list of texts: the configured one, or the default.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    defaults: &'static [&'static str],
    values: &'a [Value],
}

impl<'a> Texts<'a> {
    /// A list that is not configured.
    pub const fn fixed(texts: &'static [&'static str]) -> Self {
        Self { defaults: texts, values: &[] }
    }

    /// The texts in order.
    pub fn iter(self) -> impl Iterator<Item = &'a str> + Clone {
        self.defaults.iter().copied().chain(self.values.iter().filter_map(Value::as_text))
    }

    /// No text.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// True when one of them is this text.
    pub fn contains(self, text: &str) -> bool {
        self.iter().any(|one| one == text)
    }

    /// The texts as a vector.
    pub fn to_vec(self) -> Vec<&'a str> {
        self.iter().collect()
    }

    /// The texts as a vector of their own.
    pub fn to_owned_vec(self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }
}

/// A list of tables, each read as `T`.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a, T> {
    items: &'a [Value],
    item: PhantomData<T>,
}

impl<'a, T: FromSettings<'a>> Tables<'a, T> {
    /// The tables in order.
    pub fn iter(self) -> impl Iterator<Item = T> {
        self.items.iter().map(|item| T::from_values(Values::of(item)))
    }

    /// No table.
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// A table of texts under keys of the user's own.
#[derive(Clone, Copy, Debug)]
pub struct Map<'a>(Values<'a>);

impl<'a> Map<'a> {
    /// The text under a key.
    pub fn get(self, key: &str) -> Option<&'a str> {
        self.0.text(key)
    }

    /// Keys and texts in the order of the file.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.0.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_text()?)))
    }
}

/// Makes a settings struct: typed fields, the table `SETTINGS` of its keys, and its [`FromSettings`].
///
/// A field is `name: Type = default, min least, tighten Direction, with Bundle;`, its doc comment is the text of the reference. The types:
/// `bool`, `u8`, `u32`, `u64`, `usize`, `i64`, `Text` (`&str`), `Texts`, `Map`, `Tables<Item>` (`Item` is such a struct
/// with a lifetime), an enum of [`setting_choice!`](crate::setting_choice!), and `Option<…>` of these (`Some` only when it
/// is configured). A struct that borrows is written with `<'a>`. `name as "key"` is for keys that are no Rust names.
#[macro_export]
macro_rules! settings {
    (@type bool) => { bool };
    (@type u8) => { u8 };
    (@type u32) => { u32 };
    (@type u64) => { u64 };
    (@type usize) => { usize };
    (@type i64) => { i64 };
    (@type Text) => { &'a str };
    (@type Texts) => { $crate::settings::Texts<'a> };
    (@type Map) => { $crate::settings::Map<'a> };
    (@type Tables<$item:ident>) => { $crate::settings::Tables<'a, $item<'a>> };
    (@type Option<$of:ident>) => { Option<$crate::settings!(@type $of)> };
    (@type $choice:ident) => { $choice };

    (@or [] $otherwise:expr) => { $otherwise };
    (@or [$given:expr] $otherwise:expr) => { $given };

    (@kind bool $default:tt $min:tt) => { $crate::settings::SettingKind::Bool($crate::settings!(@or $default false)) };
    (@kind u8 $default:tt $min:tt) => { $crate::settings!(@int $default $min) };
    (@kind u32 $default:tt $min:tt) => { $crate::settings!(@int $default $min) };
    (@kind u64 $default:tt $min:tt) => { $crate::settings!(@int $default $min) };
    (@kind usize $default:tt $min:tt) => { $crate::settings!(@int $default $min) };
    (@kind i64 $default:tt $min:tt) => { $crate::settings!(@int $default $min) };
    (@kind Text $default:tt $min:tt) => { $crate::settings::SettingKind::Text($crate::settings!(@or $default "")) };
    (@kind Texts $default:tt $min:tt) => { $crate::settings::SettingKind::Texts(&$crate::settings!(@or $default [])) };
    (@kind Map $default:tt $min:tt) => { $crate::settings::SettingKind::Map };
    (@kind Tables<$item:ident> $default:tt $min:tt) => { $crate::settings::SettingKind::Tables($item::SETTINGS) };
    (@kind Option<$of:ident> $default:tt $min:tt) => { $crate::settings!(@kind $of $default $min) };
    (@kind $choice:ident $default:tt $min:tt) => {
        $crate::settings::SettingKind::Choice(<$choice as $crate::settings::Choice>::WORDS)
    };
    (@int $default:tt $min:tt) => {
        $crate::settings::SettingKind::Int { default: $crate::settings!(@or $default 0), min: $crate::settings!(@or $min 0) }
    };

    (@given $values:ident $key:tt bool $min:tt) => { $values.flag($key) };
    (@given $values:ident $key:tt Text $min:tt) => { $values.text($key) };
    (@given $values:ident $key:tt Texts $min:tt) => { $values.texts($key) };
    (@given $values:ident $key:tt u8 $min:tt) => { $values.number::<u8>($key, $crate::settings!(@or $min 0)) };
    (@given $values:ident $key:tt u32 $min:tt) => { $values.number::<u32>($key, $crate::settings!(@or $min 0)) };
    (@given $values:ident $key:tt u64 $min:tt) => { $values.number::<u64>($key, $crate::settings!(@or $min 0)) };
    (@given $values:ident $key:tt usize $min:tt) => { $values.number::<usize>($key, $crate::settings!(@or $min 0)) };
    (@given $values:ident $key:tt i64 $min:tt) => { $values.number::<i64>($key, $crate::settings!(@or $min 0)) };
    (@given $values:ident $key:tt $choice:ident $min:tt) => { $values.choice::<$choice>($key) };

    (@read $values:ident $key:tt Option<$of:ident> $default:tt $min:tt) => {
        $crate::settings!(@given $values $key $of $min)
    };
    (@read $values:ident $key:tt Tables<$item:ident> $default:tt $min:tt) => { $values.tables($key) };
    (@read $values:ident $key:tt Map $default:tt $min:tt) => { $values.map($key) };
    (@read $values:ident $key:tt $type:ident $default:tt $min:tt) => {
        $crate::settings!(@given $values $key $type $min).unwrap_or($crate::settings!(@default $type $default))
    };
    (@default bool $default:tt) => { $crate::settings!(@or $default false) };
    (@default Text $default:tt) => { $crate::settings!(@or $default "") };
    (@default Texts $default:tt) => { $crate::settings::Texts::fixed(&$crate::settings!(@or $default [])) };
    (@default u8 $default:tt) => { $crate::settings!(@whole $default) };
    (@default u32 $default:tt) => { $crate::settings!(@whole $default) };
    (@default u64 $default:tt) => { $crate::settings!(@whole $default) };
    (@default usize $default:tt) => { $crate::settings!(@whole $default) };
    (@default i64 $default:tt) => { $crate::settings!(@whole $default) };
    (@default $choice:ident $default:tt) => { <$choice as $crate::settings::Choice>::DEFAULT };
    (@whole $default:tt) => { $crate::settings::Whole::from_int($crate::settings!(@or $default 0)) };

    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@setting Option [] $setting:expr) => { $setting.optional() };
    (@setting $type:ident $default:tt $setting:expr) => { $setting };

    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(<$life:lifetime>)? {
            $(
                $(#[doc = $doc:literal])+
                $field:ident $(as $key:literal)? : $type:ident $(<$of:ident>)?
                    $(= $default:expr)? $(, min $min:expr)? $(, tighten $tighten:ident)? $(, with $bundle:ident)?;
            )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name $(<$life>)? {
            $(
                $(#[doc = $doc])+
                $vis $field: $crate::settings!(@type $type $(<$of>)?),
            )+
        }

        impl $(<$life>)? $name $(<$life>)? {
            /// The keys, as the configuration has them.
            $vis const SETTINGS: &'static [$crate::settings::Setting] = &[$(
                $crate::settings!(@setting $type [$($default)?] $crate::settings::Setting::new(
                    $crate::settings!(@key $field $($key)?),
                    $crate::settings!(@kind $type $(<$of>)? [$($default)?] [$($min)?]),
                    concat!($($doc),+).trim_ascii_start(),
                )) $(.tighten($crate::settings::Tighten::$tighten))? $(.with($crate::spec::Bundle::$bundle))?,
            )+];
        }

        impl<'a> $crate::settings::FromSettings<'a> for $name $(<$life>)? {
            fn from_values(values: $crate::settings::Values<'a>) -> Self {
                Self {$(
                    $field: $crate::settings!(
                        @read values ($crate::settings!(@key $field $($key)?)) $type $(<$of>)? [$($default)?] [$($min)?]
                    ),
                )+}
            }
        }
    };
}

/// Makes an enum of the words that a setting may hold; the first is the default.
#[macro_export]
macro_rules! setting_choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $(#[$first_meta:meta])* $first:ident = $first_word:literal,
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $(#[$first_meta])* $first,
            $($(#[$variant_meta])* $variant),+
        }

        impl $crate::settings::Choice for $name {
            const DEFAULT: Self = Self::$first;
            const WORDS: &'static [&'static str] = &[$first_word, $($word),+];

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $first_word => Some(Self::$first),
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            fn word(self) -> &'static str {
                match self {
                    Self::$first => $first_word,
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    setting_choice! {
        /// A choice.
        enum Answer { Deny = "deny", Ask = "ask" }
    }

    settings! {
        /// A table of a list.
        struct Limit<'a> {
            /// The tool.
            tool: Text;
            /// Its limit.
            at: Option<u64>, min 2;
        }
    }

    settings! {
        /// Settings of a hook.
        struct Sample<'a> {
            /// A number
            /// over two lines.
            warn_at: usize = 4, min 2, tighten Lower;
            /// A switch.
            on: bool = true;
            /// A list.
            tools: Texts = ["Edit", "Write"], tighten Add;
            /// A choice.
            answer: Answer;
            /// A text.
            kind as "type": Text = "x";
            /// Tables.
            limits: Tables<Limit>;
            /// A map.
            styles: Map;
            /// Known only when it is configured.
            most: Option<usize> = 7, min 1;
        }
    }

    #[test]
    fn nothing_configured_is_the_defaults() {
        let none = Settings::empty();
        let sample: Sample<'_> = none.read();
        assert_eq!((sample.warn_at, sample.on, sample.answer, sample.kind), (4, true, Answer::Deny, "x"));
        assert_eq!(sample.tools.to_vec(), ["Edit", "Write"]);
        assert!(sample.limits.is_empty() && sample.styles.get("ts").is_none() && sample.most.is_none());
    }

    #[test]
    fn configured_values_go_before_defaults_and_keep_to_the_least() {
        let text = |text: &str| Value::Text(text.to_owned());
        let mut settings = Settings::empty();
        settings.set("warn_at", Value::Int(1));
        settings.set("on", Value::Bool(false));
        settings.set("tools", Value::List(vec![text("Bash")]));
        settings.set("answer", text("ask"));
        settings.set("type", text("y"));
        settings.set("most", Value::Int(9));
        settings.set("styles", Value::Table(vec![("ts".to_owned(), text("camel"))]));
        let limit = vec![("tool".to_owned(), text("Read")), ("at".to_owned(), Value::Int(1))];
        settings.set("limits", Value::List(vec![Value::Table(limit), Value::Table(Vec::new())]));
        let sample: Sample<'_> = settings.read();
        assert_eq!((sample.warn_at, sample.on, sample.answer, sample.kind), (2, false, Answer::Ask, "y"));
        assert_eq!((sample.tools.to_vec(), sample.most), (vec!["Bash"], Some(9)));
        assert_eq!(sample.styles.iter().collect::<Vec<_>>(), [("ts", "camel")]);
        let limits: Vec<_> = sample.limits.iter().map(|limit| (limit.tool, limit.at)).collect();
        assert_eq!(limits, [("Read", Some(2)), ("", None)]);
    }

    #[test]
    fn the_table_has_keys_defaults_and_docs() {
        let [warn_at, _, tools, answer, kind, limits, _, most] = Sample::SETTINGS else { panic!() };
        assert_eq!((warn_at.key, warn_at.doc), ("warn_at", "A number over two lines."));
        assert!(
            matches!(warn_at.kind, SettingKind::Int { default: 4, min: 2 })
                && warn_at.tighten == Tighten::Lower
        );
        assert!(matches!(tools.kind, SettingKind::Texts(["Edit", "Write"])) && tools.tighten == Tighten::Add);
        assert!(
            matches!(answer.kind, SettingKind::Choice(["deny", "ask"])) && answer.tighten == Tighten::Never
        );
        assert_eq!((kind.key, kind.default_text().as_str()), ("type", "\"x\""));
        assert!(matches!(limits.kind, SettingKind::Tables([tool, at]) if !tool.optional && at.optional));
        assert!(matches!(most.kind, SettingKind::Int { default: 7, min: 1 }) && !most.optional);
        assert_eq!(Answer::Ask.word(), "ask");
    }
}
