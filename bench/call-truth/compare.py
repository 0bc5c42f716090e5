"""Compares the links of sprag with those of a compiler: `compare.py EDGES TRUTH`, where EDGES is the output of `code_bench edges FOLDER` and TRUTH
that of `typescript.cjs`, `go run .` or `rust.py` for the same folder. Only files that the compiler read are compared.

Recall: the compiler's calls that sprag links to the same target. Precision: of the links in these files whose line and name the
compiler knows a target for, those to that target; links by name alone are counted apart."""
import collections
import sys

edges, truth = collections.defaultdict(set), collections.defaultdict(set)
by_name_only = len(sys.argv) > 3 and sys.argv[3] == "--show"
spans = {}
for line in open(sys.argv[2]):
    call, target = line.rstrip("\n").split("\t")
    if "-" in call.rsplit(":", 1)[1]:
        file, lines = call.rsplit(":", 1)
        first, last = map(int, lines.split("-"))
        spans.setdefault(file, []).append((first, last, target))
    else:
        truth[call].add(frozenset(target.split(",")))
found = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]


def report(name, right, wrong, missed):
    precision = right / max(1, right + wrong)
    print(f"{name}: {right + missed} calls, recall {right / max(1, right + missed):.3f}, precision {precision:.3f} ({wrong} wrong, {missed} missed)")


files = {call.rsplit(":", 1)[0] for call in truth} | set(spans)
for sure in (True, False):
    ours = collections.defaultdict(set)
    for call, target, how, name in found:
        if sure and how == "by-name" or call.rsplit(":", 1)[0] not in files:
            continue
        ours[call].add(name.rsplit(".", 1)[1] if spans else target)
    label = "without guesses" if sure else "with links by name"
    if spans:
        # A call is known by its lines and its name; the names of the project's functions are those that sprag ever links.
        names = {name.rsplit(".", 1)[1] for _, _, _, name in found}
        right = wrong = missed = 0
        for file, all_calls in spans.items():
            known = {(line, target) for first, last, target in all_calls for line in range(first, last + 1)}
            for first, last, target in set(all_calls):
                if target in names:
                    hit = any(target in ours.get(f"{file}:{line}", ()) for line in range(first, last + 1))
                    right += hit
                    missed += not hit
            for call, targets in ours.items():
                where, line = call.rsplit(":", 1)
                if where == file:
                    wrong += sum((int(line), target) not in known for target in targets)
        report(label, right, wrong, missed)
        continue
    # Of an overloaded function, every declaration is right.
    allowed = {call: set().union(*targets) for call, targets in truth.items()}
    right = sum(any(one in ours.get(call, ()) for one in target) for call, targets in truth.items() for target in targets)
    missed = sum(map(len, truth.values())) - right
    wrong = sum(len(targets - allowed[call]) for call, targets in ours.items() if call in truth)
    report(label, right, wrong, missed)
    if by_name_only and sure:
        for call, targets in list(truth.items()):
            for target in targets:
                if not target & ours.get(call, set()):
                    print("missed", call, *target)
        for call, targets in ours.items():
            if call in truth:
                for target in targets - allowed[call]:
                    print("wrong", call, target)
