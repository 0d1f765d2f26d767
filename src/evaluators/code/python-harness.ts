import { PYTHON_GUARDS } from "./python-guards.js";
import { PYTHON_PEER } from "./python-peer.js";
import { PYTHON_PROGRAM } from "./python-program.js";
import { PYTHON_TESTS } from "./python-tests.js";

/** What is run in the box of the program. Expects what was read beyond it on descriptor 3 in `FIRST`. */
export const PYTHON_PROGRAM_HARNESS = [PYTHON_PEER, PYTHON_PROGRAM, "be_program(FIRST)\n"].join("\n");

/**
 * What is run in the box of the tests. The tests, what they expect and the nonce are in no other process, and whatever
 * the program's process sends is data here, whoever has written it.
 */
export const PYTHON_TESTS_HARNESS = [PYTHON_PEER, PYTHON_TESTS, PYTHON_GUARDS, "be_tests(FIRST)\n"].join("\n");

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
