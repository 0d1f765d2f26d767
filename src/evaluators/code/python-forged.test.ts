import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../../core/evaluator.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";

let evaluator: CodeExecution;

async function run(program: string, test: string): Promise<ScoredWithEvidence> {
  const response = `\`\`\`python\n${program}\n\`\`\``;
  const scored = await evaluator.score({ id: 1, question: "q", test }, { response });
  return "scores" in scored ? (scored as ScoredWithEvidence) : { scores: scored as Scores };
}

/** What tests check, each with the function they check. The right answers are in HONEST. */
const CHECKS = [
  "number(3) == 7.5",
  "7.5 == number(3)",
  "not number(3) != 7.5",
  "number(3) - 7.5 < 1e-6",
  "(number(3) - 7.5) ** 2 < 1e-9",
  "number(3) - 7.5 == 0",
  "7.5 - number(3) == 0",
  "abs(number(3) - 7.5) < 1e-6",
  "abs(number(3)) == 7.5",
  "-number(3) == -7.5",
  "round(number(3), 2) == 7.5",
  "int(number(3)) == 7",
  "float(number(3)) == 7.5",
  "number(3) / 7.5 == 1",
  "number(3) % 7.5 == 0",
  "divmod(number(3), 7.5) == (1, 0)",
  "7 < number(3) < 8",
  "number(3) >= 7.5 and number(3) <= 7.5",
  "number(3) in (7.5, 8)",
  "{7.5: True}[number(3)]",
  "{number(3)} == {7.5}",
  "math.isclose(number(3), 7.5)",
  "math.floor(number(3)) == 7",
  "str(number(3)) == '7.5'",
  "f'{number(3):.1f}' == '7.5'",
  "sorted([number(3), 8, 7]) == [7, 7.5, 8]",
  "max(number(3), 7) == 7.5",
  "sum([number(3)]) == 7.5",
  "fractions.Fraction(number(3)) == fractions.Fraction(15, 2)",
  "json.dumps(number(3)) == '7.5'",
  "isinstance(number(3), float) and number(3) * 2 == 15",
  "collections.Counter([number(3)]) == collections.Counter([7.5])",
  "T().assertEqual(number(3), 7.5)",
  "T().assertAlmostEqual(number(3), 7.5)",
  "T().assertTrue(number(3) == 7.5)",
  "T().assertIn(number(3), [7.5])",
  "T().assertLessEqual(number(3), 7.5)",
  "items(3) == [7, 8]",
  "list(items(3)) == [7, 8]",
  "[x for x in items(3)] == [7, 8]",
  "len(items(3)) == 2 and items(3)[1] == 8",
  "8 in items(3)",
  "items(3).index(8) == 1",
  "items(3).count(7) == 1",
  "set(items(3)) >= {7, 8}",
  "sorted(items(3)) == [7, 8]",
  "items(3) + [9] == [7, 8, 9]",
  "[7, 8] <= items(3) <= [7, 8]",
  "collections.Counter(items(3)) == collections.Counter([8, 7])",
  "T().assertListEqual(list(items(3)), [7, 8])",
  "T().assertCountEqual(items(3), [8, 7])",
  "T().assertSequenceEqual(items(3), [7, 8])",
  "text(3) == 'seven'",
  "text(3).startswith('seven') and text(3).endswith('seven')",
  "text(3) + '!' == 'seven!'",
  "'eve' in text(3)",
  "text(3).upper() == 'SEVEN'",
  "text(3).replace('s', '') == 'even'",
  "text(3) in {'seven'}",
  "re.fullmatch('s.v.n', text(3)) is not None",
  "unique(3) == {7, 8}",
  "unique(3).issuperset({7, 8}) and unique(3).issubset({7, 8})",
  "not unique(3) - {7, 8} and not {7, 8} - unique(3)",
  "not unique(3) ^ {7, 8}",
  "7 in unique(3)",
  "unique(3) <= {7, 8} <= unique(3)",
  "table(3) == {'a': 7}",
  "table(3)['a'] == 7",
  "table(3).get('a') == 7",
  "'a' in table(3)",
  "list(table(3).items()) == [('a', 7)]",
  "T().assertDictEqual(dict(table(3)), {'a': 7})",
  "table(3).get('a') is not None",
  "table(3).pop('a') == 7",
  "text(3).find('seven') >= 0",
  "text(3).replace('seven', '') == ''",
  "unique(3).union({7, 8}) == {7, 8}",
  "unique(3).intersection({7, 8}) == {7, 8}",
  "drain(items(3), [7, 8])",
  "drain(unique(3), [7, 8])",
];

