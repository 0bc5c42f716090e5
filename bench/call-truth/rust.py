"""The calls of a Rust crate by the compiler: `python3 rust.py FOLDER` in a crate that builds. One line for each call of a function of the crate:
FILE:LINE of the call, name of the target. They are read from the compiler's intermediate representation, which says for each call what is
called after types were inferred; calls that macros of other crates make are left out."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
environment = dict(os.environ, RUSTC_BOOTSTRAP="1", CARGO_TARGET_DIR=str(work))
subprocess.run(
    ["cargo", "rustc", "--lib", "--all-features", "--quiet", "--", "--emit=mir", "-Zmir-include-spans", "-Zmir-opt-level=0", "-Awarnings"],
    cwd=root, env=environment, check=True,
)
newest = max(work.glob("debug/deps/*.mir"), key=lambda path: path.stat().st_mtime)
for line in newest.read_text().splitlines():
    found = re.match(r"\s*(?:_\d+|\(.*?\)) = (?:const )?(.+?)\((?:move|copy|const|_|\)).*// scope \d+ at (\S+?):(\d+):\d+: (\d+):", line)
    if not found:
        continue
    path, file, first, last = found.groups()
    # `<Cart as Pay>::pay`, `Cart::<T>::pay`, `pay::<u8>`
    depth, plain = 0, ""
    for at, c in enumerate(path):
        if c == "<":
            depth += 1
        if depth == 0:
            plain += c
        if c == ">" and path[at - 1 : at] != "-":
            depth -= 1
    parts = [part for part in plain.split("::") if part]
    name = parts[-1] if parts else ""
    if re.fullmatch(r"[A-Za-z_]\w*", name):
        print(f"{file}:{first}-{last}\t{name}")
