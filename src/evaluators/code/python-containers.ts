/**
 * Lists, dicts, sets and similar that both Python processes hold. Each has a number, and every message carries the
 * contents of those that changed, so that both processes see each other's changes.
 */
export const PYTHON_CONTAINERS = `
class Container:
    """How one kind of container is read, made and filled, always by the built-in class's own methods."""

    def __init__(self, tag, base, read, fill):
        self.tag, self.base, self.read, self.fill = tag, base, read, fill


def read_pairs_of(base):
    return lambda value: [part for pair in base.items(value) for part in pair]


def fill_pairs_of(base):
    def fill(value, items):
        base.clear(value)
        for key, item in zip(items[::2], items[1::2]):
            base.__setitem__(value, key, item)
    return fill


def fill_list(value, items):
    list.__setitem__(value, slice(None), items)


def fill_set(value, items):
    set.clear(value)
    set.update(value, items)


def fill_deque(value, items):
    deque.clear(value)
    deque.extend(value, items)


def fill_bytes(value, items):
    bytearray.__setitem__(value, slice(None), bytes.fromhex(items[0]))


def read_array(value):
    return [value.dtype.str, tuple(value.shape), value.tobytes().hex()]


def make_array(items):
    import re
    numpy = __import__("numpy")
    if not re.fullmatch("[<>|=]?[biufcUM][0-9]+", items[0]):
        raise ValueError("an array of " + items[0])
    return numpy.frombuffer(bytes.fromhex(items[2]), dtype=items[0]).reshape(items[1]).copy()


def fill_array(value, items):
    value[...] = make_array(items)


def read_namespace(value):
    return read_pairs_of(dict)(value.__dict__)


def fill_namespace(value, items):
    fill_pairs_of(dict)(value.__dict__, items)


def fill_numbers(value, items):
    value[:] = type(value)(value.typecode, items)


KINDS = [
    Container("l", list, lambda value: list(list.__iter__(value)), fill_list),
    Container("od", OrderedDict, read_pairs_of(OrderedDict), fill_pairs_of(OrderedDict)),
    Container("dd", defaultdict, read_pairs_of(dict), fill_pairs_of(dict)),
    Container("d", dict, read_pairs_of(dict), fill_pairs_of(dict)),
    Container("s", set, lambda value: list(set.__iter__(value)), fill_set),
    Container("q", deque, lambda value: list(deque.__iter__(value)), fill_deque),
    Container("ba", bytearray, lambda value: [bytearray.hex(value)], fill_bytes),
]
KIND_OF_TYPE = {id(kind.base): kind for kind in KINDS}
KIND_OF_TAG = {kind.tag: kind for kind in KINDS}
KIND_OF_TAG["np"] = Container("np", None, read_array, fill_array)
KIND_OF_TAG["ar"] = Container("ar", None, list, fill_numbers)
Namespace = type(sys.implementation)
KIND_OF_TAG["ns"] = Container("ns", None, read_namespace, fill_namespace)


def get_loaded(module, name):
    return getattr(sys.modules.get(module), name, None)


class CounterContainer(Container):
    """Its class is only there when somebody has imported it."""

    def __init__(self):
        self.tag, self.read, self.fill = "ct", read_pairs_of(dict), fill_pairs_of(dict)

    @property
    def base(self):
        return __import__("collections").Counter


KIND_OF_TAG["ct"] = CounterContainer()


def find_kind(cls):
    """The kind of container that objects of exactly this class are."""
    kind = KIND_OF_TYPE.get(id(cls))
    if kind is None and cls is get_loaded("collections", "Counter"):
        return KIND_OF_TAG["ct"]
    if kind is None and cls is get_loaded("numpy", "ndarray"):
        return KIND_OF_TAG["np"]
    if kind is None and cls is get_loaded("array", "array"):
        return KIND_OF_TAG["ar"]
    if cls is Namespace:
        return KIND_OF_TAG["ns"]
    return kind


JSON_KINDS = frozenset(map(id, (int, float, str, bool, type(None))))


def is_safe(items):
    return all(type(item) is not int or -MAX_SAFE_INT < item < MAX_SAFE_INT for item in items)


class Shared:
    """One container that both processes hold, and what was in it when they last spoke."""

    def __init__(self, value, kind):
        self.value, self.kind, self.items = value, kind, None

    def has_changed(self):
        now, before = self.kind.read(self.value), self.items
        if len(now) == len(before) and all(map(_operator.is_, now, before)):
            return False
        return self.kind.tag not in ("ba", "np") or now != before


class Containers:
    def __init__(self, holds_tests):
        self.shared, self.shared_numbers, self.fresh = {}, {}, []
        self.step = 1 if holds_tests else -1
        self.last_shared = self.receiving = 0

    def share(self, value, kind):
        number = self.shared_numbers.get(id(value))
        if number is None:
            self.last_shared = number = self.last_shared + self.step
            self.shared[number] = Shared(value, kind)
            self.shared_numbers[id(value)] = number
            self.fresh.append(number)
        return ["#", number]

    def pack_contents(self):
        """The contents of what is new, and of what is not what it was."""
        waiting = [number for number, each in self.shared.items() if each.items is not None and each.has_changed()]
        packed = []
        while waiting or self.fresh:
            number = waiting.pop() if waiting else self.fresh.pop()
            each = self.shared[number]
            each.items = each.kind.read(each.value)
            packed.append([number, each.kind.tag, *self.pack_origin(each), self.pack_items(each.items)])
        return packed

    def pack_items(self, items):
        """Long lists of numbers or texts are quick: they are JSON as they are."""
        kinds = set(map(id, map(type, items)))
        if kinds <= JSON_KINDS and (id(int) not in kinds or is_safe(items)):
            return items
        return [self.pack(item) for item in items]

    def unpack_items(self, items):
        return [self.unpack(item) for item in items] if list in set(map(type, items)) else items

    def pack_origin(self, each):
        value, tag = each.value, each.kind.tag
        extra = None
        if tag == "dd":
            extra = self.pack_factory(value.default_factory)
        elif tag in ("q", "ar"):
            extra = value.maxlen if tag == "q" else value.typecode
        if find_kind(type(value)) is each.kind:
            return [None, extra]
        number = self.number(value)
        self.given.add(number)
        return [[number, self.pack_class(type(value))], extra]

    def pack_factory(self, factory):
        return None if factory is None else self.pack(factory)

    def unpack_contents(self, packed):
        for number, tag, origin, extra, items in packed:
            if number not in self.shared:
                if type(number) is not int or number * self.step >= 0:
                    raise Gone()
                value = self.make_container(tag, origin, extra, items)
                self.shared[number] = Shared(value, KIND_OF_TAG[tag])
                self.shared_numbers[id(value)] = number
            elif self.shared[number].kind.tag != tag:
                raise Gone()
        for number, _, _, _, items in packed:
            each = self.shared[number]
            each.kind.fill(each.value, self.unpack_items(items))
            each.items = each.kind.read(each.value)

    def make_container(self, tag, origin, extra, items):
        if origin is not None:
            cls = self.unpack(origin[1])
            base = KIND_OF_TAG[tag].base
            if type(cls) is not HandleType or not issubclass(cls, base):
                raise Gone()
            made = base.__new__(cls)
            object.__setattr__(made, "_number", origin[0])
            if tag == "dd":
                defaultdict.__init__(made, self.unpack(extra))
            return made
        if tag == "q":
            return deque([], extra)
        if tag == "dd":
            return defaultdict(self.unpack(extra))
        if tag == "np":
            return make_array([self.unpack(item) for item in items])
        if tag == "ar":
            return __import__("array").array(extra)
        if tag == "ns":
            return Namespace()
        return KIND_OF_TAG[tag].base()

    def unpack_shared(self, form):
        return self.shared[form[1]].value

    def sweep(self):
        """The numbers of those that are no longer held in this process."""
        swept = []
        if self.receiving:
            return swept
        for number in list(self.shared):
            if get_refcount(self.shared[number].value) <= 2:
                self.forget(number)
                swept.append(number)
        return swept

    def forget(self, number):
        each = self.shared.pop(number, None)
        if each is not None:
            del self.shared_numbers[id(each.value)]
`;