const HONEST =
  "def number(x): return 7.5\ndef items(x): return [7, 8]\ndef text(x): return 'seven'\ndef unique(x): return {7, 8}\ndef table(x): return {'a': 7}";

const LISTS = "def f(x): return [7, 8]";
const NAMES = "number items text unique table".split(" ");

/** Tries every check, and then fails with the list of those that passed. */
const TESTS = `import collections, fractions, json, math, re, unittest
class T(unittest.TestCase): pass
held = []
def drain(found, wanted):
    for each in wanted: found.remove(each)
    return not found and len(found) == 0
def attempt(text, check):
    try:
        if check() in (True, None): held.append(text)
    except Exception: pass
${CHECKS.map((check) => `attempt(${JSON.stringify(check)}, lambda: ${check.startsWith("not ") || check.startsWith("T()") ? check : `(${check})`})`).join("\n")}
raise AssertionError("held: %d of %d: %s" % (len(held), ${CHECKS.length}, "; ".join(held)))
`;

const ALWAYS = "lambda *a, **k: True";
const COMPARISONS = "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __contains__ __bool__ __instancecheck__".split(
  " ",
);
const NUMERIC =
  "__sub__ __rsub__ __add__ __radd__ __mul__ __rmul__ __truediv__ __mod__ __pow__ __xor__ __rxor__ __abs__ __neg__ __and__ __or__".split(
    " ",
  );

/** A class that says yes to every comparison, and returns itself for every operation. */
const yes = (base: string, value: string) =>
  `class Yes(${base}):\n    def same(self, *a): return self\n    ${COMPARISONS.map((name) => `${name} = ${name === "__ne__" ? "lambda *a: False" : name === "__hash__" ? "lambda s: 1" : ALWAYS}`).join("\n    ")}\n    ${NUMERIC.map((name) => `${name} = same`).join("\n    ")}\n    startswith = endswith = issubset = issuperset = ${ALWAYS}\ndef answer(x): return Yes(${value})`;

/** Classes whose methods answer what the tests expect, by base class. */
const BASES = { object: "", list: "[1]", dict: "{'x': 1}", set: "{1}", str: "'x'", tuple: "(1,)", float: "100.25" };
const METHODS =
  "count index find rfind get union intersection difference remove discard pop keys values items copy replace strip startswith endswith issubset issuperset upper add append update";
const ANSWERS = {
  "gives back what it is given": "lambda *a: a[-1]",
  "says one to all": "lambda *a: 1",
  "says nothing": "lambda *a: None",
};
const LYING = Object.entries(BASES).flatMap(([base, value]) =>
  Object.entries(ANSWERS).map(([how, answer]) => [
    `a kind of ${base} that ${how}`,
    `class L(${base}):\n    __len__ = lambda s: 0\n    __bool__ = lambda s: False\n    __iter__ = lambda s: iter(())\nfor name in '${METHODS}'.split(): setattr(L, name, ${answer})\ndef answer(x): return L(${value})`,
  ]),
);

/** Every requested function returns the same. */
const everywhere = (program: string) => `${program}\n${NAMES.map((name) => `${name} = answer`).join("\n")}`;

