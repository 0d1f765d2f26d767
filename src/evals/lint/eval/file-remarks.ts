import type { DatasetGate } from "../../../core/dataset.js";
import { didYouMean } from "../../../core/suggest.js";
import type { FilePosition, YamlTree } from "../../../utils/files/yaml-tree.js";
import { findGateProblem, isAlwaysMet } from "../../spec/gates.js";
import type { EvalSpec, Stimulus } from "../../spec/spec.js";
import { checkTimeout } from "./grader-remarks.js";
import { toDocumentFields } from "./places.js";
import type { EvalIssue } from "./subject.js";

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
