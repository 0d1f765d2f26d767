import type { Tokenizer } from "../core/tokenizer.js";
import { plural } from "../report/format.js";
import type { Plan } from "../runner/plan.js";
import { detectableDifference } from "../stats/index.js";

/** Describes a plan before anything is spent: how much work it is, and what it will be able to tell apart. */
export function describePlan(plan: Plan, tokenizer: Tokenizer): string {
  const examples = plan.examples.length;
  const perRound = plan.examples.reduce(
    (total, example) => total + tokenizer.count(`${example?.context ?? ""}${example?.question ?? ""}`),
    0,
  );
  const lines = [
    `${plural(plan.systems.length, "system")} × ${plural(examples, "example")} × ${plural(plan.trials, "trial")} = ${plural(plan.total, "planned trial")}`,
    `systems: ${plan.systems.map(({ name }) => name).join(", ")}`,
    ...plan.wirings.map((wiring) => {
      const count = plan.wiringOf.filter((index) => plan.wirings[index] === wiring).length;
      const field = wiring.forcedField ?? wiring.primaryFields?.[0] ?? "the first evaluator's first field";
      return `dataset ${wiring.dataset || "examples"}: ${plural(count, "example")}, evaluators ${wiring.evaluators.map(({ name }) => name).join(", ") || "none"}, pass = ${field} ≥ ${plan.threshold}`;
    }),
    `input: about ${perRound * plan.systems.length * plan.trials} tokens`,
    detectable(examples, plan.trials),
    ...plan.notes,
  ];
  return `${lines.map((line) => `- ${line}`).join("\n")}\n`;
}

function detectable(examples: number, trials: number): string {
  if (examples < 2) return "one example: no difference between systems can be told from chance";
  const difference = detectableDifference({ n: examples, trialsA: trials, trialsB: trials });
  return `smallest difference between two pass rates that this design finds (80 % power, 5 % level): ${(difference * 100).toFixed(1)} points`;
}