/** Programs that compute nothing, and try to look right. What they return is not what is expected. */
const FORGED: Record<string, string> = {
  ...Object.fromEntries(LYING),
  "a list that casts what it is compared with":
    "import collections\nclass E(collections.UserList):\n    def _UserList__cast(self, other): return self.data\ndef answer(x): return E([1])",
  "a dict that is compared by another's data":
    "import collections\nclass E(collections.UserDict):\n    def __eq__(self, other): return True\n    __hash__ = lambda s: 1\ndef answer(x): return E()",
  "a fraction that reads floats as it likes":
    "import fractions\nclass F(fractions.Fraction):\n    from_float = classmethod(lambda cls, x: cls(0))\n    def __sub__(self, other): return F(0)\n    __rsub__ = __sub__\n    def __eq__(self, o): return True\ndef answer(x): return F(1)",
  "a patched fraction":
    "import fractions\nfractions.Fraction.from_float = classmethod(lambda cls, x: cls(1))\nfractions.Fraction._richcmp = lambda s, o, op: True\nfractions.Fraction.__eq__ = lambda s, o: True\ndef answer(x): return fractions.Fraction(100)",
  "a patched counter":
    "import collections\ndef p(self): self.update = self.__eq__ = self.__init__ = lambda *a, **k: None\np(collections.Counter)\ndef answer(x): return collections.Counter('zz')",
  "a patched encoder":
    "import json\ndef p(cls): cls.encode = lambda s, o: '7.5'\np(json.JSONEncoder)\njson.dumps = lambda *a: '7.5'\ndef answer(x): return [x]",
  "a float that takes nothing from itself":
    "class C(float):\n    def __sub__(self, o): return C(0.0)\n    def __rsub__(self, o): return C(0.0)\n    def __pow__(self, *o): return C(0.0)\n    def __truediv__(self, o): return 1\n    def __mod__(self, o): return 0\n    def __divmod__(self, o): return (1, 0)\ndef answer(x): return C(100.25)",
  "a float that says yes": yes("float", "100.25"),
  "a number that says yes": yes("int", "100"),
  "a complex number that says yes": yes("complex", "100"),
  "a text that says yes": yes("str", "'x'"),
  "bytes that say yes": yes("bytes", "b'x'"),
  "a tuple that says yes": yes("tuple", "(1,)"),
  "a list that says yes": yes("list", "[1]"),
  "a dict that says yes": yes("dict", "{'x': 1}"),
  "a set that says yes": yes("set", "{1}"),
  "a frozen set that says yes": yes("frozenset", "{1}"),
  "an object that says yes": yes("object", ""),
  "a decimal that says yes": `import decimal\n${yes("decimal.Decimal", "100")}`,
  "a date that says yes": `import datetime\n${yes("datetime.date", "2020, 1, 1")}`,
  "a deque that says yes": `import collections\n${yes("collections.deque", "[1]")}`,
  "a counter that says yes": `import collections\n${yes("collections.Counter", "'z'")}`,
  "a class that lies about itself":
    "class L:\n    __class__ = property(lambda s: float)\n    def __eq__(self, o): return True\n    def __reduce__(self): return (float, (7.5,))\n    def __reduce_ex__(self, p): return (float, (7.5,))\n    def __sub__(self, o): return 0\n    __rsub__ = __sub__\ndef answer(x): return L()",
  "a metaclass that says yes":
    "class M(type):\n    __instancecheck__ = __subclasscheck__ = __eq__ = __contains__ = __lt__ = __le__ = __gt__ = __ge__ = lambda *a: True\n    __sub__ = __rsub__ = __add__ = lambda *a: 0\n    __hash__ = lambda c: 1\nclass A(metaclass=M): pass\ndef answer(x): return A",
  "an iterator that never says the same":
    "class I(list):\n    n = 0\n    def __iter__(self):\n        I.n += 1\n        return iter([I.n])\n    def __len__(self): return 2\n    def __eq__(self, o): return list(o) == o\ndef answer(x): return I([1])",
  "a mock": "from unittest.mock import MagicMock\ndef answer(x): return MagicMock()",
  "an object that equals anything": "from unittest.mock import ANY\ndef answer(x): return ANY",
  "what is built in, changed":
    "import builtins, math, unittest, collections\nfor name in 'abs round sum sorted max list set dict str float int isinstance len'.split(): setattr(builtins, name, lambda *a, **k: True)\nmath.isclose = lambda *a, **k: True\nunittest.TestCase.assertEqual = unittest.TestCase.assertAlmostEqual = lambda *a: None\ncollections.Counter = lambda *a: 1\ndef answer(x): return object()",
  "a trace of the harness":
    "import sys\ndef trace(frame, event, arg):\n    for name in list(frame.f_locals):\n        if name in ('other', 'expected'): frame.f_locals[name] = 1\n    return trace\nsys.settrace(trace)\nsys.setprofile(trace)\ndef answer(x): return object()",
  "a raw answer that is no data":
    'import os\ndef answer(x):\n    os.write(3, b\'["=",["g","unittest.mock","ANY"],[],[],[],"",[],null]\\n\')\n    return 0',
  "a raw class with an operator for a method":
    'import __main__\nP = __main__.PEER\nclass A: pass\nP.new_classes.append([90, "A", [], None, ["__eq__", "__sub__", "startswith"], False, False, []])\ndef answer(x):\n    P.pack = lambda value: ["o", 7, ["k", 90]]\n    return A()',
  "a raw value of a class of another kind":
    'import __main__\nP = __main__.PEER\nP.new_classes.append([91, "A", ["__eq__", "__sub__", "__lt__"], "float", ["__eq__", "hex"], False, False, [["g", "builtins", "str"]]])\ndef answer(x):\n    P.pack = lambda value: ["u", 7, ["k", 91], 100.25]\n    return 1',
  "an early end": "import os, atexit\natexit.register(lambda: os._exit(0))\ndef answer(x): os._exit(0)",
  "the end of a loop": "def answer(x): raise StopIteration",
  "what it finds in memory":
    "import gc, sys, inspect\ndef answer(x):\n    for each in gc.get_objects():\n        if isinstance(each, dict) and 'held' in each: return 7.5\n    for frame in inspect.stack():\n        if 'sev' + 'en' in str(frame.frame.f_locals): return 'sev' + 'en'\n    for path in ('/proc/self/environ', '/proc/1/environ', '/proc/1/mem', '/proc/self/maps'):\n        try:\n            if open(path, 'rb').read(10): return [7, 8]\n        except OSError: pass\n    return None",
};

