//! What words can mean for an instruction, one bit each.

use super::lexicon::Means;

macro_rules! meanings {
    ($($(#[$doc:meta])* $name:ident = $bit:expr;)*) => {
        $($(#[$doc])* pub(in crate::injection) const $name: Means = 1 << $bit;)*
    };
}

meanings! {
    /// To set aside, as a technical word too: ignore, override, bypass, skip.
    IGNORE = 0;
    /// To set aside, said to somebody: forget, disregard, pay no attention to.
    FORGET = 1;
    /// What a model is told: instructions, prompt, directives.
    ORDERS = 2;
    /// The same in weaker words: rules, restrictions, policies, commands.
    RULES = 3;
    /// Which of them: previous, above, all, original.
    SCOPE = 4;
    /// An object of its own: the above, everything above, what I said before.
    BEFORE = 5;
    /// A thing that is being worked on: the function, the article, the résumé.
    WORK = 6;
    /// Speak, as an order: say, state, answer, output.
    SAY = 7;
    /// Somebody wants to be told: can you, tell me, what is.
    ASK = 8;
    /// Words that a question begins with.
    QUESTION = 9;
    /// Password, passphrase, secret key.
    SECRET = 10;
    /// The system prompt and its other names.
    PROMPT = 11;
    /// Facts about a person: home address, date of birth.
    PERSONAL = 12;
    /// You, your.
    YOU = 13;
    /// Artificial intelligences: AI, assistant, language model.
    MACHINE = 14;
    /// Figures that jailbreaks are known for.
    PERSONA = 15;
    /// Free of rules: no restrictions, unfiltered, do anything now.
    FREE = 16;
    /// Take a role: act as, pretend, you are now.
    ACT = 17;
    /// A made-up scene: imagine, suppose, in a world where.
    SCENE = 18;
    /// A change of subject: speaking of, by the way.
    TURN = 19;
    /// A claim of authority: I am your developer, as a police officer.
    OFFICE = 20;
    /// Reward, threat, urgency.
    PRESSURE = 21;
    /// Send, post, upload.
    SEND = 22;
    /// Where to: a webhook, an address.
    PLACE = 23;
    /// Run, execute, download.
    RUN = 24;
    /// Do not tell the user.
    CONCEAL = 25;
    /// Verse and other forms: poem, haiku, rap.
    FORM = 26;
    /// Codes: base64, pig latin, backwards.
    CODE = 27;
    /// Pieces that make a question when joined.
    PIECE = 28;
    /// Do not, never.
    NOT = 29;
    /// Small talk and general knowledge.
    TRIVIA = 30;
    /// Words of somebody who writes about attacks.
    ABOUT = 31;
    /// Words of people who work on software together.
    WORKDAY = 32;
    /// Developer mode, debug mode, god mode.
    MODE = 33;
    /// The user, the customer.
    USER = 34;
    /// Show, reveal, repeat, dump.
    REVEAL = 35;
    /// New instructions, your real task.
    NEWS = 36;
    /// Somebody tells of himself: lately I have been.
    CHAT = 37;
    /// Make a text: write, explain, translate, list.
    MAKE = 38;
    /// Phishing, malware, explosives.
    HARM = 39;
    /// Words beside a password that is only being talked about: reset, policy, forgot.
    FORMS = 40;
    /// What is worth stealing: environment variables, ssh keys, the conversation.
    LOOT = 41;
    /// Obey, you must answer, no matter what.
    OBEY = 42;
    /// Hypothetically, if we were to.
    IF = 43;
    /// To whoever reads this with a model: if you are an AI, note to assistants.
    TO_MACHINE = 44;
    /// Dear, regards: a letter.
    LETTER = 45;
    /// Where somebody lives, as a verb.
    LIVE = 46;
    /// What an answer is called: the output, the capital, the conclusion.
    ANSWER = 47;
    /// Joins two orders: and, then, instead.
    AND = 48;
    /// a, an.
    ARTICLE = 49;
    /// Where.
    WHERE = 50;
    /// No longer valid: void, revoked, outdated.
    VOID = 51;
    /// Follow, heed: with a `not` it sets aside.
    FOLLOW = 52;
    /// Praise that somebody wants to read: strong accept, five stars.
    PRAISE = 53;
    /// Where does … live, as one phrase.
    LIVES = 54;
    /// A call to the machine that reads: attention AI, hey assistant.
    HAIL = 55;
    /// To set aside, in words that programmers use all day: skip, delete, reset, disable.
    CLEAR = 56;
    /// What keeps a model in bounds: safety rules, content filters.
    GUARD = 57;
    /// Instead of the task: instead of translating.
    INSTEAD = 58;
    /// A message that is meant for somebody: note, hint, P.S.
    NOTE = 59;
    /// Something to do, as an order: open, click, approve, add.
    DO = 60;
    /// Somebody has to: must, should, is asked to.
    MODAL = 61;
    /// Who reads or handles this text: reading this, summarising, automated, crawlers.
    READER = 62;
    /// On a condition: if, when, whenever, once.
    WHEN = 63;
}
