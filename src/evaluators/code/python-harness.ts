import { PYTHON_ALONE } from "./python-alone.js";
import { PYTHON_HARMLESS } from "./python-harmless.js";
import { PYTHON_PEER } from "./python-peer.js";
import { PYTHON_PROGRAM } from "./python-program.js";
import { PYTHON_TESTS } from "./python-tests.js";

/**
 * What is run in the box of a Python trial. It splits in two: the child runs the program, the parent runs the tests.
 * The tests and the nonce come in only after the split, so that they are never in the memory of the program; and the
 * parent cannot be looked into, so that the program cannot fetch them either. What it can do is answer calls.
 *
 * Possible in principle all the same: a hole in the kernel, and a test that asks an object of the program for its own
 * opinion, such as a method of a class that the program was asked to write.
 */
const MAIN = `
PR_SET_DUMPABLE = 4
# What both processes will need is imported once, before they part.
DEAR_MODULES = ("typing", "re", "collections", "functools", "itertools", "math", "random", "string", "copy", "heapq")


class Tape(io.StringIO):
    """Takes what the program prints, within reason."""

    def write(self, text):
        return super().write(text) if self.tell() < 1 << 20 else len(text)

    def take(self):
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


def say(*message):
    os.write(3, to_line(list(message)))


def hide():
    """Nobody of the same user may look into this process any more."""
    import _ctypes
    prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")
    _ctypes.call_function(prctl, (PR_SET_DUMPABLE, 0, 0, 0, 0))


def split(job):
    hide()
    for name in DEAR_MODULES:
        if any("import " + name in variant["text"] or "from " + name in variant["text"] for variant in job["variants"][:1]):
            __import__(name)
    to_program, to_tests = os.pipe(), os.pipe()
    if os.fork() == 0:
        be_program(job, Wire(to_program[0], to_tests[1]))
        os._exit(0)
    os.close(to_program[0])
    os.close(to_tests[1])
    return Wire(to_tests[0], to_program[1])


def main(first):
    global PEER
    wire = Wire(3, 3)
    wire.rest = first
    wire_to_program = split(wire.receive())
    say("ready")
    job = wire.receive()
    PEER = peer = Peer(wire_to_program, True)
    sys.stdout = sys.stderr = Tape()
    is_final = True
    try:
        judge(job, peer)
        if peer.is_gone:
            raise Gone()
        verdict = ["passed", ""]
    except BrokenTests as error:
        verdict = ["broken", str(error)]
    except Gone:
        verdict = ["failed", "the program ended before its tests did"]
    except BaseException as error:
        verdict = ["failed", reason(error, job["tests"])]
        is_final = is_beyond_doubt(error, peer, job)
        if peer.is_gone:
            verdict = ["failed", "the program ended before its tests did"]
    say(job["nonce"], *verdict, is_final and not peer.is_gone)
    os._exit(0)


# Words of tests that reach into the world of the program.
WORLDLY = frozenset((
    "seed random patch stdin stdout stderr environ solution redirect_stdout redirect_stderr globals eval exec input"
    " print chdir capsys monkeypatch inspect types gc setattr getattr hasattr dir vars time callable"
).split())


def is_beyond_doubt(error, peer, job):
    """True when the tests would have failed in one process with the program too."""
    is_plain = peer.is_plain and (not peer.had_error or getattr(error, "of_program", False))
    return is_plain and WORLDLY.isdisjoint(job["names"]) and not any(name.startswith("__") for name in job["names"])


`;
const START = "main(FIRST)\n";

/** The whole harness. Expects what was read beyond it on descriptor 3 in `FIRST`. */
export const PYTHON_HARNESS = [PYTHON_PEER, PYTHON_PROGRAM, PYTHON_TESTS, MAIN, START].join("\n");

/** The harness of a second opinion: program and tests in one process. Expects the same as the other. */
export const PYTHON_ALONE_HARNESS = [
  PYTHON_PEER,
  PYTHON_PROGRAM,
  PYTHON_TESTS,
  MAIN,
  PYTHON_HARMLESS,
  PYTHON_ALONE,
].join("\n");

/** Compiles the harness once, so that no box has to do it again. Reads it from descriptor 3 and answers there. */
export const PYTHON_COMPILER = String.raw`
import json, marshal, os
text = b""
while not text.endswith(b"\n"):
    text += os.read(3, 1 << 16)
os.write(3, marshal.dumps(compile(json.loads(text), "<harness>", "exec")).hex().encode() + b"\n")
`;

/** Starts the compiled harness that comes on descriptor 3. */
export const PYTHON_STARTER = String.raw`
import marshal, os
text = b""
while b"\n" not in text:
    text += os.read(3, 1 << 16)
code, _, FIRST = text.partition(b"\n")
exec(marshal.loads(bytes.fromhex(code.decode())))
`;
