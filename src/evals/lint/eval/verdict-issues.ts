import { type EvalIssue, hasInfluence, type LintedStimulus } from "./linted-stimulus.js";
import type { WrittenGrader } from "./locations.js";

/** Finds trials that cannot pass or cannot fail, and graders without influence. */
export function findVerdictIssues(subject: LintedStimulus): EvalIssue[] {
  const { stimulus, model, isWhole } = subject;
  if (stimulus.graders.length === 0 || !isWhole) return [];
  if (!model.canPass) return [reportUnreachablePass(subject)];
  const isSure = stimulus.threshold !== null && !model.canFail;
  return [
    ...(isSure ? [reportCertainPass(subject)] : []),
    ...findContradictions(subject),
    ...findConstantGraders(subject),
    ...(isSure ? [] : findPowerlessGraders(subject)),
  ];
}

function reportUnreachablePass(subject: LintedStimulus): EvalIssue {
  const { stimulus, model, placeOf } = subject;
  const reasons = [
    ...model.exclusions.map(
      ({ pair: [a, b], why }) => `${getGraderTitle(subject, a)} and ${getGraderTitle(subject, b)}: ${why}`,
    ),
    ...model.voters.flatMap(({ fate }, i) =>
      fate?.passes === false ? [`${getGraderTitle(subject, i)}: ${fate.why}`] : [],
    ),
  ];
  const message = `No trial of "${stimulus.name}" can pass: ${reasons.join("; ")}.`;
  const [first] = model.exclusions;
  const index = first?.pair[1] ?? model.voters.findIndex(({ fate }) => fate?.passes === false);
  return { ...(subject.graders[index]?.placeOf() ?? placeOf()), code: "EVAL-UNREACHABLE", message };
}

function reportCertainPass({ stimulus, model, placeOf }: LintedStimulus): EvalIssue {
  const sure = model.voters.filter(({ fate }) => fate?.passes === true).map(({ spec }) => spec.name ?? spec.type);
  const why = sure.length === 0 ? "" : ` with ${sure.join(", ")} alone`;
  const message = `Every trial of "${stimulus.name}" reaches the threshold ${stimulus.threshold ?? 0}${why}.`;
  return { ...placeOf("threshold"), code: "EVAL-THRESHOLD-LOW", message };
}

function findContradictions(subject: LintedStimulus): EvalIssue[] {
  return subject.model.exclusions
    .filter(({ pair }) => pair.every((index) => isCountedGrader(subject, index)))
    .map(({ pair: [a, b], why }) => ({
      ...locateGrader(subject, b),
      code: "EVAL-CONTRADICTION",
      message: `${getGraderTitle(subject, a)} and ${getGraderTitle(subject, b)} contradict each other: ${why}.`,
    }));
}

function findConstantGraders(subject: LintedStimulus): EvalIssue[] {
  return subject.model.voters.flatMap(({ fate }, index): EvalIssue[] => {
    if (fate === null || !isCountedGrader(subject, index)) return [];
    const code = fate.passes ? "EVAL-ALWAYS-PASSES" : "EVAL-NEVER-PASSES";
    const says = fate.passes ? "passes" : "fails";
    const message = `${getGraderTitle(subject, index)} ${says} whatever the agent does: ${fate.why}.`;
    return [{ ...locateGrader(subject, index), code, message }];
  });
}

function findPowerlessGraders(subject: LintedStimulus): EvalIssue[] {
  const { model, graders, stimulus } = subject;
  return graders.flatMap((grader, index): EvalIssue[] => {
    const isKnown = model.voters[index]?.fate !== null && hasInfluence(grader);
    if (isKnown || isInExclusion(subject, index) || model.canChangeVerdict(index)) return [];
    const { weight = 1 } = grader.spec;
    const why =
      weight === 0
        ? "it has the weight 0 and is not required"
        : `with the weight ${weight} it never lifts the score over the threshold ${stimulus.threshold ?? 1}`;
    const message = `${getGraderTitle(subject, index)} cannot change the verdict: ${why}.`;
    return [{ ...grader.placeOf("weight"), code: "EVAL-INERT-GRADER", message }];
  });
}

/** A contradiction is reported by itself; that one grader has no influence follows from it. */
function isInExclusion({ model }: LintedStimulus, index: number): boolean {
  return model.exclusions.some(({ pair }) => pair.includes(index));
}

function isCountedGrader({ graders }: LintedStimulus, index: number): boolean {
  const grader = graders[index];
  return grader !== undefined && hasInfluence(grader);
}

function getGraderTitle({ graders }: LintedStimulus, index: number): string {
  return graders[index]?.title ?? `grader ${index + 1}`;
}

function locateGrader({ graders, placeOf }: LintedStimulus, index: number): ReturnType<WrittenGrader["placeOf"]> {
  return graders[index]?.placeOf() ?? placeOf();
}
