//! Scripts from a bounded grammar. All values in them are constant, so that an analysis may know everything; every command
//! is a builtin or a recorder.

use super::RECORDERS;

/// A small generator of numbers; the same seed gives the same scripts everywhere.
pub(crate) struct Scripts {
    state: u64,
    functions: usize,
    in_function: bool,
    in_loop: bool,
}

const LITERALS: [&str; 12] =
    ["a", "bc", "d.e", "f/g", "h-i", "J", "Kl", "m_n", "0", "12", "x.tar.gz", "some/dir/file"];
const VARIABLES: [&str; 4] = ["x", "y", "z", "w"];

impl Scripts {
    pub(crate) fn new(seed: u64) -> Scripts {
        Scripts { state: seed | 1, functions: 0, in_function: false, in_loop: false }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from((self.next() >> 11) % n as u64).unwrap_or(0)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let at = self.below(list.len());
        list[at]
    }

    /// The next script.
    pub(crate) fn script(&mut self) -> String {
        self.functions = 0;
        self.in_function = false;
        self.in_loop = false;
        let mut text = String::new();
        // Everything that is used has a value.
        for name in VARIABLES {
            let value = self.plain();
            text.push_str(&format!("{name}={value}\n"));
        }
        text.push_str("p=(one 'two 2' three)\nq=(A b)\nset -- first 'second 2' third\n");
        for _ in 0..=self.below(5) {
            text.push_str(&self.statement(3));
            text.push('\n');
        }
        text
    }

