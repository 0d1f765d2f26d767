import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { DatasetGate } from "../../../core/index.js";
import { didYouMean } from "../../../core/index.js";
import type { FilePosition, KeyPath, YamlTree } from "../../../utils/index.js";
import { findGateProblem, isAlwaysMet } from "../../spec/gates.js";
import type { EvalSpec, Stimulus } from "../../spec/spec.js";
import { checkTimeout } from "./grader-issues.js";
import type { EvalIssue } from "./linted-stimulus.js";
import { getDocumentList, toDocumentFields } from "./locations.js";

/** Finds repeated names and missing paths in an eval file. */
export function findDocumentIssues(file: string, tree: YamlTree): EvalIssue[] {
  const dir = dirname(resolve(file));
  const dead = collectNamedPaths(tree.value)
    .filter(({ name, inside = "" }) => !existsSync(join(resolve(dir, name), inside)))
    .map(({ name, path, what }): EvalIssue => {
      return { ...tree.locate(path), code: "EVAL-PATH-DEAD", message: `${what} ${name} does not exist.` };
    });
  return [...findRepeatedStimulusNames(tree), ...dead];
}

function findRepeatedStimulusNames(tree: YamlTree): EvalIssue[] {
  const names = getDocumentList(tree.value, "stimuli").map((stimulus) => toDocumentFields(stimulus).name);
  return names.flatMap((name, index): EvalIssue[] => {
    if (typeof name !== "string" || names.indexOf(name) === index) return [];
    const place = tree.locate(["stimuli", index, "name"]);
    return [{ ...place, code: "EVAL-STIMULUS-DUPLICATE", message: `The name "${name}" is used by another test case.` }];
  });
}

/** A path that a file names. */
interface NamedPath {
  readonly name: string;
  readonly path: KeyPath;
  readonly what: string;
  /** A file that must exist inside of the path. */
  readonly inside?: string;
}

function collectNamedPaths(document: unknown): NamedPath[] {
  const { skill, environment } = toDocumentFields(document);
  return [
    ...toSkillPath(skill, ["skill"]),
    ...collectEnvironmentPaths(environment, ["environment"]),
    ...getDocumentList(document, "stimuli").flatMap((stimulus, index) =>
      collectStimulusPaths(toDocumentFields(stimulus), ["stimuli", index]),
    ),
  ];
}

function collectStimulusPaths(
  { environment, golden_patch: patch }: Readonly<Record<string, unknown>>,
  path: KeyPath,
): NamedPath[] {
  const isPath = typeof patch === "string";
  const name = isPath ? patch : toDocumentFields(patch).path;
  const at = [...path, "golden_patch", ...(isPath ? [] : ["path"])];
  return [...toNamedPath(name, at, "golden patch"), ...collectEnvironmentPaths(environment, [...path, "environment"])];
}

function collectEnvironmentPaths(environment: unknown, path: KeyPath): NamedPath[] {
  const { url } = toDocumentFields(toDocumentFields(environment).git);
  return [
    ...(isLocalRepository(url) ? toNamedPath(url, [...path, "git", "url"], "repository") : []),
    ...getDocumentList(environment, "files").flatMap((file, index) =>
      toNamedPath(toDocumentFields(file).src, [...path, "files", index, "src"], "file or folder"),
    ),
    ...getDocumentList(environment, "skills").flatMap((skill, index) => toSkillPath(skill, [...path, "skills", index])),
  ];
}

/** Like git: a URL has a scheme, or a host before a colon; anything else is a path. */
function isLocalRepository(url: unknown): url is string {
  return typeof url === "string" && (isAbsolute(url) || !/^[^/]*:/.test(url));
}

/** A skill is named by its folder or by its SKILL.md. */
function toSkillPath(name: unknown, path: KeyPath): NamedPath[] {
  const [found] = toNamedPath(name, path, "skill");
  if (found === undefined) return [];
  return [/(?:^|\/)SKILL\.md$/.test(found.name) ? found : { ...found, inside: "SKILL.md" }];
}

function toNamedPath(name: unknown, path: KeyPath, what: string): NamedPath[] {
  return typeof name === "string" && name !== "" ? [{ name, path, what }] : [];
}

