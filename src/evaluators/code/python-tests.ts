/** The tests' side: runs the tests and asks the other side whenever they use the program. */
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
# Statements that hold others without a say in what becomes of an error in them.
LARGE = ("FunctionDef", "AsyncFunctionDef", "ClassDef", "For", "AsyncFor", "While", "If")
# What tests call the function that they are given.
CANDIDATE_NAMES = ("candidate", "solution", "func", "function", "fn", "f")
# Functions that do nothing but compare, and where they come from.
ASSERTING = {"isclose": "math", "allclose": "numpy", "array_equal": "numpy", "approx": "pytest", "raises": "pytest"}
# Functions and classes by which tests compare, and where they come from.
COMPARING = {
    **ASSERTING, "Counter": "collections", "OrderedDict": "collections", "Decimal": "decimal", "Fraction": "fractions",
    "deepcopy": "copy",
}
# Libraries that tests use by these names, whether they import them or not.
LIBRARIES = {
    "np": "numpy", "numpy": "numpy", "pd": "pandas", "pandas": "pandas", "pytest": "pytest", "scipy": "scipy",
    "tf": "tensorflow", "torch": "torch",
}


class TestsPeer(Peer):
    def __init__(self, wire):
        super().__init__(wire, True)
        self.scope, self.theirs, self.tests, self.module_number = {}, {}, "", None
        self.has_seed, self.has_printed = False, False
        # Whether the tests have asked the program anything, which of their functions have begun, and what failed.
        self.is_used, self.started, self.failures = False, set(), []
        # Names that the tests give a value, and assertions that failed while the program called the tests.
        self.bound, self.caught = set(), []
        # Classes of the program that the tests use by their names, and all texts of the program where tests run texts.
        self.named, self.holders, self.told = set(), set(), None
        # Puts Python's own in place of what the program calls by its name, once the program has said what it has.
        self.own = None
        self.handlers = {"input": lambda prompt: builtins.input(prompt), "stdin": read_input}

    def ask(self, kind, target=None, *rest):
        is_import = kind == "get" and is_a(target, Handle) and target._number == self.module_number
        self.is_used = self.is_used or not is_import and kind not in ("load", "names", "module")
        count = len(self.caught)
        try:
            return super().ask(kind, target, *rest)
        except (StopIteration, StopAsyncIteration):
            raise
        except BaseException as error:
            if is_let_through(error, self.caught[count:]):
                del self.caught[count:]
            raise

    def show(self, text):
        self.has_printed = True
        super().show(text)

    def expects_stop(self):
        """Whether the tests are at a statement that names the end of an iterator, as one that waits for it does."""
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename == "<tests>":
                around = find_around(parse(self.tests), frame.f_lineno)
                if any(type(node).__name__ not in LARGE and "Iteration" in get_source(self.tests, node) for node in around):
                    return True
            frame = frame.f_back
        return False

    def note_error(self, error):
        """
        An assertion that fails while the program calls a function of the tests, which the program may catch. To end
        the process on a condition is an assertion, too, and so is an error that keeps one from being reached.
        """
        nodes, is_own = find_nodes(error.__traceback__, self.tests), not getattr(error, "of_program", False)
        kinds = [type(node).__name__ for around in nodes[-1:] for node in around]
        is_ending = isinstance(error, SystemExit) and ("If" in kinds or "Assert" in kinds)
        is_skipping = "Raise" not in kinds and any(map(self.holds_assertion, nodes, find_frames(error.__traceback__)))
        if is_own and (isinstance(error, AssertionError) or is_ending) or is_skipping:
            self.caught.append(error)

    def holds_assertion(self, around, frame):
        """Whether the function has an assertion at the line at which it was left, or behind it."""
        line, name = frame.tb_lineno, frame.tb_frame.f_code.co_name
        function = next((node for node in reversed(around) if is_function(node) and node.name == name), None)
        return function is not None and "assert" in "\n".join(self.tests.split("\n")[line - 1:function.end_lineno])

    def may_take_modules(self):
        return self.own is None

    def take_news(self, news):
        """Global variables of the program that have another value now, unless the tests have given them one."""
        for name, form in news:
            known = self.theirs.get(name)
            if name in self.theirs and name not in self.bound and self.scope.get(name) is known and not is_a(known, type):
                self.theirs[name] = self.scope[name] = self.own(name, self.unpack(form))

    def is_tested(self, cls):
        """True for a class that the tests name as one. A function that is asked for must not turn into a class."""
        return any(id(each) in self.named or id(each) in self.holders for each in cls.__mro__)

    def is_holder(self, cls):
        """True for a class that only holds the functions that are asked for. They must not return it as their result."""
        return any(id(each) in self.holders for each in cls.__mro__)

    def name_class(self, name, value):
        if type(value) is HandleType and name[:1].isupper():
            (self.holders if name == "Solution" else self.named).add(id(value))
        return value

    def may_suppress(self, error, trace):
        """Not an assertion, nor an error that keeps one from being reached, unless the tests raise it on purpose."""
        if error is None:
            return True
        nodes = find_nodes(trace, self.tests)
        kinds = [type(node).__name__ for node in nodes[-1]] if nodes else []
        holds_assertion = any("assert" in get_source(self.tests, find_region(around)) for around in nodes)
        # What is raised on a condition is an assertion by another name.
        is_on_purpose = "If" not in kinds if "Raise" in kinds else not holds_assertion
        may_suppress = isinstance(error, Exception) and not isinstance(error, AssertionError) and is_on_purpose
        if not may_suppress:
            self.note("an error that the program's context manager suppresses")
        return may_suppress

    def get_news(self):
        """The state of the random numbers, when the tests have set it since the last message."""
        random = sys.modules.get("random")
        if not self.has_seed or random is None:
            return None
        self.has_seed = False
        return self.pack(random.getstate())


