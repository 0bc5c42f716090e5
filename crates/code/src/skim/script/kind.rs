//! The kinds of tokens of a script: what they are called, and what may come after them.
//! Words that are names in most places come first, reserved words after them.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Kind {
    /// Beyond the last token.
    End,
    // Names.
    Ident,
    Abstract,
    Accessor,
    As,
    Asserts,
    Async,
    Await,
    Declare,
    From,
    Get,
    Global,
    Implements,
    Infer,
    Interface,
    Is,
    Keyof,
    Let,
    Module,
    Namespace,
    Of,
    Override,
    Private,
    Protected,
    Public,
    Readonly,
    Require,
    Satisfies,
    Set,
    Static,
    Type,
    Undefined,
    Unique,
    Using,
    Yield,
    // Reserved words.
    Break,
    Case,
    Catch,
    Class,
    Const,
    Continue,
    Debugger,
    Default,
    Delete,
    Do,
    Else,
    Enum,
    Export,
    Extends,
    False,
    Finally,
    For,
    Function,
    If,
    Import,
    In,
    Instanceof,
    New,
    Null,
    Return,
    Super,
    Switch,
    This,
    Throw,
    True,
    Try,
    Typeof,
    Var,
    Void,
    While,
    With,
    // Values.
    PrivateName,
    Number,
    Text,
    Regex,
    Template,
    TemplateHead,
    TemplateMiddle,
    TemplateTail,
    // Brackets.
    RoundOpen,
    RoundClose,
    SquareOpen,
    SquareClose,
    CurlyOpen,
    CurlyClose,
    // Elements of JSX.
    TagOpen,
    TagClose,
    TagEnd,
    TagSelfEnd,
    // Signs.
    Semicolon,
    Comma,
    Dot,
    OptionalDot,
    Spread,
    Colon,
    Question,
    Arrow,
    At,
    Assign,
    /// `+=` and its kin.
    AssignWith,
    Less,
    Greater,
    Or,
    And,
    Plus,
    Minus,
    Star,
    Bang,
    Tilde,
    /// `++`, `--`.
    Step,
    /// Any other sign between two values.
    Between,
}

impl Kind {
    /// It can name a value.
    pub(super) fn is_name(self) -> bool {
        self >= Self::Ident && self <= Self::Yield
    }

    /// It is made of letters, and can name a property.
    pub(super) fn is_word(self) -> bool {
        self >= Self::Ident && self <= Self::With
    }

    /// A value has ended with it: what follows is a sign between two values, not the start of one.
    pub(super) fn ends_value(self) -> bool {
        match self {
            Self::This
            | Self::Super
            | Self::Null
            | Self::True
            | Self::False
            | Self::PrivateName
            | Self::Number
            | Self::Text
            | Self::Regex
            | Self::Template
            | Self::TemplateTail
            | Self::RoundClose
            | Self::SquareClose
            | Self::CurlyClose
            | Self::TagEnd
            | Self::TagSelfEnd
            | Self::Step => true,
            Self::Yield | Self::Await => false,
            kind => kind.is_name(),
        }
    }
}

/// The kind of a word.
pub(super) fn of_word(word: &[u8]) -> Kind {
    let first = word.first().copied().unwrap_or(0);
    if word.len() < 2 || word.len() > 10 || !first.is_ascii_lowercase() {
        return Kind::Ident;
    }
    match (word.len(), word) {
        (2, b"as") => Kind::As,
        (2, b"do") => Kind::Do,
        (2, b"if") => Kind::If,
        (2, b"in") => Kind::In,
        (2, b"is") => Kind::Is,
        (2, b"of") => Kind::Of,
        (3, b"for") => Kind::For,
        (3, b"get") => Kind::Get,
        (3, b"let") => Kind::Let,
        (3, b"new") => Kind::New,
        (3, b"set") => Kind::Set,
        (3, b"try") => Kind::Try,
        (3, b"var") => Kind::Var,
        (4, b"case") => Kind::Case,
        (4, b"else") => Kind::Else,
        (4, b"enum") => Kind::Enum,
        (4, b"from") => Kind::From,
        (4, b"null") => Kind::Null,
        (4, b"this") => Kind::This,
        (4, b"true") => Kind::True,
        (4, b"type") => Kind::Type,
        (4, b"void") => Kind::Void,
        (4, b"with") => Kind::With,
        (5, b"async") => Kind::Async,
        (5, b"await") => Kind::Await,
        (5, b"break") => Kind::Break,
        (5, b"catch") => Kind::Catch,
        (5, b"class") => Kind::Class,
        (5, b"const") => Kind::Const,
        (5, b"false") => Kind::False,
        (5, b"infer") => Kind::Infer,
        (5, b"keyof") => Kind::Keyof,
        (5, b"super") => Kind::Super,
        (5, b"throw") => Kind::Throw,
        (5, b"using") => Kind::Using,
        (5, b"while") => Kind::While,
        (5, b"yield") => Kind::Yield,
        (6, b"delete") => Kind::Delete,
        (6, b"export") => Kind::Export,
        (6, b"global") => Kind::Global,
        (6, b"import") => Kind::Import,
        (6, b"module") => Kind::Module,
        (6, b"public") => Kind::Public,
        (6, b"return") => Kind::Return,
        (6, b"static") => Kind::Static,
        (6, b"switch") => Kind::Switch,
        (6, b"typeof") => Kind::Typeof,
        (6, b"unique") => Kind::Unique,
        (7, b"asserts") => Kind::Asserts,
        (7, b"declare") => Kind::Declare,
        (7, b"default") => Kind::Default,
        (7, b"extends") => Kind::Extends,
        (7, b"finally") => Kind::Finally,
        (7, b"private") => Kind::Private,
        (7, b"require") => Kind::Require,
        (8, b"abstract") => Kind::Abstract,
        (8, b"accessor") => Kind::Accessor,
        (8, b"continue") => Kind::Continue,
        (8, b"debugger") => Kind::Debugger,
        (8, b"function") => Kind::Function,
        (8, b"override") => Kind::Override,
        (8, b"readonly") => Kind::Readonly,
        (9, b"interface") => Kind::Interface,
        (9, b"namespace") => Kind::Namespace,
        (9, b"protected") => Kind::Protected,
        (9, b"satisfies") => Kind::Satisfies,
        (9, b"undefined") => Kind::Undefined,
        (10, b"implements") => Kind::Implements,
        (10, b"instanceof") => Kind::Instanceof,
        _ => Kind::Ident,
    }
}
