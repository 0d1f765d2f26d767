/** The side of the program: it loads the first reading of the response that is Python, and answers. */
export const PYTHON_PROGRAM = String.raw`
class ProgramPeer(Peer):
    def __init__(self, wire):
        super().__init__(wire, False)
        self.watched = {}

    def get_news(self):
        """The global variables that the tests use and that have another value than before."""
        news = []
        for name, value in self.watched.items():
            now = self.scope.get(name, value)
            if now is not value:
                news.append([name, self.pack(now)])
        self.watched.update((name, self.scope[name]) for name, _ in news)
        return news

    def take_news(self, news):
        if news is not None:
            import random
            random.setstate(self.unpack(news))


class Input(io.TextIOBase):
    """The standard input of the program is that of the tests, which may have put something there."""

    def readable(self):
        return True

    def read(self, size=-1):
        return PEER.ask("stdin", None, "read", size)

    def readline(self, size=-1):
        return PEER.ask("stdin", None, "readline", size)


def ask_input(prompt=""):
    return PEER.ask("input", None, str(prompt))


def be_program(first):
    global PEER
    wire = Wire(first)
    job = wire.receive()
    PEER = peer = ProgramPeer(wire)
    peer.tape = sys.stdout = Tape()
    sys.stderr, sys.stdin = Tape(), Input()
    sys.path.extend(job["packages"])
    builtins.exit = builtins.quit = sys.exit
    builtins.input = ask_input
    solution = type(sys)("solution")
    sys.modules["solution"] = solution
    peer.scope = solution.__dict__
    peer.handlers = {
        "load": lambda: load(job, peer.scope),
        "names": lambda names: pick(peer, names),
        "module": lambda: solution,
    }
    os_write(3, b"[]\n")
    try:
        while True:
            mark, body = peer.receive()
            if mark == "?":
                peer.serve(body)
    except Gone:
        pass
    os._exit(0)


def load(job, scope):
    if job["before"]:
        try:
            exec(compile(job["before"], "<setup>", "exec"), scope)
        except Exception:
            pass
    exec(compile(choose(job["variants"], job["entry"]), "<program>", "exec"), scope)


def choose(variants, entry):
    """The first reading of the response that is Python; the error of the first one when none is."""
    first = None
    for variant in variants:
        text = variant["text"]
        for _ in range(4):
            try:
                compile(text, "<program>", "exec")
                return text
            except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
                first = first or error
                text = cut(text, error, entry) if variant["mayCut"] else None
            if text is None:
                break
    raise first


def cut(text, error, entry):
    """What stands before the line where Python stops understanding, when the function is still in it."""
    lines = text.split("\n")
    at = min(getattr(error, "lineno", None) or 0, len(lines)) - 1
    while at > 0 and (not lines[at].strip() or lines[at][:1].isspace()):
        at -= 1
    kept = lines[:max(at, 0)]
    found = any(line.startswith(("def " + entry, "class " + entry, "async def " + entry)) for line in kept)
    return "\n".join(kept) if found else None


def pick(peer, names):
    found = {name: peer.scope[name] for name in names if name in peer.scope}
    peer.watched.update(found)
    is_module = lambda value: type(value) is type(sys) and is_common_module(value)
    return {name: NamedModule(value) if is_module(value) else value for name, value in found.items()}
`;
