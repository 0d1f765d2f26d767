import { randomUUID } from "node:crypto";
import type { Sandbox, SandboxedProcess, SandboxProcessOptions } from "../../exec/index.js";
import { buildTextArgs } from "../../exec/index.js";
import {
  type CodeJudge,
  type CodeTrial,
  createStartError,
  createTrialLimits,
  explainEarlyEnd,
  parseTestVerdict,
  type TestVerdict,
} from "./judge.js";
import { PYTHON_PEER } from "./python-peer.js";
import { PYTHON_TESTS } from "./python-tests.js";

/** The program's side: loads the first variant of the response that is valid Python, and answers questions. */
const PYTHON_PROGRAM = String.raw`
class ProgramPeer(Peer):
    def __init__(self, wire):
        super().__init__(wire, False)
        self.watched = {}

    def get_news(self):
        """The global variables that the tests use and that have another value than before."""
        news = []
        for name, value in self.watched.items():
            now = self.scope.get(name, value)
            if now is not value:
                news.append([name, self.pack(now)])
        self.watched.update((name, self.scope[name]) for name, _ in news)
        return news

    def take_news(self, news):
        if news is not None:
            import random
            random.setstate(self.unpack(news))


class Input(io.TextIOBase):
    """The standard input of the program is that of the tests, which may have put something there."""

    def readable(self):
        return True

    def read(self, size=-1):
        return PEER.ask("stdin", None, "read", size)

    def readline(self, size=-1):
        return PEER.ask("stdin", None, "readline", size)


def ask_input(prompt=""):
    return PEER.ask("input", None, str(prompt))


def be_program(first):
    global PEER
    wire = Wire(first)
    job = wire.receive()
    PEER = peer = ProgramPeer(wire)
    peer.tape = sys.stdout = Tape()
    sys.stderr, sys.stdin = Tape(), Input()
    sys.path.extend(job["packages"])
    builtins.exit = builtins.quit = sys.exit
    builtins.input = ask_input
    solution = type(sys)("solution")
    sys.modules["solution"] = solution
    peer.scope = solution.__dict__
    peer.handlers = {
        "load": lambda: load(job, peer.scope),
        "names": lambda names: pick(peer, names),
        "module": lambda: solution,
    }
    os_write(3, b"[]\n")
    try:
        while True:
            mark, body = peer.receive()
            if mark == "?":
                peer.serve(body)
    except Gone:
        pass
    os._exit(0)


def load(job, scope):
    if job["before"]:
        try:
            exec(compile(job["before"], "<setup>", "exec"), scope)
        except Exception:
            pass
    exec(compile(choose(job["variants"], job["entry"]), "<program>", "exec"), scope)


def choose(variants, entry):
    """The first reading of the response that is Python; the error of the first one when none is."""
    first = None
    for variant in variants:
        text = variant["text"]
        for _ in range(4):
            try:
                compile(text, "<program>", "exec")
                return text
            except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
                first = first or error
                text = cut(text, error, entry) if variant["mayCut"] else None
            if text is None:
                break
    raise first


def cut(text, error, entry):
    """What stands before the line where Python stops understanding, when the function is still in it."""
    lines = text.split("\n")
    at = min(getattr(error, "lineno", None) or 0, len(lines)) - 1
    while at > 0 and (not lines[at].strip() or lines[at][:1].isspace()):
        at -= 1
    kept = lines[:max(at, 0)]
    found = any(line.startswith(("def " + entry, "class " + entry, "async def " + entry)) for line in kept)
    return "\n".join(kept) if found else None


def pick(peer, names):
    found = {name: peer.scope[name] for name in names if name in peer.scope}
    peer.watched.update(found)
    is_module = lambda value: type(value) is type(sys) and is_common_module(value)
    return {name: NamedModule(value) if is_module(value) else value for name, value in found.items()}
`;

/**
 * Keeps the program's text from running in the process of the tests. Tests that evaluate a text of the program, such as
 * `eval(repr(point))`, get only data and objects of classes; tests that load bytes of the program get data.
 */
