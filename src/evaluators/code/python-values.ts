/** Values of Python as JSON: plain data by what it is, everything else by its number. */
export const PYTHON_VALUES = `
class Values:
    def __init__(self):
        self.objects, self.numbers, self.described = [], {}, set()
        self.stand_ins, self.classes, self.class_numbers = {}, {}, {}
        self.depth = 0
        # Numbers of the objects that were handed over as such, and not only to say what class another is of.
        self.given = set()
        # True as long as nothing was handed over but plain data.
        self.is_plain, self.holds_tests = True, False

    def is_given(self, form):
        return type(form) is list and form[0] == "y" and form[1] in self.given

    def pack(self, value):
        kind = type(value)
        if value is None or kind is bool or kind is str or kind is float:
            return value
        if kind is int:
            return value if -SAFE_INT < value < SAFE_INT else ["i", hex(value)]
        packer = PACKERS.get(kind)
        if packer is None and kind.__name__ == "Counter" and kind.__module__ == "collections":
            packer = pairs_of("cd")
        if packer is None:
            return self.pack_other(value, kind)
        if self.depth > DEEPEST:
            return self.export(value)
        self.depth += 1
        try:
            return packer(self, value)
        finally:
            self.depth -= 1

    def pack_all(self, tag, items):
        return [tag] + [self.pack(item) for item in items]

    def pack_other(self, value, kind):
        if isinstance(value, Remote):
            return ["y", value._number]
        if isinstance(value, type):
            self.is_plain = False
            form = self.pack_class(value)
            if form[0] == "k":
                self.given.add(form[1])
            return form
        if kind is type(sys):
            return ["m", value.__name__] if value.__name__.partition(".")[0] in KNOWN_MODULES else self.export(value)
        if value is NotImplemented or value is Ellipsis:
            return ["n", repr(value)]
        name = getattr(kind, "__module__", None)
        if name in ("decimal", "fractions", "datetime") and kind.__name__ in RESTORED:
            return ["v", kind.__name__, value.isoformat() if hasattr(value, "isoformat") else restorable(value)]
        if name == "numpy" and not getattr(value, "shape", True):
            return self.pack(value.item())
        if kind.__module__ != "solution" and isinstance(value, PLAIN_BASES) and not hasattr(kind, "_fields"):
            return self.pack(plain_part(value))
        return self.export(value)

    def pack_known(self, value):
        """A class of the standard library, by its name."""
        module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
        if not isinstance(value, type) or type(module) is not str or not is_known(module, value):
            return None
        if getattr(sys.modules.get(module), name, None) is not value:
            return None
        # The other process may not have the module: then it goes by what the class is like.
        return ["g", module, name] + ([] if module in CLASS_MODULES else [self.describe(value)])

    def pack_class(self, cls):
        if cls in self.class_numbers:
            return ["y", self.class_numbers[cls]]
        return self.pack_known(cls) or self.describe(cls)

    def describe(self, cls):
        number = self.number(cls)
        if number in self.described:
            return ["k", number]
        self.described.add(number)
        own = [base for base in cls.__mro__ if base is not object]
        names = [name for name in SPECIAL if any(name in vars(base) for base in own)]
        bases = [self.pack_class(base) for base in cls.__bases__]
        return ["k", number, cls.__name__, names, issubclass(cls, BaseException), bases]

    def number(self, value):
        key = id(value)
        if key not in self.numbers:
            self.numbers[key] = len(self.objects)
            self.objects.append(value)
        return self.numbers[key]

    def export(self, value):
        number, kind = self.number(value), type(value)
        self.is_plain = False
        self.given.add(number)
        # Never by name: the other side must learn what it can do with it.
        return ["o", number, ["y", self.class_numbers[kind]] if kind in self.class_numbers else self.describe(kind)]

    def pack_error(self, error):
        if isinstance(error, Remote):
            error = RuntimeError("raised")
        args = [self.pack(arg) for arg in error.args]
        traits = {key: self.pack(item) for key, item in vars(error).items()}
        try:
            text = str(error)[:2000]
        except Exception:
            text = ""
        return ["e", self.pack_class(type(error)), args, traits, text]

    def unpack(self, form):
        if type(form) is not list:
            return form
        return UNPACKERS[form[0]](self, form)

    def unpack_all(self, form, start=1):
        return [self.unpack(item) for item in form[start:]]

    def unpack_object(self, form):
        _, number, kind = form
        cls = self.unpack(kind)
        if number not in self.stand_ins:
            made = object.__new__(cls if isinstance(cls, RemoteType) else Remote)
            object.__setattr__(made, "_number", number)
            self.stand_ins[number] = made
        return self.stand_ins[number]

    def unpack_class(self, form):
        number = form[1]
        if number not in self.classes:
            _, _, name, names, is_error, bases = form
            parents = [self.unpack(base) for base in bases]
            self.classes[number] = cls = error_class(name, parents) if is_error else remote_class(name, names, parents)
            self.class_numbers[cls] = number
        return self.classes[number]

    def unpack_known(self, form):
        module, name = form[1], form[2]
        if module in CLASS_MODULES:
            value = getattr(__import__(module), name)
        else:
            described = self.unpack(form[3])
            value = getattr(sys.modules.get(module), name, None)
            value = value if isinstance(value, type) and is_known(module, value) else described
        if not isinstance(value, type):
            raise ValueError(name)
        return value

    def unpack_own(self, form):
        """An object of this process that the other one was given."""
        if self.holds_tests and form[1] not in self.given:
            raise ValueError("this was never handed over")
        return self.objects[form[1]]

    def unpack_error_class(self, kind):
        if type(kind) is list and kind[0] == "y":
            cls = self.objects[kind[1]]
        else:
            cls = self.unpack(kind)
        return cls if isinstance(cls, type) and issubclass(cls, BaseException) else Exception

    def unpack_error(self, form):
        _, kind, args, traits, text = form
        cls = self.unpack_error_class(kind)
        args = [self.unpack(arg) for arg in args]
        try:
            error = cls(*args)
        except Exception:
            # Its class wants other arguments than those it keeps.
            error = BaseException.__new__(cls, *args)
        if cls in self.class_numbers and text != BaseException.__str__(error):
            error._text = text
        for key, item in traits.items():
            try:
                setattr(error, key, self.unpack(item))
            except Exception:
                pass
        error.of_program = True
        return error


def is_known(module, cls):
    """Classes that both processes have: those of a few modules, and the errors of the whole standard library."""
    if module in CLASS_MODULES:
        return True
    root = module.partition(".")[0]
    # Errors of test libraries mean something to the tests, such as that one of them is to be skipped.
    return issubclass(cls, Exception) and root in sys.stdlib_module_names and root not in ("unittest", "doctest", "bdb")


def pairs_of(tag):
    return lambda peer, value: [tag] + [peer.pack(part) for pair in dict.items(value) for part in pair]


def read_pairs(peer, form, start=1):
    items = peer.unpack_all(form, start)
    return dict(zip(items[::2], items[1::2]))


def restorable(value):
    return str(value) if type(value).__name__ != "timedelta" else [value.days, value.seconds, value.microseconds]


def read_value(peer, form):
    import datetime, decimal, fractions
    name, text = form[1], form[2]
    if name not in RESTORED:
        raise ValueError(name)
    if name == "timedelta":
        return datetime.timedelta(*text)
    if name in ("Decimal", "Fraction"):
        return getattr(decimal if name == "Decimal" else fractions, name)(text)
    return getattr(datetime, name).fromisoformat(text)


def read_module(peer, form):
    if form[1].partition(".")[0] not in KNOWN_MODULES:
        raise ValueError(form[1])
    __import__(form[1])
    return sys.modules[form[1]]


RESTORED = ("Decimal", "Fraction", "date", "datetime", "time", "timedelta")
PACKERS = {
    list: lambda peer, value: peer.pack_all("l", value),
    tuple: lambda peer, value: peer.pack_all("t", value),
    set: lambda peer, value: peer.pack_all("s", value),
    frozenset: lambda peer, value: peer.pack_all("z", value),
    dict: pairs_of("d"),
    OrderedDict: pairs_of("od"),
    defaultdict: lambda peer, value: ["dd", peer.pack_known(value.default_factory)] + pairs_of("")(peer, value)[1:],
    deque: lambda peer, value: ["q", value.maxlen] + [peer.pack(item) for item in value],
    complex: lambda peer, value: ["c", value.real, value.imag],
    bytes: lambda peer, value: ["b", value.hex()],
    bytearray: lambda peer, value: ["ba", value.hex()],
    range: lambda peer, value: ["r"] + [peer.pack(part) for part in (value.start, value.stop, value.step)],
    slice: lambda peer, value: ["sl"] + [peer.pack(part) for part in (value.start, value.stop, value.step)],
    type({}.keys()): lambda peer, value: peer.pack_all("dk", value),
    type({}.values()): lambda peer, value: peer.pack_all("dv", value),
    type({}.items()): lambda peer, value: peer.pack_all("di", value),
}
UNPACKERS = {
    "i": lambda peer, form: int(form[1], 16),
    "l": lambda peer, form: peer.unpack_all(form),
    "t": lambda peer, form: tuple(peer.unpack_all(form)),
    "s": lambda peer, form: set(peer.unpack_all(form)),
    "z": lambda peer, form: frozenset(peer.unpack_all(form)),
    "d": read_pairs,
    "od": lambda peer, form: OrderedDict(read_pairs(peer, form)),
    "cd": lambda peer, form: __import__("collections").Counter(read_pairs(peer, form)),
    "dd": lambda peer, form: defaultdict(peer.unpack(form[1]), read_pairs(peer, form, 2)),
    "q": lambda peer, form: deque(peer.unpack_all(form, 2), form[1]),
    "c": lambda peer, form: complex(form[1], form[2]),
    "b": lambda peer, form: bytes.fromhex(form[1]),
    "ba": lambda peer, form: bytearray.fromhex(form[1]),
    "r": lambda peer, form: range(*peer.unpack_all(form)),
    "sl": lambda peer, form: slice(*peer.unpack_all(form)),
    "dk": lambda peer, form: dict.fromkeys(peer.unpack_all(form)).keys(),
    "dv": lambda peer, form: dict(enumerate(peer.unpack_all(form))).values(),
    "di": lambda peer, form: dict(peer.unpack_all(form)).items(),
    "n": lambda peer, form: Ellipsis if form[1] == "Ellipsis" else NotImplemented,
    "v": read_value,
    "m": read_module,
    "g": Values.unpack_known,
    "k": Values.unpack_class,
    "o": Values.unpack_object,
    "y": Values.unpack_own,
    "e": Values.unpack_error,
}
`;
