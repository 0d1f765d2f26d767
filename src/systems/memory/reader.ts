import type { Limits, Output, System, TrialContext } from "../../core/index.js";
import {
  computeFingerprint,
  describeValue,
  hashContent,
  requireShape,
  ShapeError,
  UsageError,
} from "../../core/index.js";
import type { MemoryTrial } from "./memory-system.js";

/** Answers a question from a retrieved context. */
export interface Reader {
  readonly name: string;
  answer(context: string, question: string, trial: TrialContext): Promise<Output>;
  readonly model?: string;
  readonly isRecorded?: boolean;
  readonly limits?: Limits;
  readonly endpoint?: string;
  fingerprint?(): unknown;
}

/** Default instruction for readers. It asks for short answers, because long ones score low, and discourages guesses. */
export const READER_INSTRUCTION =
  "Below is what was said in earlier conversations. Answer the question that follows them in as few words as possible, from these conversations alone. If they do not hold the answer, reply: unanswerable.";

/** Options of `systemReader`. */
export interface SystemReaderOptions {
  /** Text before the context; none if empty. Default: `READER_INSTRUCTION`. */
  instruction?: string;
}

/**
 * Creates a reader from any system: a model, a function or a recording.
 * @example
 * const reader = systemReader(new FunctionSystem({ name: "first line", fn: ({ context }) => context?.split("\n")[0] ?? "" }));
 */
export function systemReader(system: System, options: SystemReaderOptions = {}): Reader {
  requireShape<System>("A reader's system", system, ["process"]);
  const { instruction = READER_INSTRUCTION } = options;
  const { name, model, isRecorded, limits, endpoint } = system;
  return {
    name,
    ...(model === undefined ? {} : { model }),
    ...(isRecorded === undefined ? {} : { isRecorded }),
    ...(limits === undefined ? {} : { limits }),
    ...(endpoint === undefined ? {} : { endpoint }),
    fingerprint: () => ({ system: computeFingerprint(system, "process"), instruction }),
    async answer(context, question, trial: MemoryTrial) {
      const given = [instruction, context].filter((text) => text !== "").join("\n\n");
      const id = trial.exampleId ?? hashContent({ context, question });
      const { dataset } = trial;
      const example = { id, question, ...(given === "" ? {} : { context: given }), ...(dataset && { dataset }) };
      return requireResponse(system, await system.process(example, trial));
    },
  };
}

/** Returns a reader unchanged, and converts a system. */
export function toReader(given: Reader | System): Reader {
  if (typeof given !== "object" || given === null)
    throw new UsageError(`\`reader\` must be a reader or a system, such as a model, but is ${describeValue(given)}.`);
  return "process" in given ? systemReader(given) : requireShape<Reader>("A reader", given, ["answer"]);
}

/** A context, as returned by compressors, is not an answer. */
function requireResponse({ name }: System, output: Output): Output {
  if (typeof output?.response === "string" || output?.stopped != null) return output;
  throw new ShapeError(`The reader "${name}" returned no response. A reader must answer with text, as a model does.`);
}
