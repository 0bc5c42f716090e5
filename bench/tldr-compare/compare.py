#!/usr/bin/env python3
"""Compares `sprag code` with `llm-tldr` from PyPI on the same repositories. Not part of the checks: it needs the network.

    python3 -m venv /tmp/tldr && /tmp/tldr/bin/pip install llm-tldr      # or --no-deps and its grammars: 6 GB less
    python3 bench/tldr-compare/compare.py --sprag target/release/sprag --tldr /tmp/tldr/bin/tldr REPOSITORY…

For each repository: the outline of its largest files (cold process, the first and the later ones), the project index against `warm`, symbols found
in the same files, tokens of both outlines for the files, and the first answer of the daemon.
"""
import argparse, json, os, re, shutil, statistics, subprocess, sys, tempfile, time
from pathlib import Path

ENDINGS = {".py", ".ts", ".tsx", ".js", ".go", ".rs", ".java", ".c", ".rb", ".php"}
SKIP = {"node_modules", "target", ".git", "vendor", "dist", ".venv"}


def timed(argv, env=None):
    """Milliseconds of one run whose output nobody reads: to read it costs this program more than sprag needs to write it."""
    began = time.perf_counter()
    subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1000


def run(argv, cwd=None, env=None):
    began = time.perf_counter()
    try:
        done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess(argv, 1, "", "no answer in 120 s")
    return (time.perf_counter() - began) * 1000, done


def tokens(text):
    """cl100k where tiktoken has its vocabulary, else characters by four."""
    try:
        import tiktoken
        return len(tiktoken.get_encoding("cl100k_base").encode(text, disallowed_special=()))
    except Exception:
        return len(text) // 4


def sources(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in SKIP and not f.startswith(".")]
        for name in files:
            path = Path(folder, name)
            if path.suffix in ENDINGS and not path.is_symlink():
                yield path


def of_sprag(symbols):
    for symbol in symbols:
        yield symbol["name"].split(".")[-1]
        yield from of_sprag(symbol["children"])


def of_tldr(found):
    for function in found.get("functions", []):
        yield re.sub(r"^\(.*\) ", "", function["name"]).split(".")[-1]
    for kind in found.get("classes", []):
        yield kind["name"]
        for method in kind.get("methods", []):
            yield method["name"].split(".")[-1]


def compare(repository, options):
    files = sorted(sources(repository), key=lambda path: path.stat().st_size, reverse=True)
    lines = sum(path.read_text(errors="replace").count("\n") for path in files)
    sample = [path for path in files if path.stat().st_size < 400_000][: options.files]
    first, ours, theirs, found_ours, missing, extra, tok_ours, tok_theirs = [], [], [], 0, [], 0, 0, 0
    state = tempfile.TemporaryDirectory()
    env = dict(os.environ, SPRAG_STATE_DIR=state.name)
    for path in sample:
        # The first one parses the text; after that it is known by the hash of its content.
        outline = [options.sprag, "code", "outline", str(path)]
        first.append(timed(outline, env))
        ours.append(statistics.median(timed(outline, env) for _ in range(options.rounds)))
        mine = set(of_sprag(json.loads(run([*outline, "--json"], env=env)[1].stdout)["symbols"]))
        extract = [options.tldr, "extract", str(path)]
        theirs.append(statistics.median(timed(extract) for _ in range(max(3, options.rounds // 5))))
        text = run(extract)[1].stdout
        try:
            other = set(of_tldr(json.loads(text)))
        except json.JSONDecodeError:
            continue
        found_ours += len(mine)
        missing += [f"{path.name}:{name}" for name in sorted(other - mine)]
        extra += len(mine - other)
        tok_ours += tokens(run([options.sprag, "code", "outline", str(path)], env=env)[1].stdout)
        tok_theirs += tokens(text)
    print(f"\n{repository}: {len(files)} files, {lines} lines")
    for said, mine in ("a text seen for the first time", first), ("a text that is known", ours):
        print(f"  outline of one file, cold process, {said}: {statistics.median(mine):.1f} ms,"
              f" theirs {statistics.median(theirs):.0f} ms"
              f" ({statistics.median(t / m for t, m in zip(theirs, mine)):.0f}x, median of the files)")
    print(f"  symbols in {len(sample)} files: {found_ours}; theirs that we lack: {len(missing)} {missing[:8]}; ours that they lack: {extra}")
    print(f"  tokens of the outlines: {tok_ours}, theirs {tok_theirs} ({tok_ours / max(1, tok_theirs):.2f})")
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "copy")
        shutil.copytree(repository, copy, ignore=shutil.ignore_patterns(*SKIP, ".tldr*"))
        env = dict(os.environ, SPRAG_STATE_DIR=str(Path(scratch, "state")))
        mine, done = run([options.sprag, "code", "index", str(copy)], env=env)
        print(f"  index: {mine:.0f} ms ({done.stdout.strip()})")
        other, done = run([options.tldr, "warm", str(copy), "--lang", "all"])
        print(f"  theirs, warm: {other:.0f} ms ({other / mine:.0f}x) {done.stdout.strip().splitlines()[-1:]}")
        daemon(copy, copy / sample[0].relative_to(repository), options)


def daemon(root, path, options):
    """The first answer of their daemon for one file, once it is up."""
    run([options.tldr, "daemon", "start", "--project", str(root)])
    try:
        time.sleep(2)
        ask = json.dumps({"cmd": "extract", "file": str(path)})
        code = ("import sys,json,time;from tldr.daemon.startup import query_daemon;b=time.perf_counter();"
                "query_daemon(sys.argv[1],json.loads(sys.argv[2]));print((time.perf_counter()-b)*1000)")
        _, done = run([str(Path(options.tldr).with_name("python")), "-c", code, str(root), ask])
        print(f"  their daemon's first answer: {done.stdout.strip() or done.stderr.strip().splitlines()[-1:]} ms")
    finally:
        run([options.tldr, "daemon", "stop", "--project", str(root)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sprag", required=True)
    parser.add_argument("--tldr", required=True)
    parser.add_argument("--files", type=int, default=12, help="files that are outlined")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("repositories", nargs="+")
    options = parser.parse_args()
    for repository in options.repositories:
        compare(Path(repository).resolve(), options)


if __name__ == "__main__":
    sys.exit(main())