class Solution(type(sys)):
    """The program as a module: what the tests replace in it is replaced for the program."""

    def __getattr__(self, name):
        return PEER.name_class(name, getattr(self.__dict__["__handle__"], name))

    def __setattr__(self, name, value):
        setattr(self.__dict__["__handle__"], name, value)

    def __delattr__(self, name):
        delattr(self.__dict__["__handle__"], name)


def make_solution(handle):
    solution = Solution("solution")
    # The tests have what they use of the program. An asterisk must not put more of it in place of what is theirs.
    solution.__dict__.update(__handle__=handle, __all__=[])
    return solution


def is_let_through(error, caught):
    """Whether the program has raised what it caught, so that the tests learn of it."""
    return isinstance(error, tuple(map(type, caught)))


def find_nodes(trace, tests):
    """For each line of the tests that an error came through, the statements around it, the innermost last."""
    frames = find_frames(trace)
    tree = parse(tests) if frames else None
    return [find_around(tree, frame.tb_lineno) for frame in frames]


def find_frames(trace):
    found = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<tests>":
            found.append(trace)
        trace = trace.tb_next
    return found


def find_around(tree, line):
    return [node for node in walk(tree) if is_a(node, _ast.stmt) and node.lineno <= line <= node.end_lineno]


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
    except UnusedProgram:
        verdict = ["unused", ""]
    except BaseException as error:
        missing = find_missing(error)
        why = explain(error, job["tests"], peer)
        verdict = ["broken", "they need %s, which is not installed" % missing] if missing else ["failed", why]
    if peer.is_gone and verdict[0] in ("passed", "failed"):
        verdict = ["failed", "the program ended before its tests did"]
    os_write(3, b"V" + to_line([job["nonce"]] + verdict))
    os._exit(0)


def find_missing(error):
    """The library that the tests import and that is not there."""
    if type(error) is not ModuleNotFoundError or getattr(error, "of_program", False):
        return None
    return error.name


class TestsWire(Wire):
    """Every line of the tests says whom it is for."""

    mark = b"P"

    def receive(self):
        message = super().receive()
        if PEER.told is not None:
            PEER.told.update(find_texts(message))
        return message


