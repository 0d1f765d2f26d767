/** The side of the program: it loads the first reading of the response that is Python, and answers. */
export const PYTHON_PROGRAM = String.raw`
def be_program(job, wire):
    global PEER
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    for fd in range(3, 64):
        if fd not in (wire.source, wire.sink):
            try:
                os.close(fd)
            except OSError:
                pass
    PEER = Peer(wire, False)
    PEER.tape = sys.stdout = Tape()
    sys.stderr, sys.stdin = Tape(), io.StringIO()
    sys.path.extend(job["packages"])
    builtins.exit = builtins.quit = sys.exit
    solution = type(sys)("solution")
    sys.modules["solution"] = solution
    PEER.handlers = {"load": lambda target: load(job, solution.__dict__), "names": lambda target, names: pick(solution.__dict__, names)}
    try:
        while True:
            PEER.serve(wire.receive())
    except Gone:
        pass


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


def pick(scope, names):
    return {name: scope[name] for name in names if name in scope}
`;