const PYTHON_GUARDS = `
GUARDED_WORDS = ("eval", "exec", "hints", "annotations", "signature", "dataclass")
PLAIN_NODES = tuple(getattr(_ast, name) for name in (
    "Expression Constant Name Attribute Call keyword Tuple List Dict Set UnaryOp BinOp operator unaryop expr_context"
).split())
LOADED_CLASSES = frozenset(
    "bytearray complex frozenset range set Counter OrderedDict defaultdict deque Decimal Fraction date datetime time timedelta timezone"
    .split())


def guard_texts(tests, peer):
    if any(word in tests for word in GUARDED_WORDS):
        peer.told = set()
        builtins.eval, builtins.exec = make_guarded(eval, peer), make_guarded(exec, peer)
    if "pickle" in tests:
        guard_pickle()


def make_guarded(work, peer):
    own = {node.value for node in walk(parse(peer.tests)) if is_a(node, _ast.Constant) and type(node.value) is str}

    def may_run(text, scope):
        is_told = text in peer.told and text not in own or any(
            len(each) > 1 and each in text and each not in peer.tests and not each.isidentifier() for each in peer.told)
        return not is_told or work is eval and is_plain_text(text, scope)

    def run_guarded(source, scope=None, names=None, /, **options):
        frame = sys._getframe(1)
        if scope is None:
            scope, names = frame.f_globals, frame.f_locals if names is None else names
        is_hint = frame.f_globals.get("__name__") in ("typing", "inspect")
        is_allowed = not calls_something(source) if is_hint else type(source) is not str or may_run(source, scope)
        if not is_allowed:
            raise peer.refuse("running a text of the program")
        return work(source, scope, scope if names is None else names, **options)
    return run_guarded


def is_plain_text(text, scope):
    try:
        tree = compile(text.strip(), "<text>", "eval", _ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError):
        return True
    return all(is_plain_node(node, scope) for node in walk(tree))


def is_plain_node(node, scope):
    if not any(is_a(node, kind) for kind in PLAIN_NODES):
        return False
    if is_a(node, _ast.Name):
        found = scope.get(node.id, getattr(builtins, node.id, None))
        return is_a(found, type) and found is not type or is_known_module(found)
    if is_a(node, _ast.Attribute):
        owner = scope.get(node.value.id) if is_a(node.value, _ast.Name) else None
        return is_known_module(owner) and is_a(getattr(owner, node.attr, None), type)
    return True


def is_known_module(value):
    return type(value) is type(sys) and value.__name__ in CLASS_MODULES and value is not builtins


def calls_something(source):
    """A type hint names classes. An annotation that calls something does not."""
    import dis
    code = source if type(source) is CODE else compile(source, "<hint>", "eval")
    return any("CALL" in step.opname for step in dis.get_instructions(code))


def guard_pickle():
    import pickle

    class Loader(pickle.Unpickler):
        def find_class(self, module, name):
            found = super().find_class(module, name)
            if is_a(found, type) and (module == "__main__" or module in CLASS_MODULES and name in LOADED_CLASSES):
                return found
            raise pickle.UnpicklingError("a %s of the program" % name)
    pickle.load = lambda file, **options: Loader(file, **options).load()
    pickle.loads = lambda data, **options: Loader(io.BytesIO(data), **options).load()


def find_texts(message):
    waiting, found = [message], set()
    while waiting:
        part = waiting.pop()
        if type(part) is str:
            found.add(part)
        elif type(part) is list or type(part) is dict:
            waiting.extend(part if type(part) is list else [*part, *part.values()])
    return found
`;

const VERDICT_MARK = "V";

/**
 * Runs a Python program in one fresh box and its tests in another. They share nothing: they exchange lines of text,
 * and what the program sends is data for the tests, which alone decide.
 */
