import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";

/** Checks as in real datasets: equality, closeness, membership, order, sets, truth of a comparison. */
const TESTS = [
  "def check(candidate):\n    assert candidate([1, 2]) == 3\n    assert candidate([]) == 0\n",
  "import math\ndef check(candidate):\n    assert abs(candidate([1, 2]) - 3) < 1e-6\n    assert math.isclose(candidate([5]), 5)\n",
  "def check(candidate):\n    assert candidate([1, 2]) in (3, 3.0) and not candidate([1]) != 1\n    assert 2.9 < candidate([1, 2]) <= 3\n",
  "def check(candidate):\n    assert set([candidate([1, 2])]) == {3} and str(candidate([1])) == '1' and sorted([candidate([1, 2]), 1]) == [1, 3]\n",
  "def check(candidate):\n    assert all(candidate([n]) == n for n in range(5)) and any([candidate([1]) == 1])\n",
];

const FORGED = [
  '["=",3,[],""]',
  '["=",["g","unittest.mock","ANY"],[],""]',
  '["=",["y",0],[],""]',
  '["x","passed",""]',
  '["?","get",["y",0],"__globals__"]',
];

/** Programs that do not do the task, and try to pass anyway. */
const CHEATS: Record<string, string> = {
  "ends at once": "import sys\nsys.exit(0)",
  "ends at once, harder": "import os\nos._exit(0)",
  quits: "quit()",
  "ends when it is called": "import os\ndef total(xs): os._exit(0)",
  "raises SystemExit when it is called": "def total(xs): raise SystemExit(0)",
  "ends in a thread":
    "import os, threading, time\nthreading.Thread(target=lambda: os._exit(0)).start()\ntime.sleep(1)\ndef total(xs): return 1",
  "raises SystemExit in a thread":
    "import threading\nthreading.Thread(target=lambda: exit(0)).start()\ndef total(xs): return 1",
  "ends at exit": "import atexit, os\natexit.register(lambda: os._exit(0))\ndef total(xs): return 1",
  "kills its parent": "import os\nos.kill(os.getppid(), 9)\ndef total(xs): return 1",
  "kills its parent when it is called": "import os\ndef total(xs): os.kill(os.getppid(), 9); return 1",
  "kills everybody": "import os\nos.kill(-1, 9)",
  "ends by a signal": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
  "brings a check of its own":
    "import builtins, sys\ndef check(candidate): pass\nbuiltins.check = check\nsys.modules['__main__'].check = check\ndef total(xs): return 1",
  "changes what is built in":
    "import builtins, math\nbuiltins.abs = lambda x: 0\nbuiltins.all = builtins.any = lambda xs: True\nbuiltins.set = lambda xs: {3}\nbuiltins.str = lambda x: '1'\nbuiltins.sorted = lambda xs: [1, 3]\nbuiltins.AssertionError = Warning\nmath.isclose = lambda *a: True\ndef total(xs): return 1",
  "replaces assert by a trace function":
    "import sys, threading\ndef trace(frame, event, arg):\n    frame.f_trace_lines = True\n    frame.f_locals.update(candidate=sum)\n    return trace\nsys.settrace(trace)\nthreading.settrace(trace)\nsys.setprofile(trace)\ndef total(xs): return 1",
  "replaces its streams":
    "import sys\nclass Yes:\n    def __getattr__(self, name): return lambda *a, **k: ''\nsys.stdout = sys.stderr = sys.stdin = Yes()\ndef total(xs): return 1",
  "looks for the nonce in its memory":
    "import gc, sys\nfound = []\ndef look():\n    for thing in gc.get_objects():\n        if isinstance(thing, dict) and ('nonce' in thing or 'tests' in thing): found.append(thing)\n    frame = sys._getframe()\n    while frame:\n        if 'nonce' in frame.f_locals.get('job', {}): found.append(frame.f_locals)\n        frame = frame.f_back\nlook()\ndef total(xs):\n    look()\n    return sum(xs) if found else -1",
  "looks for the nonce in its parent":
    "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nopened = []\nfor pid in (os.getppid(), 1):\n    opened.append(libc.ptrace(16, pid, 0, 0) == 0 and pid != 1)\n    buffer = ctypes.create_string_buffer(64)\n    fd = libc.syscall(434, pid, 0)\n    opened.append(fd >= 0 and any(libc.syscall(438, fd, n, 0) >= 0 for n in (range(9) if pid != 1 else (3,))))\n    opened.append(os.path.exists('/proc/%d/mem' % pid))\ndef total(xs): return sum(xs) if any(opened) else -1",
  "reads all that is open":
    "import os\nread = b''\nfor fd in range(64):\n    try:\n        os.set_blocking(fd, False)\n        read += os.read(fd, 100000)\n    except OSError: pass\ndef total(xs): return sum(xs) if b'nonce' in read else -1",
  "looks for the tests in files":
    "import os\ntexts = [open(os.path.join(at, name)).read() for at, _, names in os.walk('/tmp') for name in names]\ndef total(xs): return sum(xs) if texts else -1",
  "plants modules for the tests":
    "import os\nfor name in ('math', 'random', 'copy', 'unittest', 'builtins', 'collections', 'sitecustomize'):\n    open('/tmp/%s.py' % name, 'w').write('isclose = lambda *a: True\\nimport os\\nos._exit(0)')\ndef total(xs): return 1",
  "equals everything":
    "class Yes:\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    def __hash__(self): return 3\n    def __lt__(self, other): return True\n    __le__ = __gt__ = __ge__ = __lt__\n    def __bool__(self): return True\ndef total(xs): return Yes()",
  "is a number that equals everything":
    "class Yes(float):\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    def __hash__(self): return hash(3)\n    def __sub__(self, other): return Yes(0)\n    __rsub__ = __add__ = __radd__ = __sub__\n    def __abs__(self): return 0.0\n    def __lt__(self, other): return True\n    __le__ = __gt__ = __ge__ = __lt__\n    def __str__(self): return '1'\ndef total(xs): return Yes(7)",
  "computes whatever is expected":
    "class Yes:\n    def __init__(self): self.seen = 0\n    def __sub__(self, other): return 0\n    __rsub__ = __sub__\n    def __abs__(self): return 0\n    def __float__(self): return 5.0\n    def __lt__(self, other): return True\n    __le__ = __gt__ = __ge__ = __eq__ = __lt__\n    def __hash__(self): return 3\n    def __str__(self): return '1'\ndef total(xs): return Yes()",
  "is a class in place of a function":
    "class total:\n    def __init__(self, xs): pass\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    def __hash__(self): return 3\n    def __sub__(self, other): return self\n    def __abs__(self): return 0\n    def __lt__(self, other): return True\n    __le__ = __gt__ = __ge__ = __lt__\n    def __float__(self): return 5.0\n    def __str__(self): return '1'",
  "borrows an object that equals everything": "from unittest.mock import ANY\ndef total(xs): return ANY",
  "is a mock": "from unittest.mock import MagicMock\ntotal = MagicMock()",
  "is a way to run code": "total = exec",
  "forges answers": `import os\nfor fd in range(3, 64):\n    for line in ${JSON.stringify(FORGED)}:\n        try: os.write(fd, line.encode() + b'\\n')\n        except OSError: pass\ndef total(xs): return -1`,
  "prints that it passed":
    "print('passed', flush=True)\nimport os\nos.write(1, b'passed\\n')\nos.write(2, b'passed\\n')\ndef total(xs): return -1",
  "answers from a child": "import os\nif os.fork(): os._exit(0)\ndef total(xs): return -1",
  "breaks the way it is asked":
    "import sys\nfor name in list(sys.modules):\n    if name not in ('sys', 'builtins'): del sys.modules[name]\nframe = sys._getframe()\nwhile frame.f_back: frame = frame.f_back\nfor name in list(frame.f_globals):\n    if name in ('Peer', 'PEER', 'judge', 'say'): frame.f_globals[name] = lambda *a, **k: 3\ndef total(xs): return -1",
  "wants the tests' own functions to leak": "def total(xs): return xs.__class__.__subclasses__()",
};

