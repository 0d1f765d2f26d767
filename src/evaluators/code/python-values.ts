/**
 * Encodes Python values as JSON. Plain data is copied, by exact type. An object of a class derived from
 * a built-in one is sent with the value that the built-in class's own methods find in it. All else is sent by number.
 */
export const PYTHON_VALUES = `
VALUE_BASES = {int: "int", float: "float", complex: "complex", str: "str", bytes: "bytes", tuple: "tuple", frozenset: "frozenset"}
VALUE_TAGS = {id(base): name for base, name in VALUE_BASES.items()}
BASE_OF_TAG = {name: base for base, name in VALUE_BASES.items()}
RESTORED = {
    "Decimal": "decimal", "Fraction": "fractions", "UUID": "uuid", "date": "datetime", "datetime": "datetime",
    "time": "datetime", "timedelta": "datetime", "timezone": "datetime", "PurePosixPath": "pathlib",
    "PureWindowsPath": "pathlib", "PosixPath": "pathlib",
}
# Classes of the standard library that hold built-in data, and the types of that data.
HOLDING = {"UserList": list, "UserDict": dict, "UserString": str}
# Errors that a failed assertion is one of: what the program calls by another name is not that.
WIDE_ERRORS = (AssertionError, Exception, BaseException)
SENTINELS = frozenset((("dataclasses", "_FIELD"), ("dataclasses", "MISSING"), ("inspect", "_empty")))
CODE_FIELDS = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_varnames", "co_names", "co_name")
CODE = type(find_kind.__code__)


def read_plain(base, value):
    """The built-in value in an object of a class that is derived from its class."""
    if base is int:
        return int.__int__(value)
    if base is float:
        return float.__float__(value)
    if base is str:
        return str.__str__(value)
    if base is complex:
        return complex(complex.real.__get__(value), complex.imag.__get__(value))
    if base is bytes:
        return bytes.__getitem__(value, slice(None))
    return base(base.__iter__(value))


def find_base(lineage):
    """The built-in class that a class is derived from."""
    return next((base for base in lineage if id(base) in VALUE_TAGS or find_kind(base) and find_kind(base).base), None)


def is_known_class(module, cls):
    """Classes that both processes have: those of a few modules, and the errors of the whole standard library."""
    if module in CLASS_MODULES:
        return True
    root = module.partition(".")[0]
    # Errors of test libraries mean something to the tests, such as that one of them is to be skipped.
    return issubclass(cls, Exception) and root in sys.stdlib_module_names and root not in ("unittest", "doctest", "bdb")


class Values(Containers):
    def __init__(self, holds_tests):
        super().__init__(holds_tests)
        self.holds_tests = holds_tests
        self.objects, self.numbers, self.described, self.new_classes = [], {}, set(), []
        self.handles, self.classes, self.class_numbers, self.classes_described = {}, {}, {}, set()
        self.wrapped, self.lazy, self.lazy_classes = {}, set(), set()
        self.depth, self.narrowed = 0, {}
        # Numbers of the objects that were handed over as such, and not only to say what class another is of.
        self.given = set()
        self.notes, self.doubts = [], []

    def note(self, text):
        self.notes.append(text)

    def refuse(self, text):
        self.note(text)
        return TypeError(CANNOT_CROSS + text)

    def is_given(self, form):
        return type(form) is list and form[0] == "y" and form[1] in self.given

    # -- to JSON

    def pack(self, value):
        kind = type(value)
        if value is None or kind is bool or kind is str or kind is float:
            return value
        if kind is int:
            return value if -MAX_SAFE_INT < value < MAX_SAFE_INT else ["i", hex(value)]
        packer = PACKERS.get(id(kind))
        if packer is None:
            container = find_kind(kind)
            return self.share(value, container) if container else self.pack_other(value, kind)
        if self.depth > MAX_DEPTH:
            return self.export(value)
        self.depth += 1
        try:
            return packer(self, value)
        finally:
            self.depth -= 1

    def pack_all(self, tag, items):
        return [tag] + [self.pack(item) for item in items]

    def pack_other(self, value, kind):
        lineage = get_mro(kind)
        if kind is HandleType:
            return ["y", self.class_numbers[id(value)]] if id(value) in self.class_numbers else self.export(value)
        if is_in(lineage, Handle):
            return ["y", value._number]
        if id(value) in self.wrapped:
            return ["y", self.wrapped[id(value)]]
        if is_in(lineage, type):
            return self.give_class(value)
        if is_in(lineage, BaseException):
            return self.pack_error(value)
        if id(kind) in WRAPPED_TAGS:
            number = self.number(value)
            self.given.add(number)
            return ["w", WRAPPED_TAGS[id(kind)], number]
        return self.pack_library(value, kind) or self.pack_derived(value, kind, lineage) or self.export(value)

    def pack_library(self, value, kind):
        """Data of the standard library, and of numpy."""
        if value is NotImplemented or value is Ellipsis:
            return ["n", repr(value)]
        if kind is CODE:
            return self.pack_all("co", [getattr(value, name) for name in CODE_FIELDS])
        if kind is NamedModule or kind is type(sys) and self.holds_tests and is_common_module(value):
            return ["m", value.__name__]
        module, name = getattr(kind, "__module__", None), kind.__name__
        if type(module) is str and get_loaded(module, name) is not kind:
            module = None
        if module == RESTORED.get(name, 0):
            return ["v", name, value.isoformat() if hasattr(value, "isoformat") else get_restorable(value)]
        if module == "collections" and name in HOLDING:
            return ["ud", name, self.pack(value.data)]
        if module == "collections" and name == "ChainMap":
            return self.pack_all("cm", value.maps)
        if module == "numpy" and getattr(value, "shape", None) == ():
            return self.pack(value.item())
        if module == "typing" or kind is type(list[int]) or kind is type(int | None):
            return self.pack_hint(value)
        for module, name in SENTINELS:
            if get_loaded(module, name) is value:
                return ["g", module, name]
        return None

    def pack_hint(self, value):
        """A type hint such as List[int], list[int] or int | None."""
        args = [None if arg is type(None) else arg for arg in getattr(value, "__args__", ())]
        if type(value) is type(int | None):
            return ["h", "Union", None, *map(self.pack, args)]
        if type(value) is type(list[int]):
            return ["h", None, self.pack(value.__origin__), *map(self.pack, args)]
        name = getattr(value, "_name", None)
        if getattr(value, "__origin__", None) is get_loaded("typing", "Union"):
            name = "Union"
        return ["h", name, None, *map(self.pack, args)] if name in get_loaded("typing", "__all__") else None

    def unpack_hint(self, form):
        _, name, origin, *args = form
        args = tuple(map(self.unpack, args))
        if name is None:
            made = self.unpack(origin)
            return made[args] if is_a(made, type) else None
        import typing
        found = getattr(typing, name) if name in typing.__all__ else None
        if type(found).__module__ != "typing":
            # A function of the module could run what it is given.
            raise Gone()
        if name == "Callable" and args:
            args = (list(args[:-1]), args[-1])
        return found[args] if args else found

    def pack_derived(self, value, kind, lineage):
        """An object of a class derived from a built-in one, with the value that it holds."""
        base = find_base(lineage)
        if base is None:
            return None
        if id(base) not in VALUE_TAGS:
            return self.share(value, find_kind(base))
        number = self.number(value)
        self.given.add(number)
        return ["u", number, self.pack_class(kind), self.pack(read_plain(base, value))]

    def pack_known(self, cls):
        """A class of the standard library, by its name."""
        module, name = getattr(cls, "__module__", None), cls.__name__
        if type(module) is not str or not is_known_class(module, cls) or get_loaded(module, name) is not cls:
            return None
        # The other process may not have the module: then it goes by what the class is like.
        return ["g", module, name] + ([] if module in CLASS_MODULES else [self.describe(cls)])

    def give_class(self, cls):
        form = self.pack_class(cls)
        if form[0] == "k":
            self.given.add(form[1])
        return form

    def pack_class(self, cls):
        if id(cls) in self.class_numbers:
            return ["y", self.class_numbers[id(cls)]]
        return self.pack_known(cls) or self.describe(cls)

    def describe(self, cls):
        number = self.number(cls)
        if number in self.described:
            return ["k", number]
        self.described.add(number)
        lineage = get_mro(cls)
        base = find_base(lineage)
        own = [each for each in lineage if each is not object]
        if base is not None:
            own = own[:[id(each) for each in lineage].index(id(base))]
        specials = [name for name in SPECIAL if any(name in vars(each) for each in own)]
        methods = self.find_methods(own if base else [cls])
        bases = [self.pack_class(parent) for parent in cls.__bases__]
        tag = None if base is None else VALUE_TAGS.get(id(base)) or find_kind(base).tag
        is_lazy = cls.__module__ in ("builtins", "itertools")
        is_error = is_in(lineage, BaseException)
        self.new_classes.append([number, cls.__name__, specials, tag, methods, is_error, is_lazy, bases])
        return ["k", number]

    def find_methods(self, classes):
        function = type(find_kind)
        return [name for cls in classes for name, value in vars(cls).items() if type(value) is function and name[:1] != "_"]

    def number(self, value):
        key = id(value)
        if key not in self.numbers:
            self.numbers[key] = len(self.objects)
            self.objects.append(value)
        return self.numbers[key]

    def export(self, value):
        number, kind = self.number(value), type(value)
        self.given.add(number)
        if kind.__module__ == "__main__":
            # The program may make another object of the same class.
            self.given.add(self.number(kind))
        # Never by name: the other side must learn what it can do with it.
        return ["o", number, ["y", self.class_numbers[id(kind)]] if id(kind) in self.class_numbers else self.describe(kind)]

    def pack_error(self, error, depth=0):
        args = [self.pack(arg) for arg in error.args]
        traits = {key: self.pack(item) for key, item in vars(error).items() if type(key) is str}
        try:
            text = str.__str__(str(error))[:2000]
        except Exception:
            text = ""
        cause = self.pack_error(error.__cause__, depth + 1) if error.__cause__ is not None and depth < 5 else None
        return ["e", self.give_class(type(error)), args, traits, text, cause]

    # -- from JSON

    def unpack(self, form):
        return UNPACKERS[form[0]](self, form) if type(form) is list else form

    def unpack_all(self, form, start=1):
        return [self.unpack(item) for item in form[start:]]

    def unpack_object(self, form):
        _, number, kind = form
        if number not in self.handles:
            cls = self.unpack(kind)
            is_plain = type(cls) is HandleType and find_base(cls.__mro__) is None
            self.handles[number] = made = object.__new__(cls if is_plain else Handle)
            object.__setattr__(made, "_number", number)
        elif self.holds_tests and self.is_holder(type(self.handles[number])):
            # What the functions of a holder return is data, never the holder.
            object.__setattr__(self.handles[number], "_is_object", False)
        return self.handles[number]

    def unpack_derived(self, form):
        _, number, kind, plain = form
        if number not in self.handles:
            cls, value = self.unpack(kind), self.unpack(plain)
            base = type(value)
            if base not in VALUE_BASES or type(cls) is not HandleType or not issubclass(cls, base):
                raise Gone()
            self.handles[number] = made = base.__new__(cls, value)
            object.__setattr__(made, "_number", number)
        return self.handles[number]

    def unpack_wrapped(self, form):
        _, tag, number = form
        if number not in self.handles:
            handle = object.__new__(Handle)
            object.__setattr__(handle, "_number", number)
            self.lazy.add(number)
            self.handles[number] = wrapper = WRAPPED[tag](handle)
            self.wrapped[id(wrapper)] = number
        return self.handles[number]

    def read_classes(self, classes):
        for number, name, specials, tag, methods, is_error, is_lazy, bases in classes:
            if type(number) is not int or type(name) is not str or number in self.classes:
                raise Gone()
            parents = [parent for parent in map(self.unpack_base, bases) if is_a(parent, type)]
            if is_error:
                cls = make_error_class(name, parents)
            else:
                base = None if tag is None else BASE_OF_TAG.get(tag) or KIND_OF_TAG[tag].base
                methods = [each for each in methods if each[:1] != "_"]
                cls = make_handle_class(name, [each for each in specials if each in SPECIAL], base, methods, parents)
                if base is not None and any(each in ARITHMETIC or each in EQUALITY or each in ORDER for each in specials):
                    self.doubts.append("the program's %s counts as the %s it holds" % (name, base.__name__))
            self.classes[number] = cls
            self.class_numbers[id(cls)] = number
            self.classes_described.add(id(cls))
            if is_lazy:
                self.lazy_classes.add(id(cls))

    def unpack_class(self, form):
        return self.classes[form[1]]

    def unpack_known(self, form):
        module, name = form[1], form[2]
        if (module, name) in SENTINELS:
            return getattr(__import__(module), name)
        if module in CLASS_MODULES:
            value = getattr(__import__(module), name)
        else:
            described = self.unpack(form[3])
            value = get_loaded(module, name)
            value = value if is_a(value, type) and is_known_class(module, value) else described
        if not is_a(value, type) or name.startswith("__"):
            raise Gone()
        return value

    def unpack_base(self, form):
        return self.unpack_known(form) if form[0] == "g" else self.unpack(form)

    def unpack_known_value(self, form):
        """An error class by which tests catch an error must not catch their own assertions as well."""
        cls = self.unpack_known(form)
        if not self.holds_tests or cls not in WIDE_ERRORS:
            return cls
        self.doubts.append("the program's own name for " + cls.__name__)
        return self.narrowed.setdefault(cls, type(cls.__name__, (cls,), {}))

    def unpack_own(self, form):
        """An object of this process that the other one was given."""
        if self.holds_tests and form[1] not in self.given:
            raise Gone()
        return self.objects[form[1]]

    def unpack_error_class(self, form):
        cls = self.unpack_base(form)
        return cls if is_a(cls, type) and issubclass(cls, BaseException) else Exception

    def unpack_error(self, form):
        _, kind, args, traits, text, cause = form
        cls = self.unpack_error_class(kind)
        args = [self.unpack(arg) for arg in args]
        try:
            error = BaseException.__new__(cls, *args) if type(cls) is ErrorType else cls(*args)
        except Exception:
            # Its class wants other arguments than those it keeps.
            error = BaseException.__new__(cls, *args)
        if id(cls) in self.class_numbers and text != BaseException.__str__(error):
            error._text = text
        for key, item in traits.items():
            if not key.startswith("__") or key == "__notes__":
                error.__dict__[key] = self.unpack(item)
        if cause is not None:
            error.__cause__ = self.unpack_error(cause)
        error.of_program = True
        return error


def get_restorable(value):
    if type(value).__name__ == "timezone":
        value = value.utcoffset(None)
    return str(value) if type(value).__name__ != "timedelta" else [value.days, value.seconds, value.microseconds]


def unpack_restored(peer, form):
    name, text = form[1], form[2]
    if name not in RESTORED:
        raise Gone()
    cls = getattr(__import__(RESTORED[name]), name)
    if name in ("timedelta", "timezone"):
        length = __import__("datetime").timedelta(*text)
        return length if name == "timedelta" else cls(length)
    return cls.fromisoformat(text) if RESTORED[name] == "datetime" else cls(text)


def unpack_holding(peer, form):
    """An object with built-in data in it. Its class and its comparisons are those of this process."""
    data = peer.unpack(form[2])
    if not is_a(data, HOLDING[form[1]]):
        raise Gone()
    made = getattr(__import__("collections"), form[1])(data)
    made.data = data
    return made


def unpack_chain(peer, form):
    maps = peer.unpack_all(form)
    if not all(is_a(each, dict) for each in maps):
        raise Gone()
    return __import__("collections").ChainMap(*maps)


def is_common_module(value):
    return value.__name__.partition(".")[0] in KNOWN_MODULES and sys.modules.get(value.__name__) is value


class NamedModule:
    """A module of Python that the program has by a name of its own. Nothing else it gives is a module for the tests."""

    def __init__(self, module):
        self.__name__ = module.__name__


def unpack_module(peer, form):
    if not peer.may_take_modules() or form[1].partition(".")[0] not in KNOWN_MODULES:
        raise Gone()
    __import__(form[1])
    return sys.modules[form[1]]


def unpack_code(peer, form):
    fields = dict(zip(CODE_FIELDS, peer.unpack_all(form)))
    return generate_nothing.__code__.replace(co_nlocals=len(fields["co_varnames"]), **fields)


def generate_nothing():
    return None


PACKERS = {id(kind): packer for kind, packer in (
    (tuple, lambda peer, value: peer.pack_all("t", value)),
    (frozenset, lambda peer, value: peer.pack_all("z", value)),
    (complex, lambda peer, value: ["c", value.real, value.imag]),
    (bytes, lambda peer, value: ["b", value.hex()]),
    (range, lambda peer, value: peer.pack_all("r", (value.start, value.stop, value.step))),
    (slice, lambda peer, value: peer.pack_all("sl", (value.start, value.stop, value.step))),
    (type({}.keys()), lambda peer, value: peer.pack_all("dk", value)),
    (type({}.values()), lambda peer, value: peer.pack_all("dv", value)),
    (type({}.items()), lambda peer, value: peer.pack_all("di", value)),
    (type(type.__dict__), lambda peer, value: peer.pack_all("mp", value.items())),
)}
UNPACKERS = {
    "i": lambda peer, form: int(form[1], 16),
    "t": lambda peer, form: tuple(peer.unpack_all(form)),
    "z": lambda peer, form: frozenset(peer.unpack_all(form)),
    "c": lambda peer, form: complex(form[1], form[2]),
    "b": lambda peer, form: bytes.fromhex(form[1]),
    "r": lambda peer, form: range(*peer.unpack_all(form)),
    "sl": lambda peer, form: slice(*peer.unpack_all(form)),
    "dk": lambda peer, form: dict.fromkeys(peer.unpack_all(form)).keys(),
    "dv": lambda peer, form: dict(enumerate(peer.unpack_all(form))).values(),
    "di": lambda peer, form: dict(peer.unpack_all(form)).items(),
    "mp": lambda peer, form: type(type.__dict__)(dict(peer.unpack_all(form))),
    "n": lambda peer, form: Ellipsis if form[1] == "Ellipsis" else NotImplemented,
    "v": unpack_restored,
    "ud": unpack_holding,
    "cm": unpack_chain,
    "h": Values.unpack_hint,
    "m": unpack_module,
    "co": unpack_code,
    "#": Containers.unpack_shared,
    "g": Values.unpack_known_value,
    "k": Values.unpack_class,
    "o": Values.unpack_object,
    "u": Values.unpack_derived,
    "w": Values.unpack_wrapped,
    "y": Values.unpack_own,
    "e": Values.unpack_error,
}
`;
