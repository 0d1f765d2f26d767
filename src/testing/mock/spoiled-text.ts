import type { Answer } from "./answer.js";
import type { ChosenFault } from "./faults.js";

const MARK = "[spoiled here]";
/** None of these bytes can follow the one before it in UTF-8. */
const NOT_UTF8 = Buffer.from([0xff, 0xfe, 0xc3]);
const HUGE_BYTES = 50_000_000;
const BLOCK = Buffer.alloc(1 << 16, "x");

/** Writes an answer with something in its text that no well-behaved provider would send. */
export function* spoiled(
  answer: Answer,
  fault: ChosenFault,
  write: (spoiled: Answer) => string,
): Generator<string | Buffer> {
  const [head = "", tail = ""] = write({ ...answer, preface: "", text: MARK, call: null }).split(MARK, 2);
  yield head;
  if (fault.kind === "huge-line") yield* blocks(fault.bytes ?? HUGE_BYTES);
  else yield NOT_UTF8;
  yield tail;
}

/** So many bytes, without ever holding them all. */
function* blocks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= BLOCK.length) yield left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK;
}