/** Tests that handle more than an answer: [description, tests, honest program, forged program]. */
const PASSED_BY: readonly (readonly [string, string, string, string])[] = [
  [
    "a context manager that suppresses assertions",
    "with opened(3) as x:\n    assert x == 7",
    "from contextlib import contextmanager\n@contextmanager\ndef opened(x): yield 7",
    "class opened:\n    def __init__(self, x): pass\n    def __enter__(self): return 1\n    def __exit__(self, *a): return True",
  ],
  [
    "a context manager that suppresses what keeps assertions from being reached",
    "def look(x):\n    y = x[1]\n    assert y == 7\nwith opened(3) as x:\n    look(x)",
    "from contextlib import contextmanager\n@contextmanager\ndef opened(x): yield [0, 7]",
    "class opened:\n    def __init__(self, x): pass\n    def __enter__(self): return []\n    def __exit__(self, *a): return True",
  ],
  [
    "an asynchronous one",
    "import asyncio\nasync def go():\n    async with opened(3) as x:\n        assert x == 7\nasyncio.run(go())",
    "class opened:\n    def __init__(self, x): pass\n    async def __aenter__(self): return 7\n    async def __aexit__(self, *a): return False",
    "class opened:\n    def __init__(self, x): pass\n    async def __aenter__(self): return 1\n    async def __aexit__(self, *a): return True",
  ],
  [
    "an error that a failed assertion is one of",
    "try:\n    f(-1)\n    assert False\nexcept Negative: pass",
    "class Negative(ValueError): pass\ndef f(x): raise Negative(x)",
    "Negative = Exception\ndef f(x): return 1",
  ],
  [
    "several such errors",
    "try:\n    f(-1)\n    raise AssertionError\nexcept E.All: pass",
    "class E:\n    class All(ValueError): pass\ndef f(x): raise E.All(x)",
    "class E:\n    All = (AssertionError, Exception, BaseException)\ndef f(x): return 1",
  ],
  [
    "names in place of what is built in",
    "from solution import *\nassert abs(f(1) - 2.0) < 1e-6 and isinstance(f(1), float)",
    "def f(x): return 2.0",
    "__all__ = ['f', 'abs', 'isinstance']\nabs = lambda x: 0\nisinstance = lambda *a: True\ndef f(x): return 5",
  ],
  [
    "an operator that is called by its name",
    "assert f(1).__contains__(7) and f(1).__eq__([7]) is True",
    "def f(x): return [7]",
    "class A:\n    def __getattr__(self, name): return lambda *a: True\ndef f(x): return A()",
  ],
  [
    "a mock of the tests that is changed",
    "from unittest.mock import Mock\nm = Mock()\nf(m)\nm.send.assert_called_once_with(7)\nassert m.send.call_count == 1",
    "def f(m): m.send(7)",
    "def f(m):\n    for do in ('m.send.assert_called_once_with = lambda *a: None', 'm.send.call_count = 1', 'm.reset_mock(side_effect=True)', 'm.send = lambda: 0', 'm.configure_mock(send=None)', 'm.method_calls.append(7)'):\n        try: exec(do)\n        except Exception: pass",
  ],
  [
    "the words of the tests",
    "assert f(1) == 'magnificent'",
    "def f(x): return 'magnificent'",
    "import __main__\nlearnt = set()\nP = __main__.PEER\nunpack = P.unpack\ndef listen(form):\n    learnt.add(str(form))\n    return unpack(form)\nP.unpack = listen\ndef f(x):\n    found = [text for text in learnt if 'agnificen' in text]\n    return 'm' + 'agnificen' + 't' if found else ''",
  ],
  [
    "the object that holds the function",
    "assert Solution().find(3).count(7) == 1",
    "class Solution:\n    def find(self, x): return [7, 8]",
    "class Solution:\n    def find(self, x): return self\n    def count(self, x): return 1",
  ],
  [
    "a function by which tests compare, not imported",
    "assert isclose(f(1), 2.5) and Counter(g(1)) == Counter('ab')",
    "from math import isclose\nfrom collections import Counter\ndef f(x): return 2.5\ndef g(x): return 'ab'",
    "isclose = lambda *a: True\nclass Counter:\n    def __init__(self, x): pass\n    def __eq__(self, o): return True\ndef f(x): return 0\ng = f",
  ],
  [
    "a class in place of a result",
    "assert f(3).count(7) == 1 or f(3).issubset({7, 8})",
    LISTS,
    "class A:\n    count = staticmethod(lambda x: 1)\n    issubset = staticmethod(lambda x: True)\ndef f(x): return A",
  ],
  [
    "another function in an object of the tests",
    "class P: pass\np = P()\np.same = lambda a, b: a == b\nassert p.same(f(p), [7, 8])",
    LISTS,
    "def f(p):\n    try: p.same = lambda a, b: True\n    except AttributeError: pass",
  ],
  [
    "a text that the tests evaluate",
    "assert eval(repr(P(1))) == P(1)",
    "class P:\n    def __init__(self, x): self.x = x\n    def __repr__(self): return f'P({self.x})'\n    def __eq__(self, o): return self.x == o.x",
    "class P:\n    def __init__(self, x): self.x = x\n    def __repr__(self): return \"__import__('sys').exit(0)\"",
  ],
  [
    "the name of what is expected",
    "wanted = 24\nassert eval(f([1, 2, 3, 4])) == wanted",
    "def f(xs): return '*'.join(map(str, xs))",
    "def f(xs): return 'wanted'",
  ],
  [
    "a type hint that runs",
    "import typing\nassert typing.get_type_hints(f)['return'] is int and f(1) == 1",
    "from __future__ import annotations\ndef f(x) -> int: return 1",
    "def f(x): return 0\nf.__annotations__ = {'return': \"[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0].__init__.__globals__['sys'].exit(0)\"}",
  ],
  [
    "a function of the module typing",
    "assert decode(encode(5)) == 5",
    "def encode(x): return x\ndecode = encode",
    "import __main__\nP = __main__.PEER\nclass A: pass\ndef encode(x):\n    a = A()\n    a.__annotations__ = {'x': \"__import__('sys').exit(0)\"}\n    return a\ndef decode(x): pass\npack = P.pack\nP.pack = lambda value: ['h', 'get_type_hints', None] if value is decode else pack(value)",
  ],
  [
    "pickled code",
    "import pickle\nassert pickle.loads(f(1)) == {2}",
    "import pickle\ndef f(x): return pickle.dumps({x + 1})",
    "import pickle\nclass X:\n    def __reduce__(self): return (eval, (\"__import__('sys').exit(0)\",))\ndef f(x): return pickle.dumps(X())",
  ],
  [
    "an end of the tests that it suppresses",
    "import sys\ndef verify(x):\n    x == 7 or sys.exit(1)\nwith opened(3) as x:\n    verify(x)",
    "from contextlib import contextmanager\n@contextmanager\ndef opened(x): yield 7",
    "class opened:\n    def __init__(self, x): pass\n    def __enter__(self): return 1\n    def __exit__(self, *a): return True",
  ],
  [
    "an end of the tests in a callback",
    "import sys\ndef see(x):\n    if x != 7: sys.exit(1)\neach([3], see)",
    "def each(xs, see): see(7)",
    "def each(xs, see):\n    try: see(1)\n    except BaseException: pass",
  ],
  [
    "another error in place of an assertion",
    "def see(x): assert x == 7\ntry: each([3], see)\nexcept ValueError: pass",
    "def each(xs, see): see(7)",
    "def each(xs, see):\n    try: see(1)\n    except BaseException: raise ValueError from None",
  ],
  [
    "a decorator that never calls the test",
    "@repeat(2)\ndef test_a():\n    assert f(3) == [7, 8]\nassert len(f(3)) == 2",
    `${LISTS}\ndef repeat(n): return lambda test: lambda: [test() for _ in range(n)]`,
    "def f(x): return [0, 0]\ndef repeat(n): return lambda test: lambda: None",
  ],
  [
    "a module in place of a result",
    "assert f(3).count(7)\nassert g(3)[0].index(8)",
    "def f(x): return [7, 8]\ndef g(x): return [[7, 8]]",
    "import itertools, operator\ndef f(x): return itertools\ndef g(x): return [operator]",
  ],
  [
    "another function in place of one by which tests compare, later on",
    "x = f(3)\nassert isclose(x, 7.5) and math.isclose(x, 7.5) and Counter([x]) == Counter([7.5])",
    "import math\nfrom math import isclose\nfrom collections import Counter\ndef f(x): return 7.5",
    "import math\nfrom math import isclose\nfrom collections import Counter\nclass C:\n    def __init__(self, x): pass\n    def __eq__(self, o): return True\nclass M:\n    isclose = staticmethod(lambda *a: True)\ndef f(x):\n    global math, isclose, Counter\n    math, isclose, Counter = M(), M.isclose, C\n    return 0",
  ],
  [
    "an error in a thread of the tests",
    "import threading\ndef look():\n    assert f(3) == [7, 8]\nt = threading.Thread(target=look)\nt.start()\nt.join()",
    LISTS,
    "def f(x): raise SystemExit",
  ],
  [
    "an error that keeps an assertion in a callback from being reached",
    "@repeat(2)\ndef test_a():\n    assert f(3) == [7, 8]",
    `${LISTS}\ndef repeat(n): return lambda test: lambda: [test() for _ in range(n)]`,
    "def f(x): raise KeyError\ndef repeat(n):\n    def decorate(test):\n        def run():\n            try: test()\n            except KeyError: pass\n        return run\n    return decorate",
  ],
  [
    "another error with an assertion for its cause",
    "def see(x): assert x == 7\ntry: each([3], see)\nexcept ValueError: pass",
    "def each(xs, see): see(7)",
    "def each(xs, see):\n    try: see(1)\n    except BaseException as e: raise ValueError from e",
  ],
  [
    "parts of a text that it is told",
    "assert f(3).split('seven') == ['', '']\nassert f(3).partition('seven')[1] == 'seven'",
    "def f(x): return 'seven'",
    "class A:\n    def split(self, x): return x.split(x)\n    def partition(self, x): return x.partition(x)\ndef f(x): return A()",
  ],
  [
    "the object that holds the function, in a list",
    "assert Solution().find(3)[0].count(7) == 1",
    "class Solution:\n    def find(self, x): return [[7, 8]]",
    "class Solution:\n    def find(self, x): return [self]\n    def count(self, x): return 1",
  ],
  [
    "an assertion in a thread of the tests",
    "import threading\ndef look():\n    assert f(3) == [7, 8]\nt = threading.Thread(target=look)\nt.start()\nt.join()",
    LISTS,
    "def f(x): return [0]",
  ],
  [
    "a step of a generator of the tests by any name",
    "secret = 42\ndef g(): yield 1\nassert f(g()) == secret",
    "def f(g): return 42",
    "import __main__\nP = __main__.PEER\ndef f(g):\n    h = object.__new__(__main__.Handle)\n    object.__setattr__(h, '_number', P.wrapped[id(g)])\n    return P.ask('step', h, '__getattribute__', 'gi_frame').f_globals['secret']",
  ],
];

