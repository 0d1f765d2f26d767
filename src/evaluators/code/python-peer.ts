import { PYTHON_CONTAINERS } from "./python-containers.js";
import { PYTHON_HANDLES } from "./python-handles.js";
import { PYTHON_VALUES } from "./python-values.js";

/** JSON lines between the two Python processes of a trial, and the names that both know. */
const PYTHON_PROTOCOL = String.raw`
import _json, _operator, _thread, builtins, io, os, sys
from _collections import OrderedDict, defaultdict, deque

# What is built in is kept as it was before the program could change it.
globals().update({name: value for name, value in vars(builtins).items() if not name.startswith("__")})

MAX_SAFE_INT = 10 ** 18
MAX_DEPTH = 200
MAX_LINE = 16 << 20
CANNOT_CROSS = "the tests need something that cannot cross between processes: "
# Modules that each process has its own copy of, and those whose classes are taken over by name. Nothing of them runs
# what it is given, and none of their objects equals everything.
KNOWN_MODULES = frozenset((
    "bisect", "cmath", "collections", "copy", "datetime", "decimal", "fractions", "functools", "heapq", "itertools",
    "json", "math", "operator", "random", "re", "statistics", "string", "time", "typing",
))
CLASS_MODULES = frozenset(("builtins", "collections", "datetime", "decimal", "fractions"))
get_mro = type.__dict__["__mro__"].__get__


def is_in(lineage, cls):
    """By identity: a class of the program may say that it equals every other."""
    return any(each is cls for each in lineage)


def is_a(value, cls):
    """By the real type of a value, whatever it says itself."""
    return is_in(get_mro(type(value)), cls)


class Syntax:
    strict, object_hook, object_pairs_hook = True, None, None
    parse_float, parse_int = float, int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


# The json module would import re, which takes as long as all else that starts here.
scan = _json.make_scanner(Syntax)
encode = _json.make_encoder(None, repr, _json.encode_basestring_ascii, None, ":", ",", False, False, True)


def to_line(value):
    return "".join(encode(value, 0)).encode() + b"\n"


class Gone(BaseException):
    """The other process has ended, or has said what is not data."""


class Wire:
    """Descriptor 3: whatever goes to the other process goes through the one that started both."""

    mark = b""

    def __init__(self, rest):
        self.rest = rest

    def send(self, message):
        view = memoryview(self.mark + to_line(message))
        if len(view) > MAX_LINE:
            raise TypeError("%s%d MB at once" % (CANNOT_CROSS, len(view) >> 20))
        try:
            while view:
                view = view[os_write(3, view):]
        except OSError:
            raise Gone() from None

    def receive(self):
        parts, size = [self.rest], len(self.rest)
        while b"\n" not in parts[-1]:
            chunk = os_read(3, 1 << 16)
            size += len(chunk)
            if not chunk or size > MAX_LINE:
                raise Gone()
            parts.append(chunk)
        line, _, self.rest = b"".join(parts).partition(b"\n")
        try:
            return scan(line.decode(), 0)[0]
        except (ValueError, StopIteration, RecursionError):
            raise Gone() from None


os_read, os_write, get_refcount = os.read, os.write, sys.getrefcount


class Tape(io.StringIO):
    """Takes what is printed, within reason."""

    def write(self, text):
        return super().write(text) if self.tell() < 1 << 20 else len(text)

    def take(self):
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text
`;

/**
 * Files in the working folders of the two Python processes. Each has its own folder; if the tests use files,
 * every message carries those that were written or removed, so that the program finds the files of the tests.
 */
const PYTHON_FILES = `
MAX_FILES, MAX_FILE_BYTES, MAX_SENT_BYTES = 200, 1 << 20, 4 << 20


class Files:
    def __init__(self, holds_tests):
        self.root, self.known, self.holds_tests = os.getcwd(), None, holds_tests

    def find_changes(self):
        """What was written, made or removed since the last look: paths with contents, True for a folder, None when gone."""
        if self.known is None:
            return None
        before, self.known = self.known, self.look()
        gone = [[path, None] for path in sorted(before, reverse=True) if path not in self.known]
        made = [[path, self.read(path)] for path, state in sorted(self.known.items()) if before.get(path) != state]
        sizes = 0
        for each in made:
            sizes += len(each[1]) if type(each[1]) is str else 0
        return gone + made if sizes <= MAX_SENT_BYTES else gone

    def look(self):
        found = {}
        for at, folders, names in os.walk(self.root):
            for name in folders + names:
                path = os.path.join(at, name)
                state = os.lstat(path)
                if name in folders:
                    found[path[len(self.root) + 1:]] = True
                elif os.path.isfile(path) and state.st_size <= MAX_FILE_BYTES:
                    found[path[len(self.root) + 1:]] = (state.st_mtime_ns, state.st_size)
            if len(found) > MAX_FILES:
                break
        return found

    def read(self, path):
        if self.known[path] is True:
            return True
        try:
            with io.open(os.path.join(self.root, path), "rb") as file:
                return file.read().hex()
        except OSError:
            return None

    def take(self, changes):
        # Only the tests say whether files go to and fro.
        if changes is None or self.holds_tests and self.known is None:
            return
        for path, content in changes:
            try:
                self.write(path, content)
            except OSError:
                pass
        self.known = self.look()

    def write(self, path, content):
        """Only below the folder, and through no link."""
        whole = os.path.join(self.root, path)
        is_below = os.path.normpath(path) == path and path[:2] != ".." and not os.path.isabs(path)
        if not is_below or os.path.realpath(os.path.dirname(whole)) != os.path.dirname(whole):
            return
        if content is True:
            os.makedirs(whole, exist_ok=True)
        elif content is None:
            os.rmdir(whole) if os.path.isdir(whole) else os.unlink(whole)
        else:
            file = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o666)
            with io.open(file, "wb") as opened:
                opened.write(bytes.fromhex(content))
`;

