import type { WrittenGrader } from "./places.js";
import { counts, type EvalRemark, type Subject } from "./subject.js";

/** Finds trials that cannot pass or cannot fail, and graders without influence. */
export function verdictRemarks(subject: Subject): EvalRemark[] {
  const { stimulus, model, isWhole } = subject;
  if (stimulus.graders.length === 0 || !isWhole) return [];
  if (!model.canPass) return [unreachable(subject)];
  const isSure = stimulus.threshold !== null && !model.canFail;
  return [
    ...(isSure ? [everythingPasses(subject)] : []),
    ...contradictions(subject),
    ...fated(subject),
    ...(isSure ? [] : powerless(subject)),
  ];
}

function unreachable(subject: Subject): EvalRemark {
  const { stimulus, model, placeOf } = subject;
  const reasons = [
    ...model.exclusions.map(({ pair: [a, b], why }) => `${titleOf(subject, a)} and ${titleOf(subject, b)}: ${why}`),
    ...model.voters.flatMap(({ fate }, i) => (fate?.passes === false ? [`${titleOf(subject, i)}: ${fate.why}`] : [])),
  ];
  const message = `No trial of "${stimulus.name}" can pass: ${reasons.join("; ")}.`;
  const [first] = model.exclusions;
  const index = first?.pair[1] ?? model.voters.findIndex(({ fate }) => fate?.passes === false);
  return { ...(subject.graders[index]?.placeOf() ?? placeOf()), code: "EVAL-UNREACHABLE", message };
}

function everythingPasses({ stimulus, model, placeOf }: Subject): EvalRemark {
  const sure = model.voters.filter(({ fate }) => fate?.passes === true).map(({ spec }) => spec.name ?? spec.type);
  const why = sure.length === 0 ? "" : ` with ${sure.join(", ")} alone`;
  const message = `Every trial of "${stimulus.name}" reaches the threshold ${stimulus.threshold ?? 0}${why}.`;
  return { ...placeOf("threshold"), code: "EVAL-THRESHOLD-LOW", message };
}

function contradictions(subject: Subject): EvalRemark[] {
  return subject.model.exclusions
    .filter(({ pair }) => pair.every((index) => isCounted(subject, index)))
    .map(({ pair: [a, b], why }) => ({
      ...placeAt(subject, b),
      code: "EVAL-CONTRADICTION",
      message: `${titleOf(subject, a)} and ${titleOf(subject, b)} contradict each other: ${why}.`,
    }));
}

function fated(subject: Subject): EvalRemark[] {
  return subject.model.voters.flatMap(({ fate }, index): EvalRemark[] => {
    if (fate === null || !isCounted(subject, index)) return [];
    const code = fate.passes ? "EVAL-ALWAYS-PASSES" : "EVAL-NEVER-PASSES";
    const says = fate.passes ? "passes" : "fails";
    const message = `${titleOf(subject, index)} ${says} whatever the agent does: ${fate.why}.`;
    return [{ ...placeAt(subject, index), code, message }];
  });
}

function powerless(subject: Subject): EvalRemark[] {
  const { model, graders, stimulus } = subject;
  return graders.flatMap((grader, index): EvalRemark[] => {
    const isKnown = model.voters[index]?.fate !== null && counts(grader);
    if (isKnown || isExcluded(subject, index) || model.hasSay(index)) return [];
    const { weight = 1 } = grader.spec;
    const why =
      weight === 0
        ? "it has the weight 0 and is not required"
        : `with the weight ${weight} it never lifts the score over the threshold ${stimulus.threshold ?? 1}`;
    const message = `${titleOf(subject, index)} cannot change the verdict: ${why}.`;
    return [{ ...grader.placeOf("weight"), code: "EVAL-INERT-GRADER", message }];
  });
}

/** A contradiction is reported by itself; that one grader has no influence follows from it. */
function isExcluded({ model }: Subject, index: number): boolean {
  return model.exclusions.some(({ pair }) => pair.includes(index));
}

function isCounted({ graders }: Subject, index: number): boolean {
  const grader = graders[index];
  return grader !== undefined && counts(grader);
}

function titleOf({ graders }: Subject, index: number): string {
  return graders[index]?.title ?? `grader ${index + 1}`;
}

function placeAt({ graders, placeOf }: Subject, index: number): ReturnType<WrittenGrader["placeOf"]> {
  return graders[index]?.placeOf() ?? placeOf();
}
