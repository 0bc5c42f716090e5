"""Runs the doctests of functions whose statements were taken out. One job a line: a file, a function, lists of edits."""
import contextlib, doctest, importlib, inspect, io, json, os, signal, sys, time, types


def module_of(path):
    path = os.path.abspath(path)
    folder, name = os.path.split(path)
    parts = [os.path.splitext(name)[0]]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    if parts[-1] == "__init__":
        parts.pop()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(".".join(parts))


def function_of(module, qualified):
    at = module
    for part in qualified.split("."):
        at = vars(at)[part] if isinstance(at, type) else getattr(at, part)
    at = getattr(at, "__func__", at)
    at = getattr(at, "fget", at)
    return inspect.unwrap(at)


def code_of(code, name, line):
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            if inner.co_name == name and inner.co_firstlineno == line:
                return inner
            found = code_of(inner, name, line)
            if found:
                return found
    return None


class Late(Exception):
    pass


def late(*_):
    raise Late()


def passes(test, globs):
    test = doctest.DocTest(test.examples, dict(globs), test.name, test.filename, test.lineno, test.docstring)
    runner = doctest.DocTestRunner(
        verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    )
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 1, 0.05)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            result = runner.run(test, out=lambda _: None, clear_globs=True)
        return result.failed == 0 and result.attempted > 0
    except BaseException:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run(job):
    module = module_of(job["file"])
    function = function_of(module, job["name"])
    source = open(job["file"], "rb").read()
    doc = function.__doc__ or ""
    test = doctest.DocTestParser().get_doctest(doc, {}, job["name"], job["file"], 0)
    if not test.examples:
        return {"skipped": "no doctest"}
    own = function.__code__
    globs = dict(vars(module))
    began = time.monotonic()
    if not passes(test, globs):
        return {"skipped": "its doctest fails as it is"}
    if time.monotonic() - began > 0.3:
        return {"skipped": "its doctest is slow"}
    passed = []
    try:
        for number, edits in enumerate(job["variants"]):
            text = source
            for start, end, new in sorted(edits, reverse=True):
                text = text[:start] + new.encode() + text[end:]
            try:
                code = code_of(compile(text, job["file"], "exec"), own.co_name, own.co_firstlineno)
                function.__code__ = code
                passed.append(passes(test, globs))
            except (SyntaxError, ValueError, TypeError) as error:
                if number < 2:
                    return {"skipped": str(error)}
                passed.append(False)
            finally:
                function.__code__ = own
            if time.monotonic() - began > 20:
                passed.extend([False] * (len(job["variants"]) - len(passed)))
                break
            if number == 0 and passed[0]:
                return {"skipped": "its doctest does not notice that it is empty"}
    finally:
        function.__code__ = own
    return {"passed": passed}


answers, sys.stdin = sys.stdin, open(os.devnull)
for line in answers:
    job = json.loads(line)
    try:
        answer = run(job)
    except BaseException as error:
        answer = {"skipped": repr(error)}
    print(json.dumps(answer), flush=True)