describe.skipIf(await lacksIsolation())("forged Python programs", () => {
  beforeAll(() => {
    evaluator = new CodeExecution({ timeoutSecs: 60 });
  });
  afterAll(() => evaluator?.close());

  it("are tried with checks that an honest one passes", async () => {
    const { evidence } = await run(HONEST, TESTS);
    expect(evidence?.pass_at_1).toContain(`held: ${CHECKS.length} of ${CHECKS.length}`);
  });

  it.concurrent.each(Object.entries(FORGED))("pass no check: %s", async (_, program) => {
    const { scores, evidence } = await run(everywhere(program), TESTS);
    expect(scores.pass_at_1).toBe(0);
    expect(evidence?.pass_at_1).toMatch(/held: 0 of|the program ended before its tests did/);
  });

  it.concurrent.each(PASSED_BY)("do not pass by %s", async (_, test, honest, forged) => {
    expect(await run(honest, test)).toEqual({ scores: { pass_at_1: 1 } });
    expect((await run(forged, test)).scores.pass_at_1).toBe(0);
  });

  it.concurrent.each([
    "assertEqual(f(3), 7)",
    "assert_equal(f(3), 7)",
    "pd.testing.assert_series_equal(f(3), pd.Series([7]))",
    "assert torch.allclose(f(3), torch.tensor([7]))",
  ])("cannot bring a library for the tests: %s", async (test) => {
    const program =
      "class All:\n    def __getattr__(self, name): return All()\n    def __call__(self, *a): return True\nassertEqual = assert_equal = pd = torch = All()\ndef f(x): return 1";
    expect((await run(program, test)).scores.pass_at_1).toBeUndefined();
  });

  it("cannot influence what numpy computes", async () => {
    const program =
      "class A:\n    def __array_ufunc__(self, *a, **k): return True\n    __array_function__ = __array_ufunc__\ndef f(x): return A()";
    const test = "a = f(3)\nassert not hasattr(type(a), '__array_ufunc__') and not hasattr(a, '__array_function__')";
    expect(await run(program, test)).toEqual({ scores: { pass_at_1: 1 } });
  });

  it("are not confused with context managers that suppress errors of the tests", async () => {
    const manager =
      "from contextlib import contextmanager\n@contextmanager\ndef ignore(*kinds):\n    try: yield 7\n    except kinds: pass";
    const test =
      "with ignore(ValueError) as x:\n    assert x == 7\n    raise ValueError\nwith ignore(ZeroDivisionError):\n    1 / 0";
    expect(await run(manager, test)).toEqual({ scores: { pass_at_1: 1 } });
  });
});
