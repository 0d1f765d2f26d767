/** Lines of JSON between the two Python processes of a trial, and the names that both know. */
export const PYTHON_WIRE = String.raw`
import _json, builtins, io, os, sys
from _collections import OrderedDict, defaultdict, deque

MUTABLE = (list, dict, set, bytearray, deque)
SAFE_INT = 10 ** 18
DEEPEST = 100
LONGEST = 16 << 20
PLAIN_BASES = (int, float, str, bytes, tuple, list, dict, set, frozenset)
# Modules that each process has its own copy of, and those whose classes are taken over by name. Nothing of them runs
# what it is given, and none of their objects equals everything.
KNOWN_MODULES = frozenset((
    "bisect", "cmath", "collections", "copy", "datetime", "decimal", "fractions", "functools", "heapq", "itertools",
    "json", "math", "operator", "random", "re", "statistics", "string", "time", "typing",
))
CLASS_MODULES = frozenset(("builtins", "collections", "datetime", "decimal", "fractions"))
COMPARE = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
ARITHMETIC = tuple(
    "__%s%s__" % (side, name)
    for name in "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift".split()
    for side in ("", "r", "i")
)
CONVERT = tuple("__%s__" % name for name in "abs neg pos invert int float complex index round trunc floor ceil bool len".split())
OTHER = tuple("__%s__" % name for name in "call iter next reversed contains getitem setitem delitem enter exit hash str repr format".split())
SPECIAL = COMPARE + ARITHMETIC + CONVERT + OTHER


class Syntax:
    strict, object_hook, object_pairs_hook = True, None, None
    parse_float, parse_int = float, int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


# The json module would import re, which takes as long as all else that starts here.
scan = _json.make_scanner(Syntax)
encode = _json.make_encoder(None, repr, _json.encode_basestring_ascii, None, ":", ",", False, False, True)


def to_line(value):
    return "".join(encode(value, 0)).encode() + b"\n"


def from_line(line):
    return scan(line.decode(), 0)[0]


class Gone(BaseException):
    """The other process has ended."""


class Wire:
    def __init__(self, source, sink):
        self.source, self.sink, self.rest = source, sink, b""

    def send(self, message):
        view = memoryview(to_line(message))
        try:
            while view:
                view = view[os.write(self.sink, view):]
        except OSError:
            raise Gone() from None

    def receive(self):
        parts, size = [self.rest], len(self.rest)
        while b"\n" not in parts[-1]:
            chunk = os.read(self.source, 1 << 16)
            size += len(chunk)
            if not chunk or size > LONGEST:
                raise Gone()
            parts.append(chunk)
        line, _, self.rest = b"".join(parts).partition(b"\n")
        return from_line(line)
`;
