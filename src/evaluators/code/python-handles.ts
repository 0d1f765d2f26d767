/**
 * Handles: what one Python process holds in place of an object of the other. An object of a class derived
 * from a built-in one is held as the built-in value, with the methods of the built-in class; only its other attributes
 * are fetched. Everything else is a handle without a value.
 */
export const PYTHON_HANDLES = `
EQUALITY = ("__eq__", "__ne__")
ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
BINARY = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split()
OPERATIONS = {"__%s__" % name.strip("_"): getattr(_operator, name) for name in BINARY}
OPERATIONS["__divmod__"] = divmod
OPERATIONS.update({
    "__r" + name[2:]: (lambda do: lambda mine, other: do(other, mine))(do) for name, do in list(OPERATIONS.items())
})
OPERATIONS.update({"__i%s__" % name.strip("_"): getattr(_operator, "i" + name.strip("_")) for name in BINARY})
ARITHMETIC = frozenset(OPERATIONS)
OPERATIONS.update({name: getattr(_operator, name.strip("_")) for name in EQUALITY + ORDER})
OPERATIONS.update({
    "__abs__": abs, "__neg__": _operator.neg, "__pos__": _operator.pos, "__invert__": _operator.invert, "__int__": int,
    "__float__": float, "__complex__": complex, "__index__": _operator.index, "__round__": round, "__bool__": bool,
    "__len__": len, "__length_hint__": _operator.length_hint, "__hash__": hash, "__str__": str, "__repr__": repr,
    "__format__": format, "__bytes__": bytes, "__dir__": dir, "__iter__": iter, "__next__": next,
    "__reversed__": reversed, "__contains__": _operator.contains, "__getitem__": _operator.getitem,
    "__setitem__": _operator.setitem, "__delitem__": _operator.delitem,
})
OPERATIONS.update({
    name: (lambda name: lambda mine, *rest: getattr(type(mine), name)(mine, *rest))(name)
    for name in ("__trunc__", "__floor__", "__ceil__", "__enter__", "__exit__", "__aenter__", "__aexit__",
                 "__aiter__", "__anext__", "__fspath__", "__missing__")
})
DECIDING = ARITHMETIC.union(EQUALITY, ORDER, ("__contains__",))
SPECIAL = tuple(OPERATIONS) + ("__call__", "__await__")
# What an object that is held as a built-in value is asked for, regardless of its origin: nothing that decides a comparison.
ASKED_OF_VALUES = frozenset(("__str__", "__repr__", "__format__", "__call__", "__enter__", "__exit__"))
# What is asked for besides when the tests made the object by its class.
ASKED_OF_CONTAINERS = ARITHMETIC | {"__getitem__", "__setitem__", "__delitem__", "__missing__"}
# Methods of built-in types that are given what is expected. A result that answers them itself would be its own judge.
PREDICATES = frozenset((
    "compare count difference difference_update discard endswith eq equals find get index intersection"
    " intersection_update isclose isdisjoint isin issubset issuperset lstrip partition remove removeprefix removesuffix"
    " replace rfind rindex rpartition rsplit rstrip split startswith strip symmetric_difference"
    " symmetric_difference_update union"
).split())
# Methods that an object with a state of its own has. Whoever calls one does not take the object for data.
CHANGING = frozenset("add append appendleft extend insert setdefault update".split())
READING = frozenset(
    name for base in (str, bytes, list, dict, set, int, float, deque) for name in dir(base)
).difference(CHANGING).union(PREDICATES)
SCALARS = (int, float, complex, str, bytes)


class HandleType(type):
    """The class of the handles for objects of one class of the other process; calling it makes an object over there."""

    def __new__(mcs, name, bases, members):
        cls = type.__new__(mcs, name, bases, members)
        PEER.derive(cls, bases, members)
        return cls

    def __init__(cls, name, bases, members):
        type.__init__(cls, name, bases, members)

    def __call__(cls, *args, **kwargs):
        made = PEER.ask("call", cls, args, kwargs)
        if is_a(made, Handle) and PEER.is_tested(cls):
            object.__setattr__(made, "_is_object", True)
        return made

    def __getattr__(cls, name):
        if id(cls) not in PEER.class_numbers or is_closed(name):
            raise AttributeError(name)
        value = PEER.ask("get", cls, name)
        if name in PREDICATES and callable(value) and PEER.holds_tests and not PEER.is_tested(cls):
            raise PEER.refuse("%s of the program's %s" % (name, cls.__name__))
        return value

    def __setattr__(cls, name, value):
        PEER.ask("set", cls, name, value)

    def __delattr__(cls, name):
        PEER.ask("del", cls, name)

    def __bool__(cls):
        return True

    def __iter__(cls):
        return PEER.ask("op", cls, "__iter__", ())

    def __len__(cls):
        return PEER.ask("op", cls, "__len__", ())

    def __getitem__(cls, key):
        return PEER.ask("op", cls, "__getitem__", (key,))

    def __contains__(cls, item):
        return any(other is item for other in cls)


class Asked:
    """An attribute that the other process is asked for, though this one would have it too."""

    def __init__(self, name):
        self.name = name

    def __get__(self, instance, owner):
        return PEER.ask("get", owner if instance is None else instance, self.name)

    def __set__(self, instance, value):
        PEER.ask("set", instance, self.name, value)


class Inherited:
    """A method of a class of the other process, also for what the tests derive from that class."""

    def __init__(self, name, base):
        self.name, self.owner, self.plain = name, None, getattr(base, name, None)

    def __get__(self, instance, owner):
        if instance is None:
            return PEER.ask("get", owner, self.name)
        if self.plain is not None and not instance._is_object:
            return self.plain.__get__(instance)
        for cls in type(instance).__mro__:
            if self.name in cls.__dict__:
                break
        if cls is self.owner:
            return ask_attribute(instance, self.name)
        method = PEER.ask("get", self.owner, self.name)
        return lambda *args, **kwargs: method(instance, *args, **kwargs)


class Handle:
    """Stands for an object of the other process."""

    # Whether the tests use it as an object of its class: they made it, or called a method that no data has.
    _is_object = False

    def __getattr__(self, name):
        return ask_attribute(self, name)

    def __setattr__(self, name, value):
        PEER.ask("set", self, name, value)

    def __delattr__(self, name):
        PEER.ask("del", self, name)

    def __copy__(self):
        return PEER.ask("copy", self)

    def __deepcopy__(self, memo):
        return PEER.ask("deepcopy", self)

    def __reduce_ex__(self, protocol):
        raise PEER.refuse("a copy of %s in bytes" % name_of(self))


def is_closed(name):
    """What would decide a comparison in the process of the tests, by the language or by numpy."""
    return PEER.holds_tests and (name in DECIDING or name.startswith("__array_") or name == "__torch_function__")


def ask_attribute(handle, name):
    if is_closed(name):
        raise AttributeError(name)
    value = PEER.ask("get", handle, name)
    if PEER.holds_tests and not handle._is_object and callable(value):
        if name in PREDICATES:
            raise PEER.refuse("%s of %s" % (name, name_of(handle)))
        if name not in READING and name[:1] != "_" and not find_base(type(handle).__mro__) and not PEER.is_holder(type(handle)):
            object.__setattr__(handle, "_is_object", True)
    return value


# Made by hand: a class statement would tell the other process of it.
Handle = type.__new__(HandleType, "Handle", (), {
    name: value for name, value in vars(Handle).items() if name not in ("__dict__", "__weakref__")
})


def name_of(value):
    return "the program's " + type(value).__name__ if is_a(value, Handle) else type(value).__name__


def make_special(name):
    if name in EQUALITY or name in ORDER:
        return make_comparison(name)
    if name in ARITHMETIC:
        return make_arithmetic(name)
    if name == "__contains__":
        return contains
    if name == "__next__":
        return lambda self: PEER.pull(self)
    if name == "__await__":
        return lambda self: wait_for(self).__await__()
    if name == "__call__":
        return lambda self, /, *args, **kwargs: PEER.ask("call", self, args, kwargs)
    if name in ("__str__", "__repr__", "__format__"):
        return lambda self, *args: str.__str__(PEER.ask("op", self, name, args))
    if name == "__exit__":
        return leave
    if name == "__aexit__":
        return leave_async
    return lambda self, *args: PEER.ask("op", self, name, args)


def make_comparison(name):
    """Between two objects of the program, their own methods decide. Between one and a value, they are not called."""
    def compare(self, other):
        if is_a(other, Handle):
            return PEER.ask("op", self, name, (other,))
        PEER.note("%s compared with %s" % (name_of(self), name_of(other)))
        return NotImplemented
    return compare


def make_arithmetic(name):
    def operate(self, other, *rest):
        if is_a(other, Handle):
            return PEER.ask("op", self, name, (other,) + rest)
        PEER.note("%s of %s and %s" % (name, name_of(self), name_of(other)))
        return NotImplemented
    return operate


def make_container_special(name, base):
    """A class derived from a container may have its own way with objects that the tests made by it."""
    plain = getattr(base, name, None)

    def operate(self, first, *rest):
        if self._is_object and (name not in ARITHMETIC or is_a(first, Handle)):
            return PEER.ask("op", self, name, (first,) + rest)
        if plain is None:
            raise KeyError(first) if name == "__missing__" else TypeError(name)
        return plain(self, first, *rest)
    return operate


def contains(self, item):
    if is_a(item, Handle) and "__contains__" in type(self)._specials:
        return PEER.ask("op", self, "__contains__", (item,))
    if "__iter__" in type(self)._specials or "__getitem__" in type(self)._specials:
        return any(other is item or other == item for other in iter(self))
    raise PEER.refuse("%s in %s" % (name_of(item), name_of(self)))


def leave(self, kind, error, trace):
    """What a context manager of the program suppresses must not be what the tests found wrong with it."""
    result = PEER.ask("op", self, "__exit__", (kind, error, None))
    return bool(result) and PEER.may_suppress(error, trace)


async def leave_async(self, kind, error, trace):
    result = await PEER.ask("op", self, "__aexit__", (kind, error, None))
    return bool(result) and PEER.may_suppress(error, trace)


def make_handle_class(name, specials, base, methods, parents):
    """The class of handles for one class of the other process. With a base, its objects are values of that base."""
    bases = [parent for parent in parents if type(parent) is HandleType] or [Handle]
    if base is not None and not any(issubclass(parent, base) for parent in bases):
        bases.append(base)
    members = {"_specials": frozenset(specials), "__dict__": Asked("__dict__"), "__doc__": Asked("__doc__")}
    if base is None:
        members.update({special: make_special(special) for special in specials})
        if "__eq__" in specials and "__hash__" not in specials:
            members["__hash__"] = None
        members["__init__"] = initialize
    else:
        members.update({special: make_special(special) for special in ASKED_OF_VALUES.intersection(specials)})
        if base not in SCALARS:
            asked = ASKED_OF_CONTAINERS.intersection(specials)
            members.update({special: make_container_special(special, base) for special in asked})
    inherited = [Inherited(method, base) for method in methods if base is not None or method not in PREDICATES]
    members.update({each.name: each for each in inherited})
    try:
        cls = type.__new__(HandleType, name, tuple(bases), members)
    except TypeError:
        cls = type.__new__(HandleType, name, (Handle,) if base is None else (Handle, base), members)
    for each in inherited:
        each.owner = cls
    return cls


def initialize(self, *args, **kwargs):
    """Called by what the tests derive from a class of the program, for its part."""
    owner = next((cls for cls in type(self).__mro__ if id(cls) in PEER.classes_described), None)
    if owner is not None:
        PEER.ask("get", owner, "__init__")(self, *args, **kwargs)


class ErrorType(type):
    """The class of an error class of the other process. Its errors are copies; the tests ask for the rest."""

    def __call__(cls, *args, **kwargs):
        if not is_asked(cls):
            return type.__call__(cls, *args, **kwargs)
        made = PEER.ask("call", cls, args, kwargs)
        if is_a(made, BaseException):
            made.__dict__.pop("of_program", None)
        return made

    def __getattr__(cls, name):
        if not is_asked(cls) or name.startswith("__"):
            raise AttributeError(name)
        return PEER.ask("get", cls, name)


def is_asked(cls):
    return PEER.holds_tests and id(cls) in PEER.class_numbers


def make_error_class(name, parents):
    bases = tuple(parent for parent in parents if issubclass(parent, BaseException))
    members = {"__module__": "solution", "__str__": get_told_text, "__getattr__": ask_error}
    return ErrorType(name, bases or (Exception,), members)


def ask_error(error, name):
    """What an error has of its class: the other process makes the same error for it."""
    if not is_asked(type(error)) or name.startswith("__"):
        raise AttributeError(name)
    value = PEER.ask("get", error, name)
    if name in PREDICATES and callable(value):
        raise PEER.refuse("%s of %s" % (name, type(error).__name__))
    return value


def get_told_text(error):
    """What the program's own class makes of its error."""
    return error.__dict__.get("_text", None) or BaseException.__str__(error)


async def wait_for(handle):
    return PEER.ask("await", handle)


def generate(handle):
    """A generator of this process that takes what one of the other process yields."""
    how, given = "send", None
    while True:
        if how == "send" and given is None:
            goes_on, item = PEER.pull_one(handle)
        else:
            goes_on, item = PEER.ask("step", handle, how, given)
        if not goes_on:
            return item
        try:
            how, given = "send", (yield item)
        except GeneratorExit:
            PEER.ask("step", handle, "close", None)
            raise
        except BaseException as error:
            how, given = "throw", error


async def generate_async(handle):
    given = None
    while True:
        goes_on, item = PEER.ask("step", handle, "asend", given)
        if not goes_on:
            return
        given = yield item


async def end_at_once():
    yield


WRAPPERS = {
    type(generate(None)): ("generator", generate),
    type(end_at_once()): ("async_generator", generate_async),
}
unused = wait_for(None)
WRAPPERS[type(unused)] = ("coroutine", wait_for)
unused.close()
WRAPPED = dict(WRAPPERS.values())
WRAPPED_TAGS = {id(kind): tag for kind, (tag, _) in WRAPPERS.items()}
`;
