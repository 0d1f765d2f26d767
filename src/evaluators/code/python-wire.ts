/** JSON lines between the two Python processes of a trial, and the names that both know. */
export const PYTHON_PROTOCOL = String.raw`
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
