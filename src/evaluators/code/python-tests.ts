/** The side of the tests: it runs all that they say, asking the other side whenever they use the program. */
export const PYTHON_TESTS = String.raw`
import _ast

# Words of tests that deal with files.
FILE_WORDS = ("open(", "tempfile", "pathlib", "shutil", "os.")
# Words of tests that replace or watch what is in the program's process, and what that is.
WATCHING_WORDS = (
    ("patch", "what they replace by mock.patch stays as it is for the program"),
    ("assertWarns", "warnings of the program"),
    ("catch_warnings", "warnings of the program"),
    ("assertLogs", "logs of the program"),
    ("stderr", "the error output of the program"),
)
CANNOT_CROSS = "the tests need something that cannot cross between processes: "


class TestsPeer(Peer):
    def __init__(self, wire):
        super().__init__(wire, True)
        self.scope, self.theirs, self.tests = {}, {}, ""
        self.random_state, self.has_seed = None, False
        self.handlers = {"input": lambda prompt: builtins.input(prompt), "stdin": read_input}

    def take_news(self, news):
        """Global variables of the program that have another value now, unless the tests have given them one."""
        for name, form in news:
            if name in self.theirs and self.scope.get(name) is self.theirs[name]:
                self.theirs[name] = self.scope[name] = self.unpack(form)

    def is_tested(self, cls):
        """True for a class that the tests name as one. A function that is asked for must not turn into a class."""
        return any(value is cls and name[:1].isupper() for name, value in self.theirs.items())

    def may_suppress(self, error, trace):
        """Not an assertion, nor an error that keeps one from being reached, unless the tests raise it on purpose."""
        if error is None:
            return True
        nodes = find_nodes(trace, self.tests)
        is_raised = bool(nodes) and any(type(node).__name__ == "Raise" for node in nodes[-1])
        holds_assertion = any("assert" in get_source(self.tests, find_region(around)) for around in nodes)
        may_suppress = not isinstance(error, AssertionError) and (is_raised or not holds_assertion)
        if not may_suppress:
            self.note("an error that the program's context manager suppresses")
        return may_suppress

    def get_news(self):
        """The state of the random numbers, when the tests have set it."""
        random = sys.modules.get("random")
        if not self.has_seed or random is None or random.getstate() == self.random_state:
            return None
        self.random_state = random.getstate()
        return self.pack(self.random_state)


class Solution(type(sys)):
    """The program as a module: what the tests replace in it is replaced for the program."""

    def __getattr__(self, name):
        return getattr(self.__dict__["__handle__"], name)

    def __setattr__(self, name, value):
        setattr(self.__dict__["__handle__"], name, value)

    def __delattr__(self, name):
        delattr(self.__dict__["__handle__"], name)


def make_solution(handle, names):
    solution = Solution("solution")
    # With an asterisk the tests import what they use, and nothing in place of what is built in.
    solution.__dict__.update(__handle__=handle, __all__=list(names))
    return solution


def find_nodes(trace, tests):
    """For each line of the tests that an error came through, the statements around it, the innermost last."""
    tree, found = parse(tests), []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<tests>":
            line = trace.tb_lineno
            found.append([node for node in walk(tree) if is_a(node, _ast.stmt) and node.lineno <= line <= node.end_lineno])
        trace = trace.tb_next
    return found


def find_region(around):
    """The innermost block that an error leaves: a with statement, or a function."""
    kinds = ("With", "AsyncWith", "FunctionDef", "AsyncFunctionDef")
    return next((node for node in reversed(around) if type(node).__name__ in kinds), None)


def get_source(tests, node):
    return "" if node is None else "\n".join(tests.split("\n")[node.lineno - 1:node.end_lineno])


def read_input(how, size):
    return sys.stdin.readline(size) if how == "readline" else sys.stdin.read(size)


def be_tests(first):
    global PEER
    wire = Wire(first)
    os_write(3, b"[]\n")
    job = wire.receive()
    PEER = peer = TestsPeer(TestsWire(wire.rest))
    sys.stdout, sys.stderr, sys.stdin = Tape(), Tape(), io.StringIO()
    sys.path.extend(job["packages"])
    try:
        judge(job, peer)
        verdict = ["passed", ""]
    except BrokenTests as error:
        verdict = ["broken", str(error)]
    except BaseException as error:
        verdict = ["failed", explain(error, job["tests"], peer)]
    if peer.is_gone and verdict[0] != "broken":
        verdict = ["failed", "the program ended before its tests did"]
    os_write(3, b"V" + to_line([job["nonce"]] + verdict))
    os._exit(0)


class TestsWire(Wire):
    """Every line of the tests says whom it is for."""

    def send(self, message):
        os_write_all(b"P" + to_line(message))


def os_write_all(line):
    view = memoryview(line)
    while view:
        view = view[os_write(3, view):]


def judge(job, peer):
    """Runs everything the tests say. Comes back only when all of it has been run."""
    main = type(sys)("__main__")
    scope = peer.scope = main.__dict__
    scope["__builtins__"] = builtins
    code = compile_tests(job["tests"])
    names = find_names(job)
    peer.keeps_stops = "StopIteration" in names or "StopAsyncIteration" in names
    peer.has_seed = "seed" in job["tests"]
    if any(word in job["tests"] for word in FILE_WORDS):
        peer.files.known = {}
    peer.ask("load")
    theirs = offered(peer.ask("names", None, sorted(names)), names)
    prepare(job, scope)
    for name, value in theirs.items():
        if name == job["entry"] or not (name in scope or hasattr(builtins, name)):
            scope[name] = peer.theirs[name] = own_module(job, name, value)
    peer.tests = job["tests"]
    if "solution" in job["tests"]:
        sys.modules["solution"] = make_solution(peer.ask("module"), peer.theirs)
    sys.modules["__main__"] = main
    sys.argv = ["tests"]
    if not run(code, scope):
        run_defined(job, scope)


def parse(text):
    return compile(text, "<tests>", "exec", _ast.PyCF_ONLY_AST)


def walk(tree):
    """All nodes of a tree, the outer ones first. The module ast has it too, and takes as long to import as all else."""
    waiting = deque([tree])
    while waiting:
        node = waiting.popleft()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            waiting.extend(item for item in (value if type(value) is list else [value]) if is_a(item, _ast.AST))


def find_names(job):
    """The variables in the tests. Never the texts in them: the program would learn what it is expected to return."""
    names = {node.id for node in walk(parse(job["tests"])) if is_a(node, _ast.Name)}
    return names | ({job["entry"]} if job["entry"] else set())


def compile_tests(text):
    try:
        return compile(text, "<tests>", "exec")
    except (SyntaxError, ValueError) as error:
        raise BrokenTests(last_line(error)) from None


def offered(theirs, names):
    """What the program has of the names that it was asked for."""
    if type(theirs) is not dict:
        raise Gone()
    return {name: value for name, value in theirs.items() if type(name) is str and name in names and not name.startswith("__")}


def own_module(job, name, value):
    """A module of Python that the tests use without importing it is Python's, whatever the program calls so."""
    module = "numpy" if name == "np" else name
    if isinstance(value, type(sys)) or module not in sys.stdlib_module_names and module != "numpy":
        return value
    nodes = list(walk(parse(job["tests"])))
    used = [node.attr for node in nodes if is_a(node, _ast.Attribute) and is_a(node.value, _ast.Name) and node.value.id == name]
    mentions = [node for node in nodes if is_a(node, _ast.Name) and node.id == name]
    if not used or len(mentions) > len(used):
        return value
    try:
        found = __import__(module)
    except ImportError:
        raise BrokenTests("they need %s, which is not installed" % module) from None
    return found if all(hasattr(found, attr) for attr in used) else value


class BrokenTests(Exception):
    pass


def prepare(job, scope):
    """Helpers of the prompt as the prompt has them: the program may have put others in their place."""
    if job["prompt"]:
        try:
            exec(compile(job["prompt"], "<prompt>", "exec"), scope)
        except Exception:
            pass
        scope.pop(job["entry"], None)


def run(code, scope):
    """True when the tests have ended themselves and were content, as unittest.main() does."""
    try:
        exec(code, scope)
    except SystemExit as end:
        if end.code or getattr(end, "of_program", False):
            raise
        return True
    return False


def run_defined(job, scope):
    check = scope.get("check")
    if job["entry"] and callable(check) and not is_a(check, Handle):
        if job["entry"] not in scope:
            raise NameError("name '%s' is not defined" % job["entry"])
        check(scope[job["entry"]])
    elif "def test" in job["tests"]:
        run_cases(job, scope)


def run_cases(job, scope):
    """Tests that are only defined: classes of unittest, or functions when nothing calls them."""
    unittest = sys.modules.get("unittest")
    if unittest and any(is_a(item, type) and issubclass(item, unittest.TestCase) for item in list(scope.values())):
        suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
        result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
        if not result.wasSuccessful():
            raise AssertionError((result.failures + result.errors)[0][1].strip().split("\n")[-1])
    body = parse(job["tests"]).body
    if all(isinstance(node, (_ast.FunctionDef, _ast.ClassDef, _ast.Import, _ast.ImportFrom, _ast.Assign)) for node in body):
        for node in body:
            if isinstance(node, _ast.FunctionDef) and node.name.startswith("test") and not node.args.args:
                scope[node.name]()


def last_line(error):
    kind = type(error).__name__
    try:
        text = " ".join(str(error).split())
    except BaseException:
        text = ""
    return (kind + ": " + text if text else kind)[:300]


def explain(error, tests, peer):
    """Why the tests failed, and what of it may lie in there being two processes."""
    line = find_line(error, tests)
    why = last_line(error) + (" at " + line if line else "")
    doubt = find_doubt(tests, peer)
    return why if CANNOT_CROSS in why or doubt is None else "%s; %s%s" % (why, CANNOT_CROSS, doubt)


def find_doubt(tests, peer):
    if peer.notes:
        return peer.notes[0]
    watched = [text for word, text in WATCHING_WORDS if word in tests]
    return (watched + peer.doubts + [None])[0]


def find_line(error, tests):
    """The line of the tests that failed."""
    number, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<tests>":
            number = trace.tb_lineno
        trace = trace.tb_next
    lines = tests.split("\n")
    return " ".join(lines[number - 1].split())[:200] if number and number <= len(lines) else ""
`;
