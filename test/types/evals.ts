import { defineEval, type EvalResult, type Example, evaluate, FunctionSystem, type Metric, type System } from "assay";

interface CityRow {
  question: string;
  city: string;
}
const rows: CityRow[] = [{ question: "Capital of France?", city: "Paris" }];

export const typed = defineEval({
  data: rows,
  system: (example) => example.city.toUpperCase(),
  evaluators: [
    "answer_quality",
    { same: ({ example, response }) => response === example.city },
    function named({ example, output }) {
      // @ts-expect-error: a row has no such field
      void example.ctiy;
      return output.response === example.city;
    },
  ],
  gates: { pass_rate: { min: 0.9 }, latency_p95: { max: 2 }, pass_hat_3: { min: 0.5 }, "dataset:x": { min: 1 } },
  trials: 3,
});

export const loaded = defineEval({
  data: async () => [{ question: "a", expected: { city: "Paris", population: 2 } }],
  map: { answer: "question" },
  systems: [{ echo: (example) => ({ response: example.expected.city }) }],
  evaluators: [{ large: ({ example }) => example.expected.population / 10 }],
});

export const spec = defineEval({
  data: "questions.jsonl",
  system: (example) => String(example.answer ?? example.anything),
});

export const models = defineEval({ data: "gsm8k", models: ["openai/gpt-5"], maxCost: 2 });

// @ts-expect-error: unknown key
defineEval({ data: rows, system: (example) => example.city, treshold: 0.9 });
// @ts-expect-error: a misspelled gate
defineEval({ data: rows, system: (example) => example.city, gates: { pas_rate: { min: 1 } } });
// @ts-expect-error: a misspelled field
defineEval({ data: rows, system: (example) => example.ctiy });
// @ts-expect-error: an evaluator returns a number, a boolean or scores
defineEval({ data: rows, system: (example) => example.city, evaluators: [{ wrong: () => "yes" }] });
// @ts-expect-error: questions are text
defineEval({ data: [{ question: 5 }], system: () => "" });

export async function readSummaries(): Promise<number | null> {
  const result = await evaluate({
    systems: [
      { name: "mine", process: (example) => ({ response: String(example.answer) }) },
      new FunctionSystem({ name: "other", fn: () => "" }),
    ],
    dataset: [{ id: 1, question: "2 + 2?", answer: "4" }],
    metrics: [{ name: "lines", compute: (given) => ({ lines: given.length }) }],
  });
  const rate: number | null = result.summary.mine.pass_rate;
  const low: number | null | undefined = result.summary.other.pass_rate_ci_low;
  const custom: number | null = result.summary.mine.lines;
  const open: number | null | undefined = result.summary.mine.pass_at_3;
  const sometimes: number | null | undefined = result.summary.mine.flaky_rate;
  // @ts-expect-error: a misspelled key
  void result.summary.mine.pas_rate;
  // @ts-expect-error: no such system
  void result.summary.theirs;
  // @ts-expect-error: not every run has it
  const always: number | null = result.summary.mine.pareto_rank;
  void [low, custom, open, sometimes, always];
  acceptAny(result);
  acceptAny(result.filter({ system: "mine" }));
  return rate;
}

function acceptAny(result: EvalResult): number {
  return result.rows.length;
}

/** What does not tell its names and keys stays open. */
export async function readOpenSummaries(systems: readonly System[], metrics: readonly Metric[]): Promise<unknown> {
  const result = await evaluate({ systems, dataset: [], metrics });
  // @ts-expect-error: the system may not exist
  void result.summary.mine.pass_rate;
  return result.summary.mine?.anything;
}

export async function readOnlySummaries(metrics: readonly Metric[]): Promise<unknown> {
  const mine = { name: "mine", process: () => ({ response: "" }) } as const;
  const result = await evaluate({ systems: [mine], dataset: [], metrics: { only: metrics } });
  // @ts-expect-error: the standard metrics were replaced
  const always: number | null = result.summary.mine.pass_rate;
  return always;
}

export const getCity = (example: Example<{ city: string }>): string => example.city;
export const getField = (example: Example): unknown => example.anything;
