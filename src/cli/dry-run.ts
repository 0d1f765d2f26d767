import type { Tokenizer } from "../core/tokenizer.js";
import { plural } from "../report/format.js";
import { oneLine } from "../report/markdown.js";
import type { Plan } from "../runner/plan.js";
import { inputTokens } from "../runner/record.js";
import { detectableDifference } from "../stats/index.js";

/** A plan before anything is spent: how much work it is, and what it will be able to tell apart. */
interface PlanReport {
  schema: "assay.plan/1";
  planned: number;
  systems: string[];
  datasets: { name: string; examples: number; evaluators: string[]; passField: string | null }[];
  examples: number;
  trials: number;
  threshold: number;
  inputTokens: number;
  /** Between two pass rates, at 80 % power and the 5 % level; null when one example can tell nothing apart. */
  detectableDifference: number | null;
  notes: readonly string[];
}

/** The plan as text for people, or as JSON when that is the output asked for. */
export function describePlan(plan: Plan, { tokenizer, output }: { tokenizer: Tokenizer; output: string }): string {
  const report = reportOf(plan, tokenizer);
  return output === "json" ? `${JSON.stringify(report, null, 2)}\n` : inWords(report);
}

function reportOf(plan: Plan, tokenizer: Tokenizer): PlanReport {
  const { trials, systems } = plan;
  const n = plan.examples.length;
  const count = (text: string) => tokenizer.count(text);
  const perRound = plan.examples.reduce(
    (total, example) => total + (example === null ? 0 : inputTokens(example, count)),
    0,
  );
  return {
    schema: "assay.plan/1",
    planned: plan.total,
    systems: systems.map(({ name }) => name),
    datasets: plan.wirings.map((wiring) => ({
      name: wiring.dataset || "examples",
      examples: plan.wiringOf.filter((index) => plan.wirings[index] === wiring).length,
      evaluators: wiring.evaluators.map(({ name }) => name),
      passField: wiring.forcedField ?? wiring.primaryFields?.[0] ?? null,
    })),
    examples: n,
    trials,
    threshold: plan.threshold,
    inputTokens: perRound * systems.length * trials,
    detectableDifference: n < 2 ? null : detectableDifference({ n, trialsA: trials, trialsB: trials }),
    notes: plan.notes,
  };
}

function inWords(report: PlanReport): string {
  const { systems, datasets, examples, trials, planned, threshold, detectableDifference: difference } = report;
  const lines = [
    `${plural(systems.length, "system")} × ${plural(examples, "example")} × ${plural(trials, "trial")} = ${plural(planned, "planned trial")}`,
    `systems: ${systems.join(", ")}`,
    ...datasets.map((dataset) => {
      const field = dataset.passField ?? "the first evaluator's first field";
      return `dataset ${dataset.name}: ${plural(dataset.examples, "example")}, evaluators ${dataset.evaluators.join(", ") || "none"}, pass = ${field} ≥ ${threshold}`;
    }),
    `input: about ${report.inputTokens} tokens`,
    difference === null
      ? "one example: no difference between systems can be told from chance"
      : `smallest difference between two pass rates that this design finds (80 % power, 5 % level): ${(difference * 100).toFixed(1)} points`,
    ...report.notes,
  ];
  return `${lines.map((line) => `- ${oneLine(line)}`).join("\n")}\n`;
}
