"""Runs programs with sys.settrace and tells which lines ran and which definition each use saw.

What a line defines and uses is taken from Python's own parser, so that nothing is shared with what is tested.
"""

import ast
import dis
import json
import pathlib
import sys


# Tidying up after an error has the line of some other statement, but does nothing of it.
CLEANING = {("COPY", 3), ("POP_EXCEPT", 0), ("RERAISE", 0), ("RERAISE", 1)}


class Quiet:
    """A context that swallows errors."""

    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *_):
        return True


class Loud(Quiet):
    """One that does not."""

    def __exit__(self, *_):
        return False


def touches(text):
    """For each line the names that it uses and defines."""
    uses, defs = {}, {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            table = uses if isinstance(node.ctx, ast.Load) else defs
            table.setdefault(node.lineno, set()).add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            uses.setdefault(node.lineno, set()).add(node.target.id)
        elif isinstance(node, ast.arg):
            defs.setdefault(node.lineno, set()).add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            defs.setdefault(node.lineno, set()).add(node.name)
        elif isinstance(node, ast.MatchAs) and node.name:
            defs.setdefault(node.lineno, set()).add(node.name)
        elif isinstance(node, ast.FunctionDef) and node.name != "program":
            defs.setdefault(node.lineno, set()).add(node.name)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            # What is changed in place is new from there on.
            defs.setdefault(node.lineno, set()).add(node.func.value.id)
    for used in uses.values():
        used -= {"div", "fuel", "len", "str", "range", "quiet", "loud", "ValueError", "Exception", "ZeroDivisionError"}
    return uses, defs


def trace_program(path):
    text = path.read_text()
    uses, defs = touches(text)
    withs = {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.With)}
    budget = [40]

    def fuel():
        budget[0] -= 1
        return budget[0] > 0

    def div(x, y):
        return x // y

    space = {"fuel": fuel, "div": div, "quiet": Quiet, "loud": Loud}
    exec(compile(text, str(path), "exec"), space)
    frames, pairs, last, steps = [], set(), {}, [0]
    open_frames = {}

    class Enough(BaseException):
        pass

    def settle(state, broken=False):
        line = state["pending"]
        state["pending"] = None
        if line is not None and not broken:
            for name in defs.get(line, ()):
                last[name] = line

    def tracer(frame, event, arg):
        if frame.f_code.co_filename != str(path) or frame.f_code.co_name.startswith("<"):
            return None
        state = open_frames.get(frame)
        if event == "call":
            first = frame.f_code.co_firstlineno
            record = {"first": first, "lines": [], "ended": False}
            frames.append(record)
            open_frames[frame] = {"record": record, "pending": None, "raised": False}
            names = set(frame.f_code.co_varnames[: frame.f_code.co_argcount])
            for name in names:
                last[name] = first
            return tracer
        if event == "line":
            code, at = frame.f_code.co_code, frame.f_lasti
            if (dis.opname[code[at]], code[at + 1]) in CLEANING:
                return tracer
            settle(state)
            steps[0] += 1
            if steps[0] > 3000:
                raise Enough
            line = frame.f_lineno
            state["raised"] = False
            state["record"]["lines"].append(line)
            if line in withs and dis.opname[code[at]] not in {"PUSH_NULL", "LOAD_GLOBAL"}:
                return tracer  # Leaving: nothing is bound again.
            for name in uses.get(line, ()):
                if name in last:
                    pairs.add((name, last[name], line))
            state["pending"] = line
        elif event == "exception":
            settle(state, broken=True)
            state["raised"] = True
        elif event == "return":
            if not state["raised"]:
                settle(state)
                state["record"]["ended"] = True
            open_frames.pop(frame, None)
        return tracer

    for start in ((1, 2, 3, 4), (0, 0, 5, 1), (6, 1, 0, 2)):
        budget[0] = 40
        steps[0] = 0
        last.clear()
        sys.settrace(tracer)
        try:
            space["program"](*start, [])
        except Enough:
            pass
        except Exception:
            pass
        finally:
            sys.settrace(None)
        open_frames.clear()
    print(json.dumps({"frames": frames, "pairs": sorted(pairs)}))


for seed in sys.argv[2:]:
    trace_program(pathlib.Path(sys.argv[1]) / f"{seed}.py")