    fn plain(&mut self) -> &'static str {
        self.pick(&LITERALS)
    }

    fn variable(&mut self) -> &'static str {
        self.pick(&VARIABLES)
    }

    fn call(&mut self) -> String {
        let mut text = self.pick(&RECORDERS).to_owned();
        for _ in 0..self.below(4) {
            text.push(' ');
            text.push_str(&self.word(2));
        }
        text
    }

    /// A word; `depth` bounds the substitutions in it.
    fn word(&mut self, depth: u32) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(2) {
            text.push_str(&self.piece(depth));
        }
        text
    }

    fn piece(&mut self, depth: u32) -> String {
        let v = self.variable();
        let lit = self.plain();
        match self.below(if depth == 0 { 12 } else { 18 }) {
            0..=2 => lit.to_owned(),
            3 => format!("'{lit} $x \"{lit}'"),
            4 => format!("\"{lit} ${{{v}}}\""),
            5 => format!("\"${v}\""),
            6 => format!("${{{v}}}"),
            7 => format!("$'{lit}\\t\\x41\\101\\u0062'"),
            8 => format!("\\${lit}"),
            9 => format!("{{{lit},{v}}}"),
            10 => format!("\"${{{v}}}{lit}\""),
            11 => self.parameter(),
            12 => format!("$({})", self.printing(depth - 1)),
            13 => format!("\"$({})\"", self.printing(depth - 1)),
            14 => format!("`echo {lit}`"),
            15 => format!("$(({}))", self.expression(2)),
            16 => self
                .pick(&["\"$@\"", "\"$1\"", "$#", "\"$*\"", "\"${p[@]}\"", "\"${q[1]}\"", "\"${p[*]}\""])
                .to_owned(),
            _ => self.parameter(),
        }
    }

    fn parameter(&mut self) -> String {
        let v = self.variable();
        let lit = self.plain();
        let n = self.below(3);
        let m = self.below(4);
        let inner = match self.below(24) {
            0 => format!("{v}%.*"),
            1 => format!("{v}%%.*"),
            2 => format!("{v}#*/"),
            3 => format!("{v}##*/"),
            4 => format!("{v}/{}/{lit}", self.pick(&["a", "e", "?", "[a-f]", "."])),
            5 => format!("{v}//{}/-", self.pick(&["a", "e", "[[:lower:]]", "i", "\\/"])),
            6 => format!("{v}:{n}"),
            7 => format!("{v}:{n}:{m}"),
            8 => format!("{v}: -{m}"),
            9 => format!("{v}^^"),
            10 => format!("{v},,"),
            11 => format!("{v}^"),
            12 => format!("#{v}"),
            13 => format!("{v}:-{lit}"),
            14 => format!("{v}:+{lit}"),
            15 => format!("unset_name-{lit}"),
            16 => format!("p[{n}]"),
            17 => "#p[@]".to_owned(),
            18 => "p[@]:1".to_owned(),
            19 => "q[@]/b/c".to_owned(),
            20 => format!("@:{}", n + 1),
            21 => format!("{v}/#{}/{lit}", self.pick(&["a", "d", "x", "s"])),
            22 => format!("{v}@U"),
            _ => format!("p[-{}]", n + 1),
        };
        if self.below(3) == 0 { format!("${{{inner}}}") } else { format!("\"${{{inner}}}\"") }
    }

    fn expression(&mut self, depth: u32) -> String {
        let number = self.below(9).to_string();
        if depth == 0 {
            return number;
        }
        let right = self.expression(depth - 1);
        match self.below(7) {
            0 => format!("{number} + {right}"),
            1 => format!("{number} * ({right})"),
            2 => format!("{number} - {right}"),
            3 => format!("({right}) % 5 + 1"),
            4 => format!("{number} > {right} ? 1 : 2"),
            5 => format!("-{number} + 2 ** 3"),
            _ => number,
        }
    }

    /// A builtin that prints.
    fn printing(&mut self, depth: u32) -> String {
        let a = self.word(depth.min(1));
        let b = self.plain();
        match self.below(6) {
            0 => format!("echo {a}"),
            1 => format!("echo -n {a} {b}"),
            2 => format!("printf '%s-' {b} {a}"),
            3 => format!("printf '%b\\n' 'x\\0101\\t{b}'"),
            4 => format!("printf '%3s|%-4s|%.2s|%d|%x\\n' ab {b} {b} 7 255"),
            _ => format!("echo -e '{b}\\x41\\0102'"),
        }
    }

    /// A condition that is true or false for certain.
    fn condition(&mut self) -> String {
        let a = self.plain();
        let b = self.plain();
        let v = self.variable();
        match self.below(14) {
            0 => "true".to_owned(),
            1 => "false".to_owned(),
            2 => format!("[ {a} = {b} ]"),
            3 => format!("[ \"${v}\" != {b} ]"),
            4 => format!("[[ ${v} == *{a}* ]]"),
            5 => format!("[[ {a} < {b} && -n ${v} ]]"),
            6 => format!("(( {} > 3 ))", self.expression(1)),
            7 => format!("test -z \"${v}\""),
            8 => format!("! [ {a} = {a} ]"),
            9 => format!("[ {} -lt {} ]", self.below(9), self.below(9)),
            10 => format!("[[ ! {a} = {b} || {a} == ? ]]"),
            11 => format!("[ -n \"${v}\" -a {a} != {b} ]"),
            12 => ":".to_owned(),
            _ => format!("! ((${{#{v}}} == 2))"),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let kinds = if depth == 0 { 8 } else { 46 };
        let v = self.variable();
        let lit = self.plain();
        let inner = |s: &mut Scripts| s.statement(depth.saturating_sub(1));
        match self.below(kinds) {
            0..=2 => self.call(),
            3 => format!("{v}={}", self.word(1)),
            4 => format!("{v}+={lit}"),
            5 => format!("p=({} {})", self.word(1), self.word(1)),
            6 => format!("q+=({lit})"),
            7 => format!("p[{}]={lit}", self.below(3)),
            8 => format!("if {}; then\n{}\nelse\n{}\nfi", self.condition(), inner(self), inner(self)),
            9 => format!("{} && {}", self.condition(), self.call()),
            10 => format!("{} || {}", self.condition(), self.call()),
            11 => {
                let (a, b) = (self.word(1), self.word(1));
                let body = self.within_loop(depth);
                format!("for {v} in {a} {b} {lit}; do\n{body}\ndone")
            }
            12 => {
                let body = self.within_loop(depth);
                format!("for ((i = 0; i < {}; i++)); do\n{body}\nalpha \"$i\"\ndone", 1 + self.below(3))
            }
            13 => {
                let body = self.within_loop(0);
                format!("n=0\nwhile [ $n -lt {} ]; do\nn=$((n + 1))\n{body}\ndone", 1 + self.below(3))
            }
            14 => format!(
                "case {} in\n{}) {} ;;\n{}|{}*) {} ;;\n*) {} ;;\nesac",
                self.word(1),
                self.plain(),
                inner(self),
                self.plain(),
                self.pick(&["a", "b", "s"]),
                inner(self),
                self.call()
            ),
            15 => format!("( {v}={lit}; {} )\n{}", inner(self), self.call()),
            16 => format!("{{ {}; {}; }}", inner(self), self.call()),
            17 => self.function(depth),
            18 => format!("eval '{}'", self.call().replace('\'', "'\\''")),
            19 => format!("{v}='{} {lit}'; eval \"${v}\"", self.pick(&RECORDERS)),
            20 => {
                let (a, b) = (self.word(1), self.plain());
                format!("printf '%s\\n' {a} {b} | while read -r l; do\nbeta \"$l\"\n{}\ndone", self.call())
            }
            21 => format!(
                "while IFS=. read -r l r; do alpha \"$l\" \"$r\"; done <<E\n{lit}.${v}\n$(echo {lit})\nE"
            ),
            22 => format!("read -r {v} l <<<\"{lit} ${v} {lit}\"; gamma \"${v}\" \"$l\""),
            23 => format!("mapfile -t p <<'E'\n{lit}\n$x {lit}\nE\ndelta \"${{p[@]}}\""),
            24 => format!("source /dev/stdin <<'E'\n{}\nE", self.call()),
            25 => format!("bash -c '{} \"$@\" $1' _ {} {lit}", self.pick(&RECORDERS), self.word(1)),
            26 => format!("{v}={lit} bash -c 'beta \"${v}\"'; beta \"${v}\""),
            27 => format!(
                "echo {lit} {} | xargs {}",
                self.plain(),
                self.pick(&["alpha", "-n1 beta", "-I{} gamma x{} {}"])
            ),
            28 => format!("env {v}={lit} {}", self.call()),
            29 => format!("command {}", self.call()),
            30 => format!("exec {{fd}}<<<'{lit} b'; read -r -u $fd {v}; {}", self.call()),
            31 => format!("printf -v {v} '%s_%d' {lit} {}; {}", self.below(99), self.call()),
            32 => format!("set -- {} {lit}; shift; alpha \"$#\" \"$@\"", self.word(1)),
            33 => self.declaration(),
            _ => self.rarer(depth),
        }
    }

    /// Constructs that scripts have now and then.
    fn rarer(&mut self, depth: u32) -> String {
        let v = self.variable();
        let (a, b) = (self.plain(), self.plain());
        let call = self.call();
        match self.below(24) {
            0 => format!("alpha \"$(echo \"{a} $(echo '{b} c')\")\" \"${{none:-$(printf '%s ' {a} {b})}}\""),
            1 => format!("alpha ${{none:-\"{a} b\" c}} ${{{v}:+'x y' z}} \"${{none-\"{b}\"}}\""),
            2 => format!(
                "while read -r l; do for r in 1 2; do beta \"$l$r\"; done; done < <(printf '%s\\n' {a} '{b} c')"
            ),
            3 => format!("IFS=/ read -ra p <<<\"{a}/{b}/c d\"; gamma \"${{p[@]}}\" ${{#p[@]}}"),
            4 => format!("(IFS=-; {v}='{a}-{b}'; alpha ${v}; set -- ${v}; beta \"$#\" \"$*\")"),
            5 => "for k in \"${!p[@]}\"; do alpha \"$k=${p[$k]}\"; done".to_owned(),
            6 => format!("case {a}{b} in {a}?*) {call} ;& zzz) beta fell ;;& *) gamma tested ;; esac"),
            7 => format!("until (( ++turn > 2 )); do delta \"$turn\" {a}; done; turn=0"),
            8 => format!("( trap 'alpha left' EXIT; {call}; exit 0; beta never )"),
            9 => format!("{v}=\"{a} '{b} c'\"; eval \"alpha ${v}\"; eval \"beta ${{{v}@Q}}\""),
            10 => format!("exec 5<<<$'{a}\\n{b}'; read -r -u 5 {v}; read -r l <&5; alpha \"${v}\" \"$l\""),
            11 => format!(
                "g() {{ local -a list=(\"$@\"); local n=${{#list[@]}}; alpha \"$n\" \"${{list[@]:1}}\"; }}; g {a} \"$x y\" {b}"
            ),
            12 => format!("h() {{ local -n out=$1; out=\"{a}-$2\"; }}; h {v} {b}; beta \"${v}\""),
            13 => {
                format!("k() {{ [ \"$1\" -gt 0 ] || return 0; alpha \"$1\"; }}; k 2; k 0; ! k 0 || gamma {a}")
            }
            14 => format!(
                "if [ {a} = {b} ]; then alpha 1; elif [[ {a} == [a-m]* ]]; then beta 2; else {call}; fi"
            ),
            15 => format!("alpha `echo \\`echo {a}\\` {b}` $'{a}\\n' \"a\\\\b\\\"c\""),
            16 => "let 'c = 3 * 2' d=c+1; alpha $c $d $((c > d ? c : d)) $(((c + d) * 2))".to_owned(),
            17 => format!("printf '%s %s\\n' {a} {b} c | while read -r l r; do alpha \"$r\" \"$l\"; done"),
            18 => {
                format!("mapfile -t p < <(echo {a}; echo '{b} c'); for l in \"${{p[@]}}\"; do beta $l; done")
            }
            19 => format!(
                "cat <<E | while read -r l; do alpha \"$l\"; done\n{a} ${{{v}%.*}}\n$((1 + 2)) \\$x\nE"
            ),
            20 => format!("alpha {{{a},{{{b},c}}d}}x \"${{q[@]}}\"{{1,2}} {{1..3}}{a}"),
            21 => format!("{{ read -r l; read -r r; }} <<<$'{a} b\\n{b}'; gamma \"$l\" \"$r\""),
            22 => format!("{v}={a}; {v}=${{{v}/a/b}} {v}+=z; alpha \"${v}\"; {v}={b} true; beta \"${v}\""),
            _ => {
                let inner = self.statement(depth.saturating_sub(1));
                format!("bash -s -- {a} '{b} c' <<'E'\nalpha \"$@\" $#\nE\n{inner}")
            }
        }
    }

    fn within_loop(&mut self, depth: u32) -> String {
        let outer = std::mem::replace(&mut self.in_loop, true);
        let body = self.statement(depth.saturating_sub(1));
        let leave = match self.below(6) {
            0 => format!("\n{} && continue", self.condition()),
            1 => format!("\n{} && break", self.condition()),
            _ => String::new(),
        };
        self.in_loop = outer;
        format!("{body}{leave}\n{}", self.call())
    }

    fn function(&mut self, depth: u32) -> String {
        if self.in_function {
            return self.call();
        }
        self.functions += 1;
        let name = format!("f{}", self.functions);
        let v = self.variable();
        self.in_function = true;
        let body = self.statement(depth.saturating_sub(1));
        self.in_function = false;
        let local = if self.below(2) == 0 { format!("local {v}=$1;") } else { format!("{v}=$2;") };
        let status = self.below(2);
        format!(
            "{name}() {{ {local} {body}\nalpha \"${v}\" \"$#\"; return {status}; }}\n{name} {} {} && {}\nbeta \"${v}\"",
            self.word(1),
            self.plain(),
            self.call()
        )
    }

    fn declaration(&mut self) -> String {
        let lit = self.plain();
        let v = self.variable();
        match self.below(7) {
            0 => format!("declare -n ref={v}; ref={lit}; alpha \"${v}\" \"$ref\"; unset -n ref"),
            1 => format!("declare -u up={lit}; alpha \"$up\"; up=other; alpha \"$up\""),
            2 => format!("declare -l low=ABC; low+=D; beta \"$low\" {lit}"),
            3 => format!("declare -i num=3+4; num+=2; gamma \"$num\" {lit}"),
            4 => format!(
                "declare -A map=([k]={lit} [l m]=2); map[n]=${v}; delta \"${{map[k]}}\" \"${{map[l m]}}\" \"${{map[n]}}\" \"${{#map[@]}}\""
            ),
            5 => format!("n=v{lit}; name={v}; alpha \"${{!name}}\" \"$n\""),
            _ => format!("trap 'alpha {lit} \"${v}\"' EXIT"),
        }
    }
}
