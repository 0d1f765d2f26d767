/** Correct programs in many styles: [description, program, tests]. */
export const CORRECT: readonly (readonly [string, string, string])[] = [
  ["returns a map", "def f(xs): return map(str, xs)", "assert list(f([1, 2])) == ['1', '2'] and set(f([3])) == {'3'}"],
  ["returns a zip", "def f(a, b): return zip(a, b)", "assert dict(f('ab', [1, 2])) == {'a': 1, 'b': 2}"],
  ["returns a filter", "def f(xs): return filter(None, xs)", "assert sorted(f([0, 2, 1])) == [1, 2]"],
  ["returns a reversed list", "def f(xs): return reversed(xs)", "assert list(f([1, 2])) == [2, 1]"],
  ["returns an enumeration", "def f(xs): return enumerate(xs)", "assert list(f('a')) == [(0, 'a')]"],
  ["takes a map", "def f(xs): return sum(xs)", "assert f(map(int, '12')) == 3 and f(reversed([1])) == 1"],
  [
    "is async",
    "import asyncio\nasync def f(x):\n    await asyncio.sleep(0)\n    return x + 1",
    "import asyncio\nassert asyncio.run(f(1)) == 2",
  ],
  [
    "is awaited together",
    "async def f(x): return x",
    "import asyncio\nasync def both(): return await asyncio.gather(f(1), f(2))\nassert asyncio.run(both()) == [1, 2]",
  ],
  [
    "yields asynchronously",
    "async def f(n):\n    for i in range(n): yield i",
    "import asyncio\nasync def all_of(): return [x async for x in f(3)]\nassert asyncio.run(all_of()) == [0, 1, 2]",
  ],
  [
    "manages a context asynchronously",
    "class A:\n    async def __aenter__(self): return 1\n    async def __aexit__(self, *a): pass",
    "import asyncio\nasync def use():\n    async with A() as x: return x\nassert asyncio.run(use()) == 1",
  ],
  [
    "raises a JSON error",
    "import json\ndef f(s): return json.loads(s)",
    "import json\ntry:\n    f('{')\n    assert False\nexcept json.JSONDecodeError as e:\n    assert e.pos == 1",
  ],
  [
    "raises a statistics error",
    "import statistics\ndef f(s): return statistics.mean(s)",
    "import statistics\ntry:\n    f([])\n    assert False\nexcept statistics.StatisticsError: pass",
  ],
  [
    "raises a queue error",
    "import queue\ndef f(): return queue.Queue().get_nowait()",
    "import queue\ntry:\n    f()\n    assert False\nexcept queue.Empty: pass",
  ],
  [
    "gives a global variable an object of a class",
    "class User:\n    def __init__(self, name): self.name = name\ncurrent = None\ndef login(name):\n    global current\n    current = User(name)",
    "login('a')\nassert current.name == 'a'",
  ],
  ["returns what it was given", "def f(x): return x", "x = [1]\nassert f(x) is x"],
  ["changes a list given by its name", "def f(a): a.sort()", "x = [2, 1]\nf(a=x)\nassert x == [1, 2]"],
  ["changes a list in a tuple", "def f(t): t[0].append(1)", "x = []\nf((x,))\nassert x == [1]"],
  ["changes a shared row", "def f(g): g[0][0] = 9", "r = [0]\ng = [r, r]\nf(g)\nassert g == [[9], [9]]"],
  ["gets a list twice", "def f(a, b):\n    a.append(1)\n    return b", "x = []\nassert f(x, x) == [1]"],
  [
    "makes named tuples",
    "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f(): return P(1, 2)",
    "assert isinstance(f(), tuple) and f() == (1, 2) and f().x == 1",
  ],
  [
    "is a generator",
    "def f(n):\n    for i in range(n): yield i",
    "import types, inspect\nassert isinstance(f(3), types.GeneratorType) and inspect.isgeneratorfunction(f)",
  ],
  [
    "is an enumeration",
    "from enum import Enum\nclass Color(Enum):\n    RED = 1\n    BLUE = 2",
    "assert [c.name for c in Color] == ['RED', 'BLUE'] and Color['RED'].value == 1 and len(Color) == 2",
  ],
  [
    "wraps",
    "from functools import wraps\ndef deco(f):\n    @wraps(f)\n    def g(*a, **k): return f(*a, **k)\n    return g",
    "@deco\ndef hello():\n    return 1\nassert hello.__name__ == 'hello' and hello() == 1",
  ],
  [
    "is random, from a seed",
    "import random\ndef f(xs):\n    random.shuffle(xs)\n    return xs",
    "import random\nrandom.seed(4)\nr = f([1, 2, 3, 4])\nrandom.seed(4)\ny = [1, 2, 3, 4]\nrandom.shuffle(y)\nassert r == y",
  ],
  [
    "manages a context",
    "from contextlib import contextmanager\n@contextmanager\ndef cm(log):\n    log.append(1)\n    yield 5\n    log.append(2)",
    "log = []\nwith cm(log=log) as x:\n    assert x == 5\nassert log == [1, 2]",
  ],
  ["counts in a global", "n = 0\ndef f():\n    global n\n    n += 1", "f()\nf()\nassert n == 2"],
  ["keeps a global list", "log = []\ndef f(x): log.append(x)", "f(1)\nf(2)\nassert log == [1, 2]"],
  [
    "asks for input",
    "def f(): return int(input()) + 1",
    "from unittest.mock import patch\nwith patch('builtins.input', return_value='4'):\n    assert f() == 5",
  ],
  ["has a docstring", "def f():\n    'Docs.'\n    return 1", "assert f.__doc__ == 'Docs.'"],
  [
    "is a dataclass",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int = 2",
    "from dataclasses import asdict\nassert asdict(P(1)) == {'x': 1, 'y': 2} and vars(P(1)) == {'x': 1, 'y': 2}",
  ],
  [
    "is derived from",
    "class A:\n    def hi(self): return self.name()\n    def name(self): return 'a'",
    "class B(A):\n    def name(self): return 'b'\nassert B().hi() == 'b'",
  ],
  ["is imported", "def f(): return 1", "from solution import f\nassert f() == 1"],
  ["returns itself", "def f():\n    a = [1]\n    a.append(a)\n    return a", "a = f()\nassert a[1] is a"],
  [
    "has its list changed",
    "class S:\n    def __init__(self): self.x = []",
    "s = S()\ns.x.append(4)\nassert s.x == [4]",
  ],
  [
    "is tested by unittest",
    "async def f(x): return x",
    "import unittest\nclass T(unittest.IsolatedAsyncioTestCase):\n    async def test_a(self): self.assertEqual(await f(1), 1)\nif __name__ == '__main__': unittest.main()",
  ],
  [
    "is a cache derived from an ordered dict",
    "from collections import OrderedDict\nclass LRUCache(OrderedDict):\n    def __init__(self, n):\n        super().__init__()\n        self.n = n\n    def get(self, k):\n        if k not in self: return -1\n        self.move_to_end(k)\n        return self[k]\n    def put(self, k, v):\n        self[k] = v\n        self.move_to_end(k)\n        if len(self) > self.n: self.popitem(last=False)",
    "c = LRUCache(2)\nc.put(1, 1); c.put(2, 2)\nassert c.get(1) == 1\nc.put(3, 3)\nassert c.get(2) == -1 and len(c) == 2 and list(c) == [1, 3] and c.n == 2",
  ],
  [
    "is a stack derived from a list",
    "class Stack(list):\n    def push(self, x): self.append(x)\n    def peek(self): return self[-1]",
    "s = Stack()\ns.push(1); s.push(2)\nassert s.peek() == 2 and s == [1, 2] and len(s) == 2 and s.pop() == 2 and s == [1] and s[0] == 1\ns.append(7)\nassert s.peek() == 7 and isinstance(s, list)",
  ],
  [
    "replaces a method of list",
    "import bisect\nclass SL(list):\n    def append(self, x): bisect.insort(self, x)",
    "s = SL()\ns.append(3); s.append(1)\nassert s == [1, 3]",
  ],
  [
    "fills in what a dict is missing",
    "class Tree(dict):\n    def __missing__(self, key):\n        v = self[key] = Tree()\n        return v",
    "t = Tree()\nt['a']['b'] = 1\nassert t == {'a': {'b': 1}}",
  ],
  [
    "adds tuples in a way of its own",
    "class V(tuple):\n    def __add__(self, o): return V(a + b for a, b in zip(self, o))",
    "assert V([1,2]) + V([3,4]) == V([4,6]) == (4, 6)",
  ],
  [
    "has a named tuple with methods",
    "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int = 0\n    def norm(self): return self.x ** 2 + self.y ** 2",
    "p = P(3, 4)\nassert p.norm() == 25 and p == (3, 4) and p._asdict() == {'x': 3, 'y': 4} and p._replace(x=1) == P(1, 4) and p.y == 4\na, b = p\nassert a == 3 and P(1).y == 0 and repr(p) == 'P(x=3, y=4)' and p.count(3) == 1",
  ],
  [
    "is an enumeration of texts",
    "from enum import Enum\nclass C(str, Enum):\n    A = 'a'\n    B = 'b'",
    "assert C.A == 'a' and C('b') is C.B and C.A.name == 'A' and C.B.value == 'b' and [c for c in C] == [C.A, C.B] and C.A in C and C.A.upper() == 'A'",
  ],
  [
    "is made of flags",
    "from enum import IntFlag\nclass F(IntFlag):\n    R = 1\n    W = 2\ndef f(): return F.R | F.W",
    "assert f() == 3 and F.R in (F.R,) and f() == F.R | F.W",
  ],
  [
    "is compared and hashed in a way of its own",
    "class P:\n    def __init__(self, x): self.x = x\n    def __eq__(self, o): return isinstance(o, P) and self.x == o.x\n    def __hash__(self): return hash(self.x)\n    def __lt__(self, o): return self.x < o.x\n    def __repr__(self): return f'P({self.x})'\ndef f(n): return {P(i % 2) for i in range(n)}\ndef g(n): return {P(i): i for i in range(n)}",
    "assert len({P(1), P(1), P(2)}) == 2 and P(1) in {P(1)} and P(1) in [P(2), P(1)] and f(4) == {P(0), P(1)} and g(2) == {P(0): 0, P(1): 1}\nassert sorted([P(3), P(1)]) == [P(1), P(3)] and max(P(1), P(5)).x == 5 and repr([P(1)]) == '[P(1)]' and P(1) != 1 and not P(1) == 1",
  ],
  [
    "is an ordered, frozen data class",
    "from dataclasses import dataclass, field\n@dataclass(order=True, frozen=True)\nclass V:\n    a: int\n    b: list = field(default_factory=list, compare=False)",
    "from dataclasses import asdict, astuple, replace, fields, is_dataclass\nassert V(1) < V(2) and V(1) == V(1) and repr(V(1)) == 'V(a=1, b=[])' and astuple(V(1, [2])) == (1, [2]) and [f.name for f in fields(V)] == ['a', 'b'] and is_dataclass(V)\ntry:\n    V(1).a = 3\n    assert False\nexcept Exception as e:\n    assert type(e).__name__ == 'FrozenInstanceError'",
  ],
  [
    "is sent values",
    "def acc():\n    total = 0\n    while True:\n        x = yield total\n        if x is None: return total\n        total += x",
    "g = acc()\nnext(g)\nassert g.send(5) == 5 and g.send(6) == 11\ntry:\n    g.send(None)\n    assert False\nexcept StopIteration as e:\n    assert e.value == 11",
  ],
  ["yields many values", "def f(n):\n    for i in range(n): yield i", "assert sum(f(200000)) == sum(range(200000))"],
  [
    "raises in the middle of yielding",
    "def f(n):\n    for i in range(n):\n        if i == 50: raise ValueError('x')\n        yield i",
    "seen = []\ntry:\n    for x in f(100): seen.append(x)\n    assert False\nexcept ValueError: pass\nassert seen == list(range(50))",
  ],
  [
    "yields one list again and again",
    "def f():\n    a = []\n    for i in range(3):\n        a.append(i)\n        yield a",
    "assert [list(x) for x in f()] == [[0], [0, 1], [0, 1, 2]]",
  ],
  [
    "has attributes on a function",
    "def make():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n        return n\n    inc.calls = 7\n    return inc",
    "c = make()\nassert c() == 1 and c() == 2 and c.calls == 7 and callable(c) and c.__name__ == 'inc'\nc.calls = 8\nassert c.calls == 8",
  ],
  [
    "is cached",
    "from functools import lru_cache\n@lru_cache(None)\ndef fib(n): return n if n < 2 else fib(n-1) + fib(n-2)",
    "assert fib(50) == 12586269025 and fib.cache_info().misses == 51\nfib.cache_clear()",
  ],
  [
    "shows its signature",
    "def f(a, b=2, *args, c: int = 3, **kw) -> str:\n    'Doc'\n    return 'x'",
    "import inspect\ns = inspect.signature(f)\nassert list(s.parameters) == ['a', 'b', 'args', 'c', 'kw'] and s.parameters['b'].default == 2 and s.return_annotation is str and f.__code__.co_argcount == 2 and f.__defaults__ == (2,) and f.__annotations__ == {'c': int, 'return': str}",
  ],
  [
    "is an abstract class that the tests derive from",
    "from abc import ABC, abstractmethod\nclass Shape(ABC):\n    @abstractmethod\n    def area(self): ...\n    def show(self): return f'{self.area():.1f}'\nclass Sq(Shape):\n    def __init__(self, a): self.a = a\n    def area(self): return self.a ** 2",
    "assert Sq(2).show() == '4.0' and isinstance(Sq(1), Shape)\ntry:\n    Shape()\n    assert False\nexcept TypeError: pass\nclass T(Shape):\n    def __init__(self): self.k = 3\n    def area(self): return self.k\nassert T().show() == '3.0' and T().k == 3\nclass S2(Sq):\n    def __init__(self, a):\n        super().__init__(a)\n        self.b = 1\n    def area(self): return super().area() + self.b\nassert S2(3).show() == '10.0' and S2(3).a == 3 and isinstance(S2(1), Sq)",
  ],
  [
    "reverses a linked list",
    "class ListNode:\n    def __init__(self, val=0, next=None):\n        self.val, self.next = val, next\nclass Solution:\n    def reverse(self, head):\n        p = None\n        while head: head.next, p, head = p, head, head.next\n        return p",
    "h = ListNode(1, ListNode(2, ListNode(3)))\nr = Solution().reverse(h)\nout = []\nwhile r:\n    out.append(r.val); r = r.next\nassert out == [3, 2, 1]",
  ],
  [
    "is read by index",
    "class R:\n    def __init__(self, n): self.n = n\n    def __len__(self): return self.n\n    def __getitem__(self, i):\n        if i >= self.n: raise IndexError(i)\n        return i * i",
    "assert list(R(3)) == [0, 1, 4] and len(R(3)) == 3 and 4 in R(3) and bool(R(0)) is False and R(3)[2] == 4",
  ],
  [
    "calls back from threads",
    "import threading\ndef f(cb, xs):\n    ts = [threading.Thread(target=cb, args=(x,)) for x in xs]\n    for t in ts: t.start()\n    for t in ts: t.join()",
    "seen = []\nf(seen.append, [1, 2, 3])\nassert sorted(seen) == [1, 2, 3]",
  ],
  [
    "gives back the list that it was given",
    "def f(xs, n):\n    for i in range(n): xs.append(i)\n    return xs",
    "a = []\nb = f(a, 3)\nassert b is a and a == [0, 1, 2]\nb.append(9)\nassert f(a, 1) == [0, 1, 2, 9, 0]",
  ],
  [
    "shows the dict that it keeps",
    "class Graph:\n    def __init__(self): self.adj = {}\n    def add(self, a, b): self.adj.setdefault(a, []).append(b)",
    "g = Graph()\ng.add('a', 'b'); g.add('a', 'c')\nassert g.adj == {'a': ['b', 'c']} and vars(g) == {'adj': {'a': ['b', 'c']}} and g.__dict__['adj']['a'] == ['b', 'c']\ng.adj['x'] = [1]\ng.add('x', 2)\nassert g.adj['x'] == [1, 2]",
  ],
  [
    "reads the standard input",
    "import sys\ndef f(): return [int(l) for l in sys.stdin]\ndef main():\n    print(sum(map(int, input().split())))",
    'import sys, io\nsys.stdin = io.StringIO("1\\n2\\n")\nassert f() == [1, 2]\nsys.stdin = io.StringIO("1 2\\n")\nsys.stdout = out = io.StringIO()\nmain()\nsys.stdout = sys.__stdout__\nassert out.getvalue() == "3\\n"',
  ],
  [
    "has a function replaced",
    "def helper(): return 1\ndef f(): return helper() + 1",
    "from unittest.mock import patch\nimport solution\nwith patch('solution.helper', return_value=5):\n    assert f() == 6\nassert f() == 2 and solution.f() == 2",
  ],
  [
    "returns a decimal",
    "from decimal import Decimal\ndef f(): return Decimal('1.10')",
    "from decimal import Decimal\nassert f() == Decimal('1.1') and str(f()) == '1.10'",
  ],
  [
    "has a class that equals every other",
    "class M(type):\n    def __eq__(cls, o): return True\n    def __hash__(cls): return 1\nclass A(metaclass=M):\n    x = 1",
    "assert A.x == 1 and A().x == 1",
  ],
  [
    "raises one error from another",
    "class E(Exception):\n    def __init__(self, code, msg): super().__init__(msg); self.code = code\ndef f():\n    try: {}['x']\n    except KeyError as e: raise E(4, 'no') from e\ndef g(): return ValueError('a')",
    "try:\n    f()\n    assert False\nexcept E as e:\n    assert e.code == 4 and str(e) == 'no' and isinstance(e.__cause__, KeyError) and e.args == ('no',)\nassert isinstance(g(), ValueError) and g().args == ('a',)",
  ],
  [
    "awaits in many ways",
    "import asyncio\nasync def f(x):\n    await asyncio.sleep(0.01)\n    return x * 2\nasync def g(cb): return await cb(3)\nclass Q:\n    def __init__(self): self.l = asyncio.Lock()\n    async def go(self):\n        async with self.l: return 1",
    "import asyncio\nasync def main():\n    r = await asyncio.gather(*(f(i) for i in range(5)))\n    async def cb(x): return x + 1\n    assert await g(cb) == 4\n    q = Q()\n    assert await q.go() == 1\n    t = asyncio.create_task(f(4))\n    assert await asyncio.wait_for(f(3), 1) == 6 and await t == 8\n    return r\nassert asyncio.run(main()) == [0, 2, 4, 6, 8]\nassert asyncio.iscoroutinefunction(f)",
  ],
  [
    "returns iterators of itertools",
    "import itertools\ndef f(): return itertools.count(1)\ndef g(): return itertools.permutations([1,2])",
    "import itertools\nassert list(itertools.islice(f(), 100)) == list(range(1, 101)) and sorted(g()) == [(1, 2), (2, 1)]",
  ],
  [
    "has a property that can be set",
    "class T:\n    def __init__(self): self._c = 0\n    @property\n    def c(self): return self._c\n    @c.setter\n    def c(self, v):\n        if v < 0: raise ValueError('neg')\n        self._c = v",
    "t = T()\nt.c = 5\nassert t.c == 5\ntry:\n    t.c = -1\n    assert False\nexcept ValueError as e: assert str(e) == 'neg'\nassert hasattr(t, 'c') and not hasattr(t, 'd')",
  ],
  [
    "has methods of a class",
    "class D:\n    n = 0\n    @classmethod\n    def make(cls): cls.n += 1; return cls()\n    @staticmethod\n    def s(x): return x + 1",
    "d = D.make()\nassert D.n == 1 and isinstance(d, D) and D.s(1) == 2 and type(d) is D and type(d).__name__ == 'D' and d.__class__.__name__ == 'D'",
  ],
  [
    "nests lists deeply",
    "def f(n):\n    r = []\n    for _ in range(n): r = [r]\n    return r",
    "r = f(300)\nd = 0\nwhile r: r = r[0]; d += 1\nassert d == 299 or d == 300",
  ],
  [
    "is copied",
    "import copy\nclass A:\n    def __init__(self): self.x = [1]",
    "import copy\na = A(); b = copy.deepcopy(a); c = copy.copy(a)\nb.x.append(2)\nassert a.x == [1] and b.x == [1, 2] and c.x is a.x",
  ],
  [
    "returns a dict of its own class",
    "class D(dict): pass\ndef f(): return D(a=1)",
    "import json\nassert json.dumps(f()) == '{\"a\": 1}'",
  ],
  [
    "returns a counter of its own class",
    "from collections import Counter\nclass C(Counter): pass\ndef f(): return C('aab')",
    "assert f() == {'a': 2, 'b': 1} and f()['z'] == 0",
  ],
  [
    "calls a mock",
    "def f(s):\n    s.send(1); s.close()\n    return s.value",
    "from unittest.mock import Mock, MagicMock\nm = MagicMock(); m.value = 3\nassert f(m) == 3\nm.send.assert_called_once_with(1)\nm.close.assert_called_once()",
  ],
  [
    "makes another object of a class of the tests",
    "def f(n): \n    n.next = type(n)(5)\n    n.val = 4\n    return n",
    "class N:\n    def __init__(self, v): self.val, self.next = v, None\na = N(1)\nassert f(a) is a and a.val == 4 and a.next.val == 5",
  ],
  [
    "iterates over an object of the tests",
    "def f(it): return [x for x in it], sum(it)",
    "class It:\n    def __iter__(self): return iter([1, 2])\nassert f(It()) == ([1, 2], 3)",
  ],
  [
    "sorts by a function of the tests",
    "def f(xs, key): xs.sort(key=key); return sorted(xs, key=key, reverse=True)",
    "a = ['bb', 'a']\nassert f(a, len) == ['bb', 'a'] and a == ['a', 'bb']\nassert f(a, lambda s: -len(s)) == ['a', 'bb']",
  ],
  [
    "suppresses an error",
    "from contextlib import contextmanager, suppress\n@contextmanager\ndef cm():\n    try: yield 1\n    except ValueError: pass",
    "with cm() as x:\n    raise ValueError('q')\ntry:\n    with cm(): raise KeyError(1)\n    assert False\nexcept KeyError: pass",
  ],
  [
    "reads and writes files of the tests",
    "import os\ndef count(path):\n    with open(path) as f: return len(f.readlines())\ndef write(path, text):\n    os.makedirs(os.path.dirname(path), exist_ok=True)\n    with open(path, 'w') as f: f.write(text)\ndef remove(path): os.remove(path)",
    "import os, tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    path = os.path.join(folder, 'a.txt')\n    with open(path, 'w') as f: f.write('1\\n2\\n')\n    assert count(path) == 2\n    write(os.path.join(folder, 'b', 'c.txt'), 'hello')\n    with open(os.path.join(folder, 'b', 'c.txt')) as f: assert f.read() == 'hello'\n    remove(path)\n    assert not os.path.exists(path)",
  ],
  [
    "returns collections that hold others",
    "from collections import ChainMap, UserDict, UserList, UserString\ndef f(): return UserList([1])\ndef g(): return UserDict(a=1)\ndef h(): return UserString('x')\ndef k(): return ChainMap({'a': 1}, {'b': 2})",
    "assert f() == [1] and f() + [2] == [1, 2] and g() == {'a': 1} and h() == 'x' and k() == {'a': 1, 'b': 2} and k()['b'] == 2",
  ],
  [
    "returns paths",
    "from pathlib import Path, PurePosixPath\ndef f(): return PurePosixPath('a/b.txt')\ndef g(folder): return folder / 'c'",
    "from pathlib import Path, PurePosixPath\nassert f() == PurePosixPath('a/b.txt') and f().suffix == '.txt' and g(Path('a')) == Path('a/c')",
  ],
  [
    "returns an array",
    "from array import array\ndef f(): return array('d', [1, 2])\ndef g(xs): xs.append(3)",
    "from array import array\nxs = array('i', [1])\ng(xs)\nassert f() == array('d', [1, 2]) and list(f()) == [1.0, 2.0] and xs == array('i', [1, 3])",
  ],
  [
    "returns a view of a dict that cannot be changed",
    "from types import MappingProxyType\ndef f(): return MappingProxyType({'a': 1})",
    "assert f() == {'a': 1} and f()['a'] == 1\ntry:\n    f()['a'] = 2\n    assert False\nexcept TypeError: pass",
  ],
  [
    "returns a namespace",
    "from types import SimpleNamespace\nstate = SimpleNamespace(a=1)\ndef f(): return state\ndef g(): return state.a",
    "from types import SimpleNamespace\nassert f() == SimpleNamespace(a=1) and f() is f()\nf().a = 5\nassert g() == 5",
  ],
  [
    "is made by a function and keeps a state",
    "class S:\n    def __init__(self): self.x = []\n    def push(self, v): self.x.append(v)\n    def pop(self): return self.x.pop()\n    def count(self, v): return self.x.count(v)\n    def index(self, v): return self.x.index(v)\n    def __len__(self): return len(self.x)\ndef make(): return S()",
    "s = make()\ns.push(1); s.push(1)\nassert s.count(1) == 2 and s.index(1) == 0 and s.pop() == 1 and len(s) == 1",
  ],
  [
    "is made by a function and caches",
    "class C:\n    def __init__(self): self.d = {}\n    def put(self, k, v): self.d[k] = v\n    def get(self, k): return self.d.get(k, -1)\ndef make(n): return C()",
    "c = make(2)\nc.put(1, 2)\nassert c.get(1) == 2 and c.get(5) == -1",
  ],
  [
    "is made by a function and is added to",
    "class C:\n    def __init__(self): self.d = []\n    def add(self, k): self.d.append(k)\n    def remove(self, k): self.d.remove(k)\n    def __len__(self): return len(self.d)\ndef make(): return C()",
    "c = make()\nc.add('x'); c.add('y'); c.remove('x')\nassert len(c) == 1",
  ],
  [
    "has data by the names of methods",
    "class R:\n    def __init__(self): self.count, self.index = 2, 1\n    @property\n    def find(self): return 3\ndef f(): return R()",
    "r = f()\nassert r.count == 2 and r.index == 1 and r.find == 3",
  ],
  [
    "is a cache derived from a dict",
    "from collections import OrderedDict\nclass LRU(OrderedDict):\n    def __init__(self, n):\n        super().__init__()\n        self.n = n\n    def get(self, k):\n        if k not in self: return -1\n        self.move_to_end(k)\n        return self[k]\n    def put(self, k, v):\n        self[k] = v\n        self.move_to_end(k)\n        if len(self) > self.n: self.popitem(last=False)",
    "import solution\nfor kind in (LRU, solution.LRU):\n    c = kind(2)\n    c.put(1, 1); c.put(2, 2)\n    assert c.get(1) == 1\n    c.put(3, 3)\n    assert c.get(2) == -1 and len(c) == 2 and list(c) == [1, 3]",
  ],
  [
    "has functions by the names of methods in its Solution",
    "class Solution:\n    def find(self, x): return x + 1\n    def count(self, xs): return len(xs)",
    "s = Solution()\nassert s.find(1) == 2 and s.count([1]) == 1",
  ],
  [
    "names its types",
    "from typing import List, Optional\ndef f(xs: List[int]) -> Optional[int]: return max(xs, default=None)",
    "import typing\nassert typing.get_type_hints(f)['return'] == typing.Optional[int] and f([]) is None",
  ],
];

/** Correct programs that fail because something in them cannot cross between processes. */
export const NOT_CROSSING: typeof CORRECT = [
  [
    "returns a UserList that compares in a way of its own",
    "from collections import UserList\nclass L(UserList):\n    def __eq__(self, other): return list(self) == list(other)\ndef f(): return L([1])",
    "assert f() == [1]",
  ],
  [
    "multiplies an object by a number",
    "class V:\n    def __init__(self, x): self.x = x\n    def __mul__(self, k): return V(self.x * k)\n    def __eq__(self, o): return self.x == o.x",
    "assert (V(2) * 3).x == 6",
  ],
  [
    "has `in` without an iterator",
    "class B:\n    def __init__(self): self.s = set()\n    def add(self, x): self.s.add(x)\n    def __contains__(self, x): return x in self.s",
    "b = B()\nb.add(1)\nassert 1 in b",
  ],
  [
    "warns",
    "import warnings\ndef f(): warnings.warn('old', DeprecationWarning)",
    "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        with self.assertWarns(DeprecationWarning): f()\nunittest.main()",
  ],
];
