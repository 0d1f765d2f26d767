import type { DatasetGate } from "../../core/dataset.js";
import type { GateVerdict } from "../../core/registry.js";
import type { DatasetConfig, EvalResult, Summary } from "../../core/result.js";
import { type EvalRow, isScored } from "../../core/row.js";
import { type GateResult, heldAgainst } from "./gate-result.js";
import { type SkillLine, skillLine } from "./skill-line.js";
import { headlineK, type StimulusLine, stimulusLine } from "./stimulus-line.js";
import { type TriggerScore, triggerScore } from "./trigger-score.js";

/** What an eval found, stimulus by stimulus: what people, pull requests and CI are shown. */
export interface EvalReport {
  readonly schema: "assay.eval/1";
  readonly title: string;
  readonly run: string | null;
  /** One for each eval file and system. */
  readonly parts: readonly EvalPart[];
  /** Gates of the command that made the run, over all parts; those of eval files are in their parts. */
  readonly gates: readonly GateVerdict[];
  readonly notes: readonly string[];
}

/** One eval file as one system did it. */
export interface EvalPart {
  readonly eval: string;
  /** What is asked, in a word: stimuli come from eval files, examples from anywhere else. */
  readonly unit: "stimulus" | "example";
  readonly system: string;
  readonly planned: number;
  /** Trials that a pass or a failure came of. */
  readonly scored: number;
  readonly passed: number;
  readonly stimuli: readonly StimulusLine[];
  readonly skill: SkillLine;
  /** Null when there are no trigger tests. */
  readonly triggers: TriggerScore | null;
  readonly gates: readonly GateResult[];
  readonly passRate: number | null;
  readonly passRateInterval: readonly [number, number] | null;
  /** Of all its trials; null when it is not known. */
  readonly costUsd: number | null;
}

/**
 * The report of an eval, from the rows of a run.
 * @example
 * const { parts } = evalReport(result);
 * parts[0]?.stimuli.map(({ stimulus, passRate }) => [stimulus, passRate]);
 */
export function evalReport(result: EvalResult, gates: readonly GateVerdict[] = []): EvalReport {
  const { config, runDir, notes } = result;
  const parts = config.datasets.flatMap((dataset) => partsOf(result, dataset));
  return { schema: "assay.eval/1", title: config.title, run: runDir, parts, gates, notes };
}

/** What examples are called that come without the name of a dataset. */
export const UNNAMED = "examples";

function partsOf(result: EvalResult, dataset: DatasetConfig): EvalPart[] {
  const own = result.filter(({ dataset: name }) => dataset.tags.includes(name));
  return own.config.systems.map((system) => {
    const rows = own.rows.filter((row) => row.system === system);
    return partOf(rows, { dataset, system, summary: own.summary[system] ?? {} });
  });
}

interface About {
  dataset: DatasetConfig;
  system: string;
  summary: Summary;
}

function partOf(rows: readonly EvalRow[], { dataset, system, summary }: About): EvalPart {
  const gates: readonly DatasetGate[] = dataset.gates ?? [];
  const k = headlineK(rows, gates);
  const groups = byStimulus(rows);
  const stimuli = [...groups].map(([stimulus, own]) => stimulusLine(stimulus, own, k));
  const { pass_rate: rate = null, pass_rate_ci_low: low = null, pass_rate_ci_high: high = null } = summary;
  const scored = rows.filter(isScored).length;
  return {
    eval: dataset.name || UNNAMED,
    unit: dataset.terms === undefined ? "example" : "stimulus",
    system,
    planned: rows.length,
    scored,
    passed: rows.filter(({ passed }) => passed === true).length,
    stimuli,
    skill: skillLine(dataset.skill ?? null, groups),
    triggers: triggerScore(rows),
    gates: gates.map((gate) => heldAgainst(gate, summary)),
    passRate: scored === 0 ? null : rate,
    passRateInterval: low === null || high === null ? null : [low, high],
    costUsd: sumOf(rows.map(({ costUsd }) => costUsd)),
  };
}

/** In the order of the file. */
function byStimulus(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const groups = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const name = String(row.exampleId);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