export class PythonJudge implements CodeJudge {
  readonly #sandbox: Sandbox;
  readonly #harnesses = new Map<string, Promise<string>>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async judge(trial: CodeTrial): Promise<TestVerdict> {
    const [programHarness, testsHarness] = await Promise.all([
      this.#getCompiled(PYTHON_PROGRAM_HARNESS),
      this.#getCompiled(PYTHON_TESTS_HARNESS),
    ]);
    const launch = createPythonLaunch(PYTHON_STARTER, trial.timeoutSecs);
    const work = async (program: SandboxedProcess): Promise<TestVerdict> => {
      const tests = await this.#sandbox.start(launch);
      const abort = () => tests.stop("aborted");
      trial.signal?.addEventListener("abort", abort, { once: true });
      try {
        program.lines.send(programHarness);
        program.lines.send(JSON.stringify(this.#describeProgram(trial)));
        tests.lines.send(testsHarness);
        return await this.#judgeInBoxes(program, tests, trial);
      } finally {
        trial.signal?.removeEventListener("abort", abort);
        tests.stop("done");
        await tests.ended.catch(() => undefined);
      }
    };
    return this.#sandbox.use(launch, work, trial.signal);
  }

  async close(): Promise<void> {
    this.#harnesses.clear();
  }

  async #judgeInBoxes(program: SandboxedProcess, tests: SandboxedProcess, trial: CodeTrial): Promise<TestVerdict> {
    const { task, timeoutSecs } = trial;
    for (const box of [program, tests]) if ((await box.lines.next()) === null) throw await createStartError(box);
    const timer = setTimeout(() => {
      program.stop("wall_time");
      tests.stop("wall_time");
    }, timeoutSecs * 1000);
    const nonce = randomUUID();
    const { entryPoint: entry, prompt, tests: text } = task;
    const { packages } = this.#sandbox.interpreter("python");
    tests.lines.send(JSON.stringify({ nonce, tests: text, prompt, entry, packages }));
    const { line, isProgramGone } = await relayMessages(program, tests);
    clearTimeout(timer);
    if (isProgramGone) {
      const { stopped, signal } = await program.ended;
      if (stopped !== null || signal === "SIGXCPU") return explainEarlyEnd(await program.ended, timeoutSecs);
    }
    return line === null ? explainEarlyEnd(await tests.ended, timeoutSecs) : parseTestVerdict(line, nonce);
  }

  #describeProgram({ task, variants }: CodeTrial): Record<string, unknown> {
    const { packages } = this.#sandbox.interpreter("python");
    return { variants, entry: task.entryPoint, before: task.before, packages };
  }

  #getCompiled(text: string): Promise<string> {
    const known = this.#harnesses.get(text) ?? this.#compile(text);
    this.#harnesses.set(text, known);
    return known;
  }

  #compile(text: string): Promise<string> {
    return this.#sandbox.use(createPythonLaunch(PYTHON_COMPILER, 10), async (box) => {
      box.lines.send(JSON.stringify(text));
      const code = await box.lines.next();
      if (code === null) throw await createStartError(box);
      return code;
    });
  }
}

function createPythonLaunch(text: string, timeoutSecs: number): SandboxProcessOptions {
  return {
    language: "python",
    args: buildTextArgs("python", text),
    isQuiet: true,
    limits: createTrialLimits(timeoutSecs),
  };
}

/**
 * Relays lines between the two boxes until there is a verdict. Each line from the tests gets exactly one answer: extra
 * output of the program is read as the answer to the next question, and is only data in any case.
 */
async function relayMessages(
  program: SandboxedProcess,
  tests: SandboxedProcess,
): Promise<{ line: string | null; isProgramGone: boolean }> {
  let isProgramGone = false;
  for (;;) {
    const line = await tests.lines.next();
    if (line === null) return { line, isProgramGone };
    if (line.startsWith(VERDICT_MARK)) return { line: line.slice(1), isProgramGone };
    program.lines.send(line.slice(1));
    const answer = await program.lines.next();
    isProgramGone ||= answer === null;
    // An empty line is not a message: it tells the tests that the program is gone.
    tests.lines.send(answer ?? "");
  }
}

/** Runs in the box of the program. Expects input that was read too far on descriptor 3 in `FIRST`. */
const PYTHON_PROGRAM_HARNESS = [PYTHON_PEER, PYTHON_PROGRAM, "be_program(FIRST)\n"].join("\n");

/**
 * Runs in the box of the tests. The tests, their expectations and the nonce exist in no other process, and whatever
 * the program's process sends is only data here.
 */
const PYTHON_TESTS_HARNESS = [PYTHON_PEER, PYTHON_TESTS, PYTHON_GUARDS, "be_tests(FIRST)\n"].join("\n");

/** Compiles the harness once, so that no box has to. Reads it from descriptor 3 and answers there. */
const PYTHON_COMPILER = String.raw`
import json, marshal, os
text = b""
while not text.endswith(b"\n"):
    text += os.read(3, 1 << 16)
os.write(3, marshal.dumps(compile(json.loads(text), "<harness>", "exec")).hex().encode() + b"\n")
`;

/** Starts the compiled harness that arrives on descriptor 3. */
const PYTHON_STARTER = String.raw`
import marshal, os
text = b""
while b"\n" not in text:
    text += os.read(3, 1 << 16)
code, _, FIRST = text.partition(b"\n")
exec(marshal.loads(bytes.fromhex(code.decode())))
`;
