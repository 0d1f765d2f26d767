import type { FilePosition } from "../../../utils/index.js";
import { type LoadSpecOptions, readSpec } from "../../spec/read-spec.js";
import { findExecutorIssues, findOfferIssues, findUnofferedSkillIssues } from "./agent-issues.js";
import { EnvironmentFileReader } from "./environment-files.js";
import { findEnvironmentIssues, findGoldenPatchIssues } from "./environment-issues.js";
import { findDocumentIssues, findFileIssues, type MetricKeys } from "./file-issues.js";
import { findCommandIssues, findGraderIssues, findJudgeIssues } from "./grader-issues.js";
import { findLeakIssues } from "./leak-issues.js";
import { type EvalIssue, type LintedStimulus, prepareStimulus } from "./linted-stimulus.js";
import { findVerdictIssues } from "./verdict-issues.js";

export interface LintEvalOptions extends Pick<LoadSpecOptions, "environments" | "registry"> {
  /** The keys of a summary, to check gates against. Default: gates are not checked for their names. */
  readonly metricKeys?: MetricKeys;
}

const STIMULUS_CHECKS: readonly ((subject: LintedStimulus) => EvalIssue[])[] = [
  findGraderIssues,
  findVerdictIssues,
  findLeakIssues,
  findOfferIssues,
  findCommandIssues,
  findGoldenPatchIssues,
];

/** Finds problems that keep an eval file from loading, and settings that would not do what was meant. */
export async function lintEval(file: string, { metricKeys, ...options }: LintEvalOptions): Promise<EvalIssue[]> {
  const { spec, problems, tree } = await readSpec(file, options);
  const known = tree.isBroken ? [] : findDocumentIssues(file, tree);
  const found = [...known];
  if (spec !== null) {
    const reader = new EnvironmentFileReader();
    const subjects = await Promise.all(
      spec.stimuli.map((stimulus) => prepareStimulus(stimulus, { spec, tree, reader })),
    );
    const evalFile = { spec, tree, metricKeys: metricKeys ?? null };
    const ofStimuli = subjects.flatMap((subject) => STIMULUS_CHECKS.flatMap((remarksOf) => remarksOf(subject)));
    const others = [...ofStimuli, ...findJudgeIssues(tree, spec.defaults.judgeModel)];
    const ofFile = [
      ...findFileIssues(evalFile),
      ...findExecutorIssues(evalFile),
      ...findUnofferedSkillIssues(evalFile, subjects),
      // A skill under test that cannot be read is already reported.
      ...(await findEnvironmentIssues(evalFile)).filter(
        ({ message }) => !problems.some(({ text }) => text === message),
      ),
    ];
    found.push(...ofFile.filter((remark) => !isReportedElsewhere(remark, others)), ...others);
  }
  const unsaid = problems.filter((problem) => !found.some((remark) => isAtPlace(remark, problem)));
  const schema = unsaid.map(({ text, ...place }): EvalIssue => ({ ...place, code: "EVAL-SCHEMA", message: text }));
  return removeDuplicates([...schema, ...found]);
}

/** Problems that keep a file from loading and have a code of their own. */
const SPECIFIC_CODES: ReadonlySet<string> = new Set([
  "EVAL-PATH-DEAD",
  "EVAL-STIMULUS-DUPLICATE",
  "EVAL-SKILL-NOT-OFFERED",
  "EVAL-TRIGGER-BOTH",
  "EVAL-JUDGE-MODEL",
  "EVAL-GATE-VALUE",
]);

function isAtPlace(remark: EvalIssue, { line, column }: FilePosition): boolean {
  return SPECIFIC_CODES.has(remark.code) && remark.line === line && remark.column === column;
}

/** Notes on a test case without graders, or with an unjudged rubric, are reported by other rules. */
function isReportedElsewhere({ code, message }: EvalIssue, others: readonly EvalIssue[]): boolean {
  const [, name] = /^test cases? ("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
  if (code !== "EVAL-IGNORED" || name === undefined) return false;
  return others.some((other) => /^EVAL-(?:NO-GRADERS|RUBRIC-JUDGE)$/.test(other.code) && other.message.includes(name));
}

/** A grader of the file belongs to every test case; report its issues once. */
function removeDuplicates(remarks: readonly EvalIssue[]): EvalIssue[] {
  return [...new Map(remarks.map((remark) => [formatIssueKey(remark), remark])).values()];
}

function formatIssueKey({ code, line, column, message }: EvalIssue): string {
  return `${line}:${column}:${code}:${message.replaceAll(/ of "[^"]*"/g, "")}`;
}