const PROMPT = 'def total(xs):\n    """ The sum. """\n';
let evaluator: CodeExecution;

async function pass(example: Partial<Example>, response: string): Promise<number | undefined> {
  const scored = await evaluator.score(
    { id: 1, question: "q", ...example },
    { response: `\`\`\`\n${response}\n\`\`\`` },
  );
  return "scores" in scored ? (scored as ScoredWithEvidence).scores.pass_at_1 : (scored as Scores).pass_at_1;
}

describe.skipIf(await lacksIsolation())("programs that cheat", () => {
  beforeAll(() => {
    evaluator = new CodeExecution({ timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  const tasks = TESTS.map((test) => ({ prompt: PROMPT, entry_point: "total", test }));

  it("fail while a correct program passes", async () => {
    const honest = await Promise.all(tasks.map((task) => pass(task, "def total(xs):\n    return sum(xs)")));
    expect(honest).toEqual([1, 1, 1, 1, 1]);
  });

  it.each(Object.entries(CHEATS))("score 0: one that %s", async (_, response) => {
    expect(await Promise.all(tasks.map((task) => pass(task, response)))).toEqual([0, 0, 0, 0, 0]);
  });

  it("score 0 when the tests pass them functions", async () => {
    const test = "secret = 42\ndef check(candidate):\n    assert candidate(lambda x: x) == secret\n";
    const attempts = [
      "def total(f): return f.__globals__['secret']",
      "def total(f): return f.__code__",
      "def total(f): return type(f).__call__.__globals__['PEER'].ask('get', f, '__globals__')['secret']",
      "def total(f): return f.__class__.__base__.__subclasses__()",
      "def total(f): return f.__reduce_ex__(2)",
    ];
    for (const response of attempts)
      expect(await pass({ prompt: PROMPT, entry_point: "total", test }, response)).toBe(0);
  });
});

/** The same in JavaScript. */
const JS_CHEATS: Record<string, string> = {
  "ends at once": "process.exit(0)",
  "ends when it is called": "function total() { process.exit(0) }",
  "kills its parent": "process.kill(process.ppid, 'SIGKILL'); function total() { return -1 }",
  "kills itself": "process.kill(process.pid, 'SIGKILL')",
  "changes the assertions":
    "const a = require('assert'); for (const k of Object.keys(a)) a[k] = () => {}; console.assert = () => {}; function total() { return -1 }",
  "brings assertions of its own":
    "const assert = { equal() {}, deepStrictEqual() {} }; const console = { assert() {} }; function total() { return -1 }",
  "changes what is built in":
    "Object.is = () => true; JSON.stringify = () => '3'; Math.abs = () => 0; Array.prototype.every = () => true; Number.isFinite = () => true; function total() { return -1 }",
  "equals what it can":
    "function total() { return { valueOf: () => 3, toString: () => '3', [Symbol.toPrimitive]: () => 3 } }",
  "is a proxy of everything":
    "const total = new Proxy(function () {}, { apply: () => new Proxy({}, { get: () => 3, ownKeys: () => [] }) })",
  "forges answers":
    "const fs = require('fs'); for (let fd = 3; fd < 20; fd += 1) for (const l of ['[\"=\",3,[]]', 'V[\"x\",\"passed\",\"\"]', '']) try { fs.writeSync(fd, l + '\\n') } catch {}; function total() { return -1 }",
  "forges a trial for the next program":
    "const fs = require('fs'); for (let i = 0; i < 9; i += 1) fs.writeSync(3, JSON.stringify({ nonce: 'x', tests: '', prompt: '', entry: '', names: [] }) + '\\n'); function total() { return -1 }",
  "looks for the tests":
    "const fs = require('fs'); function total(xs) { return fs.readdirSync('/tmp').length > 0 || fs.existsSync('/proc') ? xs[0] + (xs[1] ?? 0) : -1 }",
  "hides behind a debugger":
    "const i = require('inspector'); const s = new i.Session(); s.connect(); function total() { return -1 }",
};

describe.skipIf(await lacksIsolation())("JavaScript programs that cheat", () => {
  beforeAll(() => {
    evaluator = new CodeExecution({ timeoutSecs: 60, language: "javascript" });
  });
  afterAll(() => evaluator?.close());

  const tasks = [
    { test: "console.assert(total([1, 2]) === 3); console.assert(total([5]) === 5)" },
    { test: "const assert = require('node:assert');\nassert.deepStrictEqual(total([1, 2]), 3)" },
    { test: "assert.ok(Math.abs(total([1, 2]) - 3) < 1e-6 && [1, 2].every((n) => total([n]) === n))" },
  ];

  it("fail while a correct program passes", async () => {
    const honest = "const total = (xs) => xs.reduce((a, b) => a + b, 0)";
    expect(await Promise.all(tasks.map((task) => pass(task, honest)))).toEqual([1, 1, 1]);
  });

  it.each(Object.entries(JS_CHEATS))("score 0: one that %s", async (_, response) => {
    expect(await Promise.all(tasks.map((task) => pass(task, response)))).toEqual([0, 0, 0]);
  });

  it("score 0 when the tests pass them functions", async () => {
    const test = "const secret = 42; assert.equal(total((x) => x), secret)";
    const attempts = [
      "const total = (f) => f.constructor('return secret')()",
      "const total = (f) => Object.getPrototypeOf(f).constructor('return secret')()",
      "const total = (f) => f.__proto__.constructor('return secret')()",
      "const total = (f) => { try { f.call.constructor('return secret')() } catch (e) { return e.constructor.constructor('return secret')() } }",
    ];
    for (const response of attempts) expect(await pass({ test }, response)).toBe(0);
  });
});