def judge(job, peer):
    """Runs everything the tests say. Comes back only when all of it has been run."""
    main = type(sys)("__main__")
    scope = peer.scope = main.__dict__
    scope["__builtins__"] = builtins
    code = compile_tests(job["tests"])
    names = find_names(job)
    if any(word in job["tests"] for word in FILE_WORDS):
        peer.files.known = {}
    peer.ask("load")
    theirs = offered(peer.ask("names", None, sorted(names)), names)
    prepare(job, scope)
    own = peer.own = lambda name, value: own_library(job, name, own_module(job, name, value), theirs)
    for name, value in theirs.items():
        is_class = is_a(scope.get(name), type) and is_a(value, type)
        if is_class:
            keep_comparisons(value, scope[name])
        if name == job["entry"] or is_class or not (name in scope or hasattr(builtins, name)):
            scope[name] = peer.theirs[name] = peer.name_class(name, own(name, value))
    peer.tests, peer.bound = job["tests"], find_bound(job["tests"])
    if "solution" in job["tests"]:
        module = peer.ask("module")
        peer.module_number = module._number
        sys.modules["solution"] = make_solution(module)
    sys.modules["__main__"] = main
    sys.argv = ["tests"]
    scope["__begin__"] = peer.started.add
    watch_libraries(job["tests"], peer)
    guard_texts(job["tests"], peer)
    run(code, scope)
    run_defined(job, scope, peer)
    if peer.failures or peer.caught:
        raise (peer.failures + peer.caught)[0]
    if not is_program_used(job, peer):
        raise UnusedProgram()


def parse(text):
    return compile(text, "<tests>", "exec", _ast.PyCF_ONLY_AST)


def walk(tree, started=None):
    """
    All nodes of a tree, the outer ones first; with the lines of functions that have begun, only what has been run.
    The module ast has it too, and takes as long to import as all else.
    """
    waiting = deque([tree])
    while waiting:
        node = waiting.popleft()
        if started is not None and (is_a(node, _ast.Lambda) or is_function(node) and node.lineno not in started):
            continue
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            waiting.extend(item for item in (value if type(value) is list else [value]) if is_a(item, _ast.AST))


def find_names(job):
    """The variables in the tests. Never the texts in them: the program would learn what it is expected to return."""
    trees = [parse(job["tests"])] + (find_examples(job["tests"]) if "doctest" in job["tests"] else [])
    names = {node.id for tree in trees for node in walk(tree) if is_a(node, _ast.Name)}
    prompt = parse_prompt(job)
    # The functions of the prompt use its classes.
    names.update(node.name for node in (prompt.body if prompt else []) if is_a(node, _ast.ClassDef))
    return names | ({job["entry"]} if job["entry"] else set())


def find_bound(tests):
    """The global variables that the tests give a value themselves."""
    tree = parse(tests)
    found = {name for node in walk(tree) if is_a(node, _ast.Global) for name in node.names}
    for node in walk(tree, frozenset()):
        if is_a(node, _ast.Name) and not is_a(node.ctx, _ast.Load):
            found.add(node.id)
        elif is_a(node, _ast.Import) or is_a(node, _ast.ImportFrom):
            found.update(alias.asname or alias.name for alias in node.names)
    return found


def find_examples(tests):
    """The examples in docstrings, without what they are to print."""
    found = []
    for line in tests.split("\n"):
        mark, code = line.strip()[:4], line.strip()[4:]
        if mark in (">>> ", "... "):
            try:
                found.append(parse(code))
            except SyntaxError:
                pass
    return found


