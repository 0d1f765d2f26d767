import { PYTHON_STAND_INS } from "./python-stand-ins.js";
import { PYTHON_VALUES } from "./python-values.js";
import { PYTHON_WIRE } from "./python-wire.js";

const PEER = `
def is_flat(items):
    return all(item is None or isinstance(item, (bool, int, float, str)) for item in items)


class Peer(Values):
    def __init__(self, wire, holds_tests):
        super().__init__()
        self.wire, self.holds_tests = wire, holds_tests
        self.tape, self.handlers, self.is_gone = None, {}, False
        self.keeps_stops, self.had_error = False, False

    # -- asking and serving

    def ask(self, kind, target, *rest):
        given = rest[0] if kind == "call" else rest[1] if kind == "op" else ()
        if kind == "call" and (rest[1] or any(isinstance(item, tuple) and not is_flat(item) for item in rest[0])):
            self.is_plain = False
        request = ["?", kind, self.pack_target(target)] + [self.pack(item) for item in rest]
        try:
            self.wire.send(request)
            while True:
                message = self.wire.receive()
                if message[0] != "?":
                    return self.settle(kind, message, given)
                self.is_plain = False
                self.serve(message)
        except Gone:
            self.is_gone = True
            raise

    def pack_target(self, target):
        was_plain = self.is_plain
        form = self.pack(target)
        self.is_plain = was_plain
        return form

    def settle(self, kind, message, given):
        mark, form, changed, printed = message
        if printed:
            print(printed, end="")
        self.weigh(kind, form, changed)
        for index, new in changed:
            restore(given[index], self.unpack(new))
        if mark == "=":
            return self.unpack(form)
        self.had_error = True
        raise self.unpack_raised(kind, form)

    def weigh(self, kind, form, changed):
        """Notes when more than values that are the same in both processes has gone to and fro."""
        parts = form[1:] if type(form) is list and form[0] == "t" else [form]
        is_value = all(type(part) is not list or part[0] in ("i", "c", "e") for part in parts)
        if kind not in ("load", "names") and (kind != "call" or changed or not is_value):
            self.is_plain = False

    def unpack_raised(self, kind, form):
        """Only an error that is told as one, and that is known for the program's from then on."""
        if type(form) is not list or form[0] != "e":
            raise Gone()
        error = self.unpack(form)
        if kind == "call" and self.holds_tests and not self.keeps_stops and isinstance(error, (StopIteration, StopAsyncIteration)):
            # It would end a loop of the tests as if all had been well.
            error = RuntimeError("the program raised " + type(error).__name__)
        error.of_program = True
        return error

    def serve(self, message):
        kind, args = message[1], message[3:]
        printed, changed = "", []
        try:
            if self.holds_tests and not self.is_given(message[2]):
                raise TypeError("this is no object of the tests")
            target = self.unpack(message[2])
            given = [self.unpack(arg) for arg in args]
            result = ["=", self.pack(self.handle(kind, target, given))]
            changed = self.changes(kind, args, given)
        except Gone:
            raise
        except BaseException as error:
            result = ["!", self.pack_error(error)]
        if self.tape is not None:
            printed = self.tape.take()
        self.wire.send(result + [changed, printed])

    def handle(self, kind, target, given):
        if kind in self.handlers:
            return self.handlers[kind](target, *given)
        if kind == "call":
            return target(*given[0], **given[1])
        self.guard(kind, target, given)
        if kind == "get":
            return getattr(target, given[0])
        if kind == "set":
            return setattr(target, given[0], given[1])
        if kind == "del":
            return delattr(target, given[0])
        if kind == "op":
            if given[0] not in SPECIAL:
                raise TypeError(given[0])
            return getattr(type(target), given[0])(target, *given[1])
        if kind == "plain":
            return plain_part(target)
        import copy
        return copy.copy(target) if kind == "copy" else copy.deepcopy(target)

    def guard(self, kind, target, given):
        """What the program may do with objects of the tests: nothing that leads out of them."""
        if not self.holds_tests or kind not in ("get", "set", "del"):
            return
        name = given[0]
        hidden = type(name) is not str or name.startswith(("_", "gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_"))
        if hidden or isinstance(target, (type(sys), type(forward), type)):
            raise AttributeError(name)

    def changes(self, kind, forms, given):
        index = 0 if kind == "call" else 1 if kind == "op" else None
        if index is None:
            return []
        pairs = zip(forms[index][1:], given[index])
        after = [(old, self.pack(value) if isinstance(value, MUTABLE) else old) for old, value in pairs]
        return [[at, new] for at, (old, new) in enumerate(after) if old != new]

    # -- what the tests may learn from objects of the program

    def operate(self, name, target, args, kwargs={}):
        if name == "__call__":
            return self.ask("call", target, args, kwargs)
        if not self.holds_tests:
            return self.ask("op", target, name, args)
        other = args[0] if args else None
        is_own = bool(args) and not isinstance(other, Remote)
        if name in COMPARE and is_own:
            return self.compare(name, target, other)
        if name == "__contains__" and is_own and not target._made:
            return any(item is other or item == other for item in target)
        if target._mixed and name in CONVERT:
            raise TypeError("an object of the program cannot be taken for a value here")
        result = self.ask("op", target, name, args)
        if name in ARITHMETIC and (is_own or target._mixed):
            return mixed(result)
        return result

    def compare(self, name, target, other):
        """By what the object holds, never by its own opinion: it could claim to equal everything."""
        plain = self.ask("plain", target)
        if plain is None or isinstance(plain, Remote):
            return NotImplemented
        return getattr(plain, name)(other)
`;

/**
 * What both Python processes of a trial run: the one with the tests and the one with the program. They share nothing
 * but two pipes. Plain data is copied; everything else stays where it is and is reached through a stand-in, whose
 * operations are sent over. Changes that a call makes to the lists, dicts and sets it was given are sent back.
 */
export const PYTHON_PEER = [PYTHON_WIRE, PYTHON_STAND_INS, PYTHON_VALUES, PEER].join("\n");