/** Returns the keys of a run's summary, given the number of trials of each test case. */
export type MetricKeys = (runs: number) => ReadonlySet<string>;

export interface LintedEvalFile {
  readonly spec: EvalSpec;
  readonly tree: YamlTree;
  /** Null if unknown: then no gate is rejected for its name. */
  readonly metricKeys: MetricKeys | null;
}

export function findFileIssues(file: LintedEvalFile): EvalIssue[] {
  return [...convertNotes(file), ...findGateIssues(file), ...findTriggerIssues(file), ...findTimeoutIssues(file)];
}

function convertNotes({ spec, tree }: LintedEvalFile): EvalIssue[] {
  return spec.notes.map((note) => {
    // Notes begin with the key they are about, if there is one.
    const [keys = ""] = /^[\w$.]+(?=:? )/.exec(note) ?? [];
    return { ...tree.locateKey(keys.split(".")), code: "EVAL-IGNORED", message: `${note.replace(/\.$/, "")}.` };
  });
}

function findGateIssues({ spec, tree, metricKeys }: LintedEvalFile): EvalIssue[] {
  const { gate, gates: alias = gate } = toDocumentFields(tree.value);
  // Default gates are not the author's, so they are not checked.
  if (alias === undefined) return [];
  const isList = Array.isArray(alias);
  const key = gate === undefined ? "gates" : "gate";
  const { runs } = spec.defaults;
  return spec.gates.flatMap((one, index) => {
    const placeOf = (inner: string) => tree.locate([key, ...(isList ? [index] : []), inner]);
    return [
      ...checkGateMetric(one, { place: placeOf("metric"), runs, known: metricKeys?.(runs) }),
      ...checkGateValue(one, placeOf("value")),
    ];
  });
}

interface GateContext {
  readonly place: FilePosition;
  readonly runs: number;
  readonly known: ReadonlySet<string> | undefined;
}

function checkGateMetric({ metric }: DatasetGate, { place, runs, known }: GateContext): EvalIssue[] {
  const k = Number(/^pass_(?:at|hat)_(\d+)$/.exec(metric)?.[1] ?? 1);
  if (k > runs) {
    const message = `The gate on ${metric} needs ${k} trials of each test case, but defaults.runs is ${runs}.`;
    return [{ ...place, code: "EVAL-GATE-RUNS", message, fix: `Set defaults.runs to ${k} or more.` }];
  }
  if (known === undefined || known.has(metric)) return [];
  const guess = /Did you mean "[^"]*"\?/.exec(didYouMean(metric, known))?.[0];
  const message = [`No summary has the metric "${metric}".`, guess].filter((text) => text !== undefined).join(" ");
  return [{ ...place, code: "EVAL-GATE-METRIC", message }];
}

function checkGateValue(gate: DatasetGate, place: FilePosition): EvalIssue[] {
  const { metric, op, value } = gate;
  const always = isAlwaysMet(gate) ? `the gate ${metric} ${op} ${value} is always met.` : null;
  const problem = findGateProblem(gate) ?? always;
  return problem === null ? [] : [{ ...place, code: "EVAL-GATE-VALUE", message: problem.replace(/^the /, "The ") }];
}

function findTriggerIssues({ spec: { stimuli } }: LintedEvalFile): EvalIssue[] {
  const promptOf = ({ prompt }: Stimulus) => prompt.trim().replace(/\s+/g, " ").toLowerCase();
  const should = new Set(stimuli.filter(({ trigger }) => trigger === "should").map(promptOf));
  return stimuli
    .filter((stimulus) => stimulus.trigger === "should_not" && should.has(promptOf(stimulus)))
    .map(({ prompt, line, column }) => ({
      line,
      column,
      code: "EVAL-TRIGGER-BOTH",
      message: `"${prompt.trim()}" is listed under both should and should_not.`,
    }));
}

function findTimeoutIssues({ spec, tree }: LintedEvalFile): EvalIssue[] {
  const message = checkTimeout(spec.defaults.timeoutMs);
  if (message === null) return [];
  return [{ ...tree.locate(["defaults", "timeout"]), code: "EVAL-TIME-SHORT", message }];
}