def compile_tests(text):
    """The tests, with a note at the beginning of each function: those that nothing calls are called afterwards."""
    try:
        tree = parse(text)
        for node in walk(tree):
            if is_function(node):
                begin = parse("__begin__(%d)" % node.lineno).body[0]
                for part in walk(begin):
                    if hasattr(part, "lineno"):
                        part.lineno = part.end_lineno = node.body[0].lineno
                        part.col_offset = part.end_col_offset = 0
                node.body.insert(1 if has_docstring(node) else 0, begin)
        return compile(tree, "<tests>", "exec")
    except (SyntaxError, ValueError) as error:
        raise BrokenTests(last_line(error)) from None


def offered(theirs, names):
    """What the program has of the names that it was asked for."""
    if type(theirs) is not dict:
        raise Gone()
    return {name: value for name, value in theirs.items() if type(name) is str and name in names and not name.startswith("__")}


def own_module(job, name, value):
    """A module of Python that the tests use without importing it is Python's, whatever the program calls so."""
    module = LIBRARIES.get(name, name)
    if isinstance(value, type(sys)) or module not in sys.stdlib_module_names and name not in LIBRARIES:
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


def own_library(job, name, value, theirs):
    """
    A function by which tests compare what a function of the program returns is Python's, whatever the program calls
    so, even where the tests do not import it.
    """
    is_asserting = name in ASSERTING or name.startswith("assert")
    if not (is_asserting or name in COMPARING) or name == job["entry"] or not (is_a(value, Handle) or type(value) is HandleType):
        return value
    others = {each for each in set(theirs).union(CANDIDATE_NAMES).difference(COMPARING) if not each.startswith("assert")}
    statements = [node for node in walk(parse(job["tests"])) if is_a(node, _ast.stmt) and type(node).__name__ not in LARGE]
    calls = [{part.func.id for part in walk(node) if is_a(part, _ast.Call) and is_a(part.func, _ast.Name)} for node in statements]
    if not any((is_asserting or name in called) and called & others for called in calls):
        return value
    try:
        return getattr(__import__(COMPARING[name]), name)
    except KeyError:
        raise BrokenTests("they need %s, which they do not import" % name) from None
    except ImportError:
        raise BrokenTests("they need %s, which is not installed" % COMPARING[name]) from None


def keep_comparisons(cls, own):
    """Objects of a class that the prompt defines are compared as the prompt has it, whatever the program says."""
    if type(cls) is not HandleType or find_base(cls.__mro__) is not None:
        return
    for name in EQUALITY + ORDER:
        owner = find_owner(own, name)
        if owner is object or is_a(owner.__dict__[name], type(take_step)):
            type.__setattr__(cls, name, owner.__dict__[name])


class BrokenTests(Exception):
    pass


class UnusedProgram(Exception):
    """The tests have run to their end without a question to the program."""


def prepare(job, scope):
    """
    Functions of the prompt as the prompt has them: the program may have put others in their place. Those without a
    body are left to the program.
    """
    tree = parse_prompt(job)
    if tree is not None:
        try:
            exec(compile(tree, "<prompt>", "exec"), scope)
        except Exception:
            pass
        stubs = [node.name for node in tree.body if is_function(node) and all(map(is_nothing, node.body))]
        for name in stubs + [job["entry"]]:
            scope.pop(name, None)


def parse_prompt(job):
    try:
        return parse(job["prompt"])
    except (SyntaxError, ValueError):
        return None


def is_nothing(node):
    """A statement that stands in for a body that is still to be written."""
    if is_a(node, _ast.Expr):
        return is_a(node.value, _ast.Constant)
    if is_a(node, _ast.Return):
        return node.value is None or is_a(node.value, _ast.Constant) and node.value.value is None
    return is_a(node, _ast.Pass) or is_a(node, _ast.Raise) and any(
        is_a(part, _ast.Name) and part.id == "NotImplementedError" for part in walk(node))


def run(code, scope):
    """Runs the tests. They may end themselves when they are content, as unittest.main() does."""
    try:
        exec(code, scope)
    except SystemExit as end:
        is_content = end.code is None or is_a(end.code, int) and int.__int__(end.code) == 0
        if not is_content or getattr(end, "of_program", False):
            raise