const PEER = `
# From this many on, what an iterator yields is fetched several at a time.
PULLED_SINGLY, MAX_PULLED = 32, 1024
IMMUTABLE = frozenset(map(id, (int, float, str, bool, bytes, type(None))))
MOCK_MODULE = "unittest.mock"
# What the program may read of a function of the tests, as functools.wraps does.
PUBLIC_OF_FUNCTIONS = ("__name__", "__qualname__", "__doc__", "__module__")
# What it may call of a named tuple of the tests.
PUBLIC_OF_TUPLES = ("_replace", "_asdict", "_fields")
STEPS = ("send", "throw", "asend", "close")


class Peer(Values):
    def __init__(self, wire, holds_tests):
        super().__init__(holds_tests)
        self.wire, self.tape, self.is_gone = wire, None, False
        self.handlers, self.pulled, self.lock, self.files = {}, {}, _thread.RLock(), Files(holds_tests)

    # -- asking and serving

    def ask(self, kind, target=None, *rest):
        with self.lock:
            try:
                self.send("?", [kind, self.pack(target)] + [self.pack(item) for item in rest])
                while True:
                    mark, body = self.receive()
                    if mark != "?":
                        return self.settle(kind, rest, mark, body)
                    self.serve(body)
            except Gone:
                self.is_gone = True
                raise

    def send(self, mark, body):
        news, contents = self.get_news(), self.pack_contents()
        classes, self.new_classes = self.new_classes, []
        printed = self.tape.take() if self.tape is not None else ""
        self.wire.send([mark, body, classes, contents, self.sweep(), printed, news, self.files.find_changes()])

    def receive(self):
        """The mark and the unpacked body of the next message. Whatever is not data ends the conversation."""
        message = self.wire.receive()
        self.receiving += 1
        try:
            mark, body, classes, contents, forgotten, printed, news, files = message
            self.files.take(files)
            self.read_classes(classes)
            self.unpack_contents(contents)
            if mark == "?":
                is_allowed = not self.holds_tests or body[0] in ("input", "stdin") or self.is_given(body[1])
                body = [body[0]] + [self.unpack(item) for item in body[1:]] if is_allowed else ["refuse", None]
            elif mark == "=":
                body = self.unpack(body)
            elif mark == "!" and body[0] == "e":
                body = self.unpack_error(body)
            else:
                raise Gone()
            for number in forgotten:
                self.forget(number)
            self.take_news(news)
            if printed:
                self.show(str.__str__(printed))
            return mark, body
        except Exception:
            raise Gone() from None
        finally:
            self.receiving -= 1

    def show(self, text):
        try:
            sys.stdout.write(text)
        except Exception:
            pass

    def settle(self, kind, rest, mark, body):
        if mark == "=":
            return body
        is_stop = isinstance(body, (StopIteration, StopAsyncIteration))
        if is_stop and self.holds_tests and not self.expects_stop() and not (kind == "op" and rest[0] in ("__next__", "__anext__")):
            # It would end a loop of the tests as if all had been well.
            body = RuntimeError("the program raised " + type(body).__name__)
            body.of_program = True
        raise body

    def serve(self, body):
        kind, target, *given = body
        body.clear()
        try:
            mark, body = "=", self.pack(self.handle(kind, target, given))
        except Gone:
            raise
        except BaseException as error:
            self.note_error(error)
            mark, body = "!", self.pack_failure(error)
        del target, given
        try:
            self.send(mark, body)
        except TypeError as error:
            self.send("!", self.pack_error(error))

    def pack_failure(self, error):
        try:
            return self.pack_error(error)
        except Exception:
            return self.pack_error(RuntimeError(type(error).__name__))

    def is_tested(self, cls):
        return False

    def expects_stop(self):
        return True

    def may_take_modules(self):
        return True

    def note_error(self, error):
        pass

    def may_suppress(self, error, trace):
        return True

    def get_news(self):
        return None

    def take_news(self, news):
        pass

    # -- what can be asked for

    def handle(self, kind, target, given):
        if kind in self.handlers:
            return self.handlers[kind](*given)
        if kind == "call":
            return target(*given[0], **given[1])
        if kind == "refuse":
            raise TypeError("this is no object of the tests")
        self.guard(kind, target, given)
        if kind == "get":
            return getattr(target, given[0])
        if kind == "set":
            return setattr(target, given[0], given[1])
        if kind == "del":
            return delattr(target, given[0])
        if kind == "op":
            return OPERATIONS[given[0]](target, *given[1])
        if kind == "step":
            return take_step(target, *given)
        if kind == "pull":
            return pull_several(target, given[0])
        if kind == "await":
            return run_async(target)
        if kind == "derive":
            return self.make_derived(target, *given)
        import copy
        return copy.copy(target) if kind == "copy" else copy.deepcopy(target)

    def guard(self, kind, target, given):
        """What the program may do with objects of the tests: nothing that leads out of them."""
        if not self.holds_tests or kind not in ("get", "set", "del", "derive"):
            return
        name = given[0]
        if kind == "get" and name in PUBLIC_OF_FUNCTIONS and is_a(target, type(take_step)):
            return
        if kind == "get" and name in PUBLIC_OF_TUPLES and is_a(target, tuple) and hasattr(type(target), "_fields"):
            return
        hidden = type(name) is not str or name.startswith(("_", "gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_"))
        if hidden or kind == "derive" or is_a(target, type(sys)) or is_a(target, type(take_step)) or is_a(target, type):
            raise AttributeError(name)
        owner = find_owner(type(target), name)
        if any(cls.__module__ == MOCK_MODULE for cls in get_mro(type(target))):
            # Its record of calls and its assertions are the tests' business.
            if kind != "get" or name == "method_calls" or owner is not None and name != "return_value":
                raise AttributeError(name)
        own = getattr(target, "__dict__", {}).get(name) if owner is None else owner.__dict__[name]
        if kind != "get" and callable(own):
            raise AttributeError(name)

    def pull(self, handle):
        goes_on, item = self.pull_one(handle)
        if not goes_on:
            raise StopIteration(item)
        return item

    def pull_one(self, handle):
        """The next item of an iterator of the other process."""
        number = handle._number
        if number not in self.lazy and id(type(handle)) not in self.lazy_classes:
            return True, self.ask("op", handle, "__next__", ())
        state = self.pulled.setdefault(number, [0, deque()])
        if not state[1]:
            count = 1 if state[0] < PULLED_SINGLY else min(state[0], MAX_PULLED)
            state[1].extend(self.ask("pull", handle, count))
        goes_on, item = state[1].popleft()
        state[0] += 1
        if goes_on is None:
            raise item
        return goes_on, item

    # -- classes of the tests that are derived from one of the program

    def derive(self, cls, bases, members):
        own = {name: value for name, value in members.items() if name not in ("__module__", "__qualname__", "__classcell__")}
        functions = {name: value for name, value in own.items() if is_a(value, type(take_step))}
        others = {name: value for name, value in own.items() if name not in functions}
        number = self.ask("derive", None, cls.__name__, tuple(bases), functions, others)
        self.classes[number] = cls
        self.class_numbers[id(cls)] = number

    def make_derived(self, _, name, bases, functions, others):
        members = {key: bind_late(function) for key, function in functions.items()}
        cls = type(bases[0])(name, bases, {**others, **members})
        number = self.number(cls)
        self.described.add(number)
        return number


def bind_late(function):
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


def find_owner(cls, name):
    return next((each for each in get_mro(cls) if name in each.__dict__), None)


def take_step(target, how, given):
    """One step of a generator: whether it goes on, and what it yields or returns."""
    if how not in STEPS:
        raise TypeError(how)
    if how == "close":
        target.close()
        return [False, None]
    try:
        if how == "asend":
            return [True, run_async(target.asend(given))]
        return [True, getattr(target, how)(given)]
    except StopIteration as end:
        return [False, end.value]
    except StopAsyncIteration:
        return [False, None]


def pull_several(target, count):
    """Some items, and how the iterator has ended when it has. Stops at what could be changed later."""
    pulled = []
    for _ in range(count):
        try:
            item = next(target)
        except StopIteration as end:
            return pulled + [(False, end.value)]
        except BaseException as error:
            PEER.note_error(error)
            return pulled + [(None, error)]
        pulled.append((True, item))
        if not is_immutable(item):
            break
    return pulled


def is_immutable(item):
    return id(type(item)) in IMMUTABLE or type(item) is tuple and all(id(type(part)) in IMMUTABLE for part in item)


def run_async(awaitable):
    """Runs what is awaited to its end, though the other process may be in the middle of a loop of its own."""
    global LOOP
    import asyncio
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        if LOOP is None or LOOP.is_running():
            LOOP = asyncio.new_event_loop()
        return LOOP.run_until_complete(await_it(awaitable))
    finally:
        asyncio._set_running_loop(running)


async def await_it(awaitable):
    return await awaitable


LOOP = PEER = None
`;

/**
 * Runs in both Python processes of a trial: the one with the tests and the one with the program. They share nothing
 * but lines of text. Plain data is copied; everything else stays where it is and is reached through a handle.
 */
export const PYTHON_PEER = [PYTHON_PROTOCOL, PYTHON_HANDLES, PYTHON_CONTAINERS, PYTHON_VALUES, PYTHON_FILES, PEER].join(
  "\n",
);
