/** What a Python program may use when it shares a process with its tests. */
export const PYTHON_HARMLESS_NAMES = `
MODULES = frozenset((
    "math cmath re string itertools functools collections collections.abc heapq bisect operator typing random statistics"
    " fractions decimal datetime calendar time copy json hashlib hmac textwrap enum dataclasses abc numbers array queue struct"
    " unicodedata base64 binascii zlib asyncio contextlib uuid pprint difflib html csv urllib.parse zoneinfo sys"
    " numpy numpy.linalg numpy.random"
).split())
# Of these modules only some things are harmless.
ALLOWED_MEMBERS = {
    "sys": frozenset("maxsize setrecursionlimit getrecursionlimit float_info int_info getsizeof version_info stdin stdout stderr".split()),
    "asyncio": frozenset((
        "run sleep gather create_task wait_for wait as_completed Queue PriorityQueue LifoQueue Lock Semaphore Event"
        " BoundedSemaphore Condition TimeoutError CancelledError QueueEmpty QueueFull TaskGroup timeout Task"
    ).split()),
    "urllib": frozenset(("parse",)),
}
# These evaluate texts, look up attributes by texts, make classes, or read and write files.
REFUSED_MEMBERS = frozenset((
    "get_type_hints ForwardRef attrgetter methodcaller Formatter format_map vformat make_dataclass update_wrapper EnumMeta"
    " EnumType NamedTupleMeta singledispatch singledispatchmethod file_digest ctypes tofile memmap dispatch_table register"
).split())
FILES_OF_NUMPY = frozenset((
    "load save savez savez_compressed savetxt loadtxt genfromtxt fromfile fromregex DataSource ctypeslib f2py lookfor info"
    " set_string_function frompyfunc"
).split())
REFUSED_NAMES = frozenset((
    "exec eval compile globals locals vars setattr delattr open exit quit breakpoint memoryview help copyright credits license"
    " SystemExit BaseException KeyboardInterrupt GeneratorExit StopIteration StopAsyncIteration BaseExceptionGroup"
).split())
REFUSED_ATTRIBUTES = frozenset((
    "f_back f_globals f_locals f_builtins f_code gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin ag_frame"
    " ag_code ag_await tb_frame tb_next with_traceback throw mro"
).split())
SPECIAL_NAMES = frozenset("__name__ __doc__ __debug__".split())
SPECIAL_ATTRIBUTES = frozenset("__name__ __doc__ __init__ __len__ __str__ __repr__ __new__ __post_init__ __enter__ __exit__ __iter__".split())
# A class with any other may answer as the tests would like it.
SPECIAL_DEFINED = frozenset((
    "__init__ __new__ __repr__ __str__ __len__ __iter__ __next__ __reversed__ __getitem__ __setitem__ __delitem__ __call__"
    " __enter__ __exit__ __aenter__ __aexit__ __aiter__ __anext__ __await__ __post_init__ __slots__ __doc__ __all__"
    " __author__ __version__"
).split())
# Classes of the interpreter itself, which nobody can change.
IMMUTABLE = 1 << 8
USUAL_ALIASES = frozenset((("numpy", "np"),))
ANNOTATING = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_[], .|")

`;