def is_function(node):
    return is_a(node, _ast.FunctionDef) or is_a(node, _ast.AsyncFunctionDef)


def has_docstring(node):
    first = node.body[0]
    return is_a(first, _ast.Expr) and is_a(first.value, _ast.Constant) and type(first.value.value) is str


def watch_libraries(tests, peer):
    """
    Notes what unittest and doctest find wrong: tests often do not look at what these return. Notes too when the
    tests seed the random numbers, which the program is to have as well.
    """
    if "seed" in tests or "setstate" in tests:
        import random
        random.seed, random.setstate = watch_seed(random.seed, peer), watch_seed(random.setstate, peer)
    if "thread" in tests:
        import threading
        threading.excepthook = lambda args: note_thread(args.exc_value, peer)
    if "unittest" in tests:
        from unittest import TestResult
        started, add = TestResult.startTest, TestResult.addSubTest
        TestResult.startTest = lambda self, test: (peer.started.add(get_case(test)), started(self, test))[1]
        TestResult.addSubTest = lambda self, test, part, error: (error and peer.failures.append(error[1]), add(self, test, part, error))[1]
        TestResult.addFailure = watch_failure(TestResult.addFailure, peer)
        TestResult.addError = watch_failure(TestResult.addError, peer)
        unexpected = TestResult.addUnexpectedSuccess
        TestResult.addUnexpectedSuccess = lambda self, test: (
            peer.failures.append(AssertionError("a test passed that should fail")), unexpected(self, test))[1]
    if "doctest" in tests:
        import doctest
        examine = doctest.DocTestRunner.run

        def run_examples(self, test, *rest, **options):
            result = examine(self, test, *rest, **options)
            if result.failed:
                peer.failures.append(AssertionError("%d examples of %s failed" % (result.failed, test.name)))
            return result
        doctest.DocTestRunner.run = run_examples


def note_thread(error, peer):
    """What ends a thread of the tests has failed there. They may end one themselves."""
    if not isinstance(error, SystemExit) or getattr(error, "of_program", False):
        peer.failures.append(error)


def watch_seed(seed, peer):
    def seed_watched(*args, **kwargs):
        seed(*args, **kwargs)
        peer.has_seed = True
    return seed_watched


def watch_failure(add, peer):
    def add_watched(self, test, error):
        peer.failures.append(error[1])
        return add(self, test, error)
    return add_watched


def get_case(test):
    return type(test), getattr(test, "_testMethodName", None)


def run_defined(job, scope, peer):
    """Tests that are defined and that nothing has called: check, classes of unittest and pytest, functions."""
    entry, check = job["entry"], scope.get("check")
    if entry and callable(check) and not is_a(check, Handle):
        if entry not in scope:
            raise NameError("name '%s' is not defined" % entry)
        check(scope[entry])
    call_if_there(scope, "setup_module")
    tree = parse(job["tests"])
    named = {node.id for node in walk(tree) if is_a(node, _ast.Name) and is_a(node.ctx, _ast.Load)}
    definitions, called = list(find_definitions(tree)), frozenset(peer.started)
    classes = {node.name: node for node in definitions if is_a(node, _ast.ClassDef)}
    for node in definitions:
        value = scope.get(node.name)
        if is_a(node, _ast.ClassDef) and is_a(value, type):
            run_class(find_methods(node, classes), value, called, peer)
        elif is_function(node) and node.lineno not in peer.started and callable(value) and is_test(node, named, job["tests"]):
            call_if_there(scope, "setup_function")
            run_function(node, value, scope.get(entry))
            if is_a(value, Handle) and node.lineno not in peer.started:
                raise AssertionError("the program never calls " + node.name)


def find_definitions(tree):
    """The functions and classes of the module, also those in its conditions and blocks."""
    waiting = deque(tree.body)
    while waiting:
        node = waiting.popleft()
        if is_function(node) or is_a(node, _ast.ClassDef):
            yield node
        else:
            for field in ("body", "orelse", "handlers", "finalbody"):
                inner = getattr(node, field, None)
                waiting.extend(inner if type(inner) is list else [])


