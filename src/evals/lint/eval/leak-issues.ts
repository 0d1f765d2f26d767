import type { GraderSpec } from "../../../core/index.js";
import type { WorkspaceText } from "./environment-files.js";
import { containsGraderText, getConfigText, listGraderParts, matchesGraderPattern } from "./grader-config.js";
import { type EvalIssue, hasInfluence, type LintedStimulus } from "./linted-stimulus.js";
import type { WrittenGrader } from "./locations.js";

/** Shorter texts are words and values, which an agent may be asked to look up. */
const MIN_SENTENCE_LENGTH = 24;
const TEXT_GRADERS = new Set(["output-contains", "transcript-contains"]);
const NEGATED_TEXT_GRADERS = new Set(["output-not-contains", "transcript-not-contains"]);
/** Graders that pass an agent which only copies the task into a file. */
const TRIVIAL_GRADERS = /^(?:completed|exit-success|file-exists|[a-z-]+-(?:count|budget)|wall-time|max-repeat)$/;

/** Finds graders that an agent passes or fails by repeating the prompt. */
export function findLeakIssues(subject: LintedStimulus): EvalIssue[] {
  return subject.graders.flatMap((grader, index) => {
    const isSettled = subject.model.voters[index]?.fate !== null;
    if (!hasInfluence(grader) || isSettled) return [];
    return [grader.spec, ...listAlternatives(grader.spec)].flatMap((spec) => findLeaks(spec, grader, subject));
  });
}

/** One passing part is enough for any-of; with all-of, other parts may notice. */
function listAlternatives(spec: GraderSpec): readonly GraderSpec[] {
  return spec.type === "any-of" ? listGraderParts(spec) : [];
}

function findLeaks(spec: GraderSpec, grader: WrittenGrader, subject: LintedStimulus): EvalIssue[] {
  const found = findTextLeak(spec, subject) ?? findPatternLeak(spec, subject) ?? findFileLeak(spec, subject);
  return found === null ? [] : [{ ...grader.placeOf("config"), ...found }];
}

type LeakIssue = Pick<EvalIssue, "code" | "message"> | null;

function findTextLeak(spec: GraderSpec, subject: LintedStimulus): LeakIssue {
  const wanted = getConfigText(spec, "substring") ?? "";
  const isAsked = containsGraderText(spec, "substring", subject.asked);
  if (TEXT_GRADERS.has(spec.type) && isAsked) {
    const message = `The prompt of "${subject.stimulus.name}" contains "${wanted}", which ${spec.type} looks for.`;
    return { code: "EVAL-PROMPT-LEAK", message };
  }
  if (NEGATED_TEXT_GRADERS.has(spec.type) && isAsked) {
    const message = `The prompt of "${subject.stimulus.name}" contains "${wanted}", which ${spec.type} forbids.`;
    return { code: "EVAL-PROMPT-FORBIDDEN", message };
  }
  const source =
    TEXT_GRADERS.has(spec.type) && wanted.length >= MIN_SENTENCE_LENGTH ? findFileWithText(spec, subject) : undefined;
  if (source === undefined) return null;
  return { code: "EVAL-FILE-LEAK", message: `${source.path} contains "${wanted}", which ${spec.type} looks for.` };
}

function findFileWithText(spec: GraderSpec, { given, skills }: LintedStimulus): WorkspaceText | undefined {
  const all = [...given.texts, ...skills.flatMap(({ texts }) => texts)];
  return all.find(({ text }) => containsGraderText(spec, "substring", text));
}

function findPatternLeak(spec: GraderSpec, { asked, stimulus }: LintedStimulus): LeakIssue {
  const isWanted = spec.type === "output-matches" || spec.type === "transcript-matches";
  const isRefused = spec.type === "output-not-matches" || spec.type === "transcript-not-matches";
  if ((!isWanted && !isRefused) || !matchesGraderPattern(spec, asked)) return null;
  const pattern = getConfigText(spec, "pattern") ?? "";
  if (isWanted)
    return { code: "EVAL-PATTERN-PROMPT", message: `The pattern ${pattern} matches the prompt of "${stimulus.name}".` };
  const message = `The prompt of "${stimulus.name}" matches ${pattern}, which ${spec.type} forbids.`;
  return { code: "EVAL-PROMPT-FORBIDDEN", message };
}

/** Looking for text that the prompt asks for is fine if another grader notices when nothing else was done. */
function findFileLeak(spec: GraderSpec, { asked, stimulus }: LintedStimulus): LeakIssue {
  const repeats = ({ type, ...rest }: GraderSpec) =>
    type === "file-contains" && containsGraderText({ type, ...rest }, "value", asked);
  const isAll = stimulus.graders
    .filter(({ weight = 1, required = false }) => weight > 0 || required)
    .every((other) => repeats(other) || TRIVIAL_GRADERS.test(other.type));
  if (!repeats(spec) || !isAll) return null;
  const wanted = getConfigText(spec, "value") ?? "";
  const message = `The prompt of "${stimulus.name}" contains "${wanted}", and no grader checks more: a file with a copy of the task passes.`;
  return { code: "EVAL-PROMPT-LEAK", message };
}
