import type { GraderSpec } from "../../../core/grader.js";
import { partsOf, patternFits, textFits, textOf } from "./config-values.js";
import type { GivenText } from "./given-files.js";
import type { WrittenGrader } from "./places.js";
import { counts, type EvalRemark, type Subject } from "./subject.js";

/** Shorter texts are words and values, which an agent may be asked to look up. */
const LEAST_SENTENCE = 24;
const SAID = new Set(["output-contains", "transcript-contains"]);
const REFUSED = new Set(["output-not-contains", "transcript-not-contains"]);
/** Graders that pass an agent which only copies the task into a file. */
const UNDEMANDING = /^(?:completed|exit-success|file-exists|[a-z-]+-(?:count|budget)|wall-time|max-repeat)$/;

/** Finds graders that an agent passes or fails by repeating the prompt. */
export function leakRemarks(subject: Subject): EvalRemark[] {
  return subject.graders.flatMap((grader, index) => {
    const isSettled = subject.model.voters[index]?.fate !== null;
    if (!counts(grader) || isSettled) return [];
    return [grader.spec, ...alternativesOf(grader.spec)].flatMap((spec) => leaksOf(spec, grader, subject));
  });
}

/** One passing part is enough for any-of; with all-of, other parts may notice. */
function alternativesOf(spec: GraderSpec): readonly GraderSpec[] {
  return spec.type === "any-of" ? partsOf(spec) : [];
}

function leaksOf(spec: GraderSpec, grader: WrittenGrader, subject: Subject): EvalRemark[] {
  const found = ofText(spec, subject) ?? ofPattern(spec, subject) ?? ofFile(spec, subject);
  return found === null ? [] : [{ ...grader.placeOf("config"), ...found }];
}

type Found = Pick<EvalRemark, "code" | "message"> | null;

function ofText(spec: GraderSpec, subject: Subject): Found {
  const wanted = textOf(spec, "substring") ?? "";
  const isAsked = textFits(spec, "substring", subject.asked);
  if (SAID.has(spec.type) && isAsked) {
    const message = `The prompt of "${subject.stimulus.name}" contains "${wanted}", which ${spec.type} looks for.`;
    return { code: "EVAL-PROMPT-LEAK", message };
  }
  if (REFUSED.has(spec.type) && isAsked) {
    const message = `The prompt of "${subject.stimulus.name}" contains "${wanted}", which ${spec.type} forbids.`;
    return { code: "EVAL-PROMPT-FORBIDDEN", message };
  }
  const source = SAID.has(spec.type) && wanted.length >= LEAST_SENTENCE ? holderOf(spec, subject) : undefined;
  if (source === undefined) return null;
  return { code: "EVAL-FILE-LEAK", message: `${source.path} contains "${wanted}", which ${spec.type} looks for.` };
}

function holderOf(spec: GraderSpec, { given, skills }: Subject): GivenText | undefined {
  const all = [...given.texts, ...skills.flatMap(({ texts }) => texts)];
  return all.find(({ text }) => textFits(spec, "substring", text));
}

function ofPattern(spec: GraderSpec, { asked, stimulus }: Subject): Found {
  const isWanted = spec.type === "output-matches" || spec.type === "transcript-matches";
  const isRefused = spec.type === "output-not-matches" || spec.type === "transcript-not-matches";
  if ((!isWanted && !isRefused) || !patternFits(spec, asked)) return null;
  const pattern = textOf(spec, "pattern") ?? "";
  if (isWanted)
    return { code: "EVAL-PATTERN-PROMPT", message: `The pattern ${pattern} matches the prompt of "${stimulus.name}".` };
  const message = `The prompt of "${stimulus.name}" matches ${pattern}, which ${spec.type} forbids.`;
  return { code: "EVAL-PROMPT-FORBIDDEN", message };
}

/** Looking for text that the prompt asks for is fine if another grader notices when nothing else was done. */
function ofFile(spec: GraderSpec, { asked, stimulus }: Subject): Found {
  const repeats = ({ type, ...rest }: GraderSpec) =>
    type === "file-contains" && textFits({ type, ...rest }, "value", asked);
  const isAll = stimulus.graders
    .filter(({ weight = 1, required = false }) => weight > 0 || required)
    .every((other) => repeats(other) || UNDEMANDING.test(other.type));
  if (!repeats(spec) || !isAll) return null;
  const wanted = textOf(spec, "value") ?? "";
  const message = `The prompt of "${stimulus.name}" contains "${wanted}", and no grader checks more: a file with a copy of the task passes.`;
  return { code: "EVAL-PROMPT-LEAK", message };
}