def is_test(node, named, tests):
    """By its name as pytest has it, or a function that is used nowhere and looks like a test."""
    if node.name.startswith("test"):
        return node.name not in named or not get_required(node)
    looks_so = "test" in node.name.lower() or node.name == "main" or "assert" in get_source(tests, node)
    return looks_so and node.name not in named and node.name != "check" and not get_required(node)


def get_required(node, is_method=False):
    given = node.args.posonlyargs + node.args.args
    required = given[:len(given) - len(node.args.defaults)][1 if is_method else 0:]
    return required + [arg for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults) if default is None]


def run_function(node, function, candidate, is_method=False):
    required = [arg.arg for arg in get_required(node, is_method)]
    if not required:
        finish(function())
    elif len(required) == 1 and candidate is not None and required[0] in CANDIDATE_NAMES:
        finish(function(candidate))
    else:
        raise BrokenTests("nothing says what %s is to be given for %s" % (node.name, ", ".join(required)))


def finish(result):
    if is_a(result, type(unused)):
        run_async(result)


def find_methods(node, classes):
    """The methods of a class of the tests by their names, with those of its bases."""
    found = {}
    for base in node.bases:
        if is_a(base, _ast.Name) and base.id in classes and base.id != node.name:
            found.update(find_methods(classes[base.id], classes))
    found.update((each.name, each) for each in node.body if is_function(each))
    return found


def run_class(methods, cls, called, peer):
    unittest = sys.modules.get("unittest")
    if unittest and issubclass(cls, unittest.TestCase):
        cases = unittest.defaultTestLoader.loadTestsFromTestCase(cls)
        waiting = [case for case in cases if get_case(case) not in peer.started]
        unittest.TextTestRunner(stream=io.StringIO()).run(unittest.TestSuite(waiting))
    elif cls.__name__.startswith("Test") and type(cls) is not HandleType and "__init__" not in vars(cls):
        waiting = [each for name, each in methods.items() if name.startswith("test") and each.lineno not in called]
        if waiting:
            run_methods(cls, waiting)


def run_methods(cls, nodes):
    """The methods of a class as pytest runs them, each of an object of its own."""
    call_if_there(cls, "setup_class")
    for node in nodes:
        instance = cls()
        call_if_there(instance, "setup_method")
        is_bound = not is_a(find_owner(cls, node.name).__dict__[node.name], staticmethod)
        run_function(node, getattr(instance, node.name), None, is_bound)
        call_if_there(instance, "teardown_method")
    call_if_there(cls, "teardown_class")


def call_if_there(owner, name):
    """Calls what pytest would call before or after a test: a method, or a function of the module."""
    method = owner.get(name) if type(owner) is dict else getattr(owner, name, None)
    if callable(method) and hasattr(method, "__code__"):
        # pytest gives the test method to those that want it.
        wanted = method.__code__.co_argcount - (1 if hasattr(method, "__self__") else 0)
        finish(method(*[None] * wanted))


def is_program_used(job, peer):
    """Whether the tests have asked the program something, or what has run of them names something of it."""
    if peer.is_used or peer.files.known or peer.has_printed and "stdout" in job["tests"]:
        return True
    nodes = list(walk(parse(job["tests"]), peer.started))
    imports = [node for node in nodes if is_a(node, _ast.Import) or is_a(node, _ast.ImportFrom) and node.module == "solution"]
    aliases = [alias for node in imports for alias in node.names if is_a(node, _ast.ImportFrom) or alias.name == "solution"]
    names = {alias.asname or alias.name for alias in aliases}.union(peer.theirs)
    return any(is_a(node, _ast.Name) and node.id in names for node in nodes)


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
    frames, lines = find_frames(error.__traceback__), tests.split("\n")
    number = frames[-1].tb_lineno if frames else len(lines) + 1
    return " ".join(lines[number - 1].split())[:200] if number <= len(lines) else ""
`;
