import type { Place } from "../../../utils/files/yaml-tree.js";
import { type LoadSpecOptions, readSpec } from "../../spec/read-spec.js";
import { commandRemarks } from "./command-remarks.js";
import { documentRemarks } from "./document-remarks.js";
import { environmentRemarks } from "./environment-remarks.js";
import { executorRemarks } from "./executor-remarks.js";
import { fileRemarks, type MetricKeys } from "./file-remarks.js";
import { GivenReader } from "./given-files.js";
import { goldenRemarks } from "./golden-remarks.js";
import { graderRemarks } from "./grader-remarks.js";
import { judgeRemarks } from "./judge-remarks.js";
import { leakRemarks } from "./leaks.js";
import { offerRemarks, underTestRemarks } from "./offer-remarks.js";
import { type EvalRemark, type Subject, subjectOf } from "./subject.js";
import { verdictRemarks } from "./verdict-remarks.js";

export interface LintEvalOptions extends Pick<LoadSpecOptions, "environments" | "registry"> {
  /** The keys of a summary, to check gates against. Default: gates are not checked for their names. */
  readonly metricKeys?: MetricKeys;
}

const OF_STIMULUS: readonly ((subject: Subject) => EvalRemark[])[] = [
  graderRemarks,
  verdictRemarks,
  leakRemarks,
  offerRemarks,
  commandRemarks,
  goldenRemarks,
];

/** Finds problems that keep an eval file from loading, and settings that would not do what was meant. */
export async function evalRemarks(file: string, { metricKeys, ...options }: LintEvalOptions): Promise<EvalRemark[]> {
  const { spec, problems, tree } = await readSpec(file, options);
  const known = tree.isBroken ? [] : documentRemarks(file, tree);
  const found = [...known];
  if (spec !== null) {
    const reader = new GivenReader();
    const subjects = await Promise.all(spec.stimuli.map((stimulus) => subjectOf(stimulus, { spec, tree, reader })));
    const evalFile = { spec, tree, metricKeys: metricKeys ?? null };
    const ofStimuli = subjects.flatMap((subject) => OF_STIMULUS.flatMap((remarksOf) => remarksOf(subject)));
    const others = [...ofStimuli, ...judgeRemarks(tree, spec.defaults.judgeModel)];
    const ofFile = [
      ...fileRemarks(evalFile),
      ...executorRemarks(evalFile),
      ...underTestRemarks(evalFile, subjects),
      // A skill under test that cannot be read is already reported.
      ...(await environmentRemarks(evalFile)).filter(({ message }) => !problems.some(({ text }) => text === message)),
    ];
    found.push(...ofFile.filter((remark) => !isSaid(remark, others)), ...others);
  }
  const unsaid = problems.filter((problem) => !found.some((remark) => isAt(remark, problem)));
  const schema = unsaid.map(({ text, ...place }): EvalRemark => ({ ...place, code: "EVAL-SCHEMA", message: text }));
  return once([...schema, ...found]);
}

/** Problems that keep a file from loading and have a code of their own. */
const SPECIFIC: ReadonlySet<string> = new Set([
  "EVAL-PATH-DEAD",
  "EVAL-STIMULUS-DUPLICATE",
  "EVAL-SKILL-NOT-OFFERED",
  "EVAL-TRIGGER-BOTH",
  "EVAL-JUDGE-MODEL",
  "EVAL-GATE-VALUE",
]);

function isAt(remark: EvalRemark, { line, column }: Place): boolean {
  return SPECIFIC.has(remark.code) && remark.line === line && remark.column === column;
}

/** Notes on a test case without graders, or with an unjudged rubric, are reported by other rules. */
function isSaid({ code, message }: EvalRemark, others: readonly EvalRemark[]): boolean {
  const [, name] = /^test case ("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
  if (code !== "EVAL-IGNORED" || name === undefined) return false;
  return others.some((other) => /^EVAL-(?:NO-GRADERS|RUBRIC-JUDGE)$/.test(other.code) && other.message.includes(name));
}

/** A grader of the file belongs to every test case; report its issues once. */
function once(remarks: readonly EvalRemark[]): EvalRemark[] {
  return [...new Map(remarks.map((remark) => [keyOf(remark), remark])).values()];
}

function keyOf({ code, line, column, message }: EvalRemark): string {
  return `${line}:${column}:${code}:${message.replaceAll(/ of "[^"]*"/g, "")}`;
}
