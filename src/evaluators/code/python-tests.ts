/** The side of the tests: it runs all that they say, asking the other side whenever they use the program. */
export const PYTHON_TESTS = String.raw`
CANNOT_CROSS = "the tests need something that cannot cross between processes: "


class TestsPeer(Peer):
    def __init__(self, wire):
        super().__init__(wire, True)
        self.scope, self.theirs, self.random_state, self.has_seed = {}, {}, None, False
        self.handlers = {"input": lambda prompt: builtins.input(prompt), "stdin": read_input}

    def take_news(self, news):
        """Global variables of the program that have another value now, unless the tests have given them one."""
        for name, form in news:
            if name in self.theirs and self.scope.get(name) is self.theirs[name]:
                self.theirs[name] = self.scope[name] = self.unpack(form)

    def is_tested(self, cls):
        """True for a class that the tests name as one. A function that is asked for must not turn into a class."""
        return any(value is cls and name[:1].isupper() for name, value in self.theirs.items())

    def get_news(self):
        """The state of the random numbers, when the tests have set it."""
        random = sys.modules.get("random")
        if not self.has_seed or random is None or random.getstate() == self.random_state:
            return None
        self.random_state = random.getstate()
        return self.pack(self.random_state)


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
    peer.ask("load")
    theirs = offered(peer.ask("names", None, sorted(names)), names)
    prepare(job, scope)
    for name, value in theirs.items():
        if name == job["entry"] or not (name in scope or hasattr(builtins, name)):
            scope[name] = peer.theirs[name] = own_module(job, name, value)
    if "solution" in job["tests"]:
        sys.modules["solution"] = peer.ask("module")
    sys.modules["__main__"] = main
    sys.argv = ["tests"]
    if not run(code, scope):
        run_defined(job, scope)


def find_names(job):
    """The variables in the tests. Never the texts in them: the program would learn what it is expected to return."""
    import ast
    names = {node.id for node in ast.walk(ast.parse(job["tests"])) if isinstance(node, ast.Name)}
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
    import ast
    tree = ast.parse(job["tests"])
    used = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name]
    mentions = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
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
    import ast
    unittest = sys.modules.get("unittest")
    if unittest and any(is_a(item, type) and issubclass(item, unittest.TestCase) for item in list(scope.values())):
        suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
        result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
        if not result.wasSuccessful():
            raise AssertionError((result.failures + result.errors)[0][1].strip().split("\n")[-1])
    body = ast.parse(job["tests"]).body
    if all(isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign)) for node in body):
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and not node.args.args:
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
    if "unittest.mock" in sys.modules and "patch" in tests:
        return "what they replace by mock.patch stays as it is for the program"
    return peer.doubts[0] if peer.doubts else None


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
