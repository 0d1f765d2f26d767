import { rowSelection, TRIAL_KEY_SQL } from "./row-lines.js";
import { TRIAL_COLUMNS_BESIDE_ROWS } from "./schema.js";

const [, DATASET = "", KEY = "", TRIAL = ""] = TRIAL_KEY_SQL;

/** The rows with the columns of `rows`, and `example_key`, which tells `1` from `"1"`. */
export function rowLinesSql(lines: string): string {
  return `select ${rowSelection()}, ${KEY} as example_key from (${lines}) l join stored.files f on f.path = l.from_file`;
}

/** The outputs by trial. Large ones stand in files of their own, which their lines name. */
export function outputLinesSql(lines: string, files: string): string {
  const side = "f.dir || '/' || replace(l.file, '\\', '/')";
  const said = ["output", "evidence", "grades"].map((name) => `coalesce(l.${name}, s.${name}) as ${name}`);
  return `select f.run, l.system, ${DATASET.replace("dataset", "l.dataset")} as dataset, l.${KEY} as example_key, ${TRIAL.replace("trial", "l.trial")} as trial, ${said.join(", ")} from (${lines}) l join stored.files f on f.path = l.from_file left join (${files}) s on s.path = ${side}`;
}

/** The examples of the runs that keep them. */
export function exampleLinesSql(lines: string): string {
  return `select f.run, ${DATASET} as dataset, id as example_key, question, coalesce(answer, answers[1]) as answer from (${lines}) l join stored.files f on f.path = l.from_file`;
}

/** `trials`: rows, with everything that was written down beside them. */
export function trialsSql(): string {
  const beside = TRIAL_COLUMNS_BESIDE_ROWS.map(([name]) => `${BESIDE[name] ?? `o.${name}`} as ${name}`);
  const same = (other: string, columns: readonly string[]) =>
    columns.map((column) => `r.${column} = ${other}.${column}`).join(" and ");
  const example = ["run", "dataset", "example_key"];
  return `select r.* exclude (example_key), ${beside.join(", ")} from stored.row_lines r left join stored.output_lines o on ${same("o", [...example, "system", "trial"])} left join stored.example_lines e on ${same("e", example)}`;
}

const BESIDE: Readonly<Record<string, string>> = {
  question: "e.question",
  answer: "e.answer",
  response: "o.output->>'response'",
  context: "o.output->>'context'",
};

/** What a class costs at price `p`, in pico-dollars. Reasoning is a part of output, and billed with it. */
const CLASSES: Readonly<Record<string, string>> = {
  input: "usage.input * p.input",
  output: "usage.output * p.output",
  cache_read: "usage.cache_read * p.cache_read",
  cache_write:
    "(usage.cache_write - coalesce(usage.cache_write_1h, 0)) * p.cache_write + coalesce(usage.cache_write_1h, 0) * p.cache_write_1h",
  reasoning: "null::double",
};

/**
 * `usage`: a line for each class that was reported. Where a price depends on the length of a prompt, it is known for
 * trials of one call only.
 */
export function usageSql(): string {
  const prompt = "r.usage.input + coalesce(r.usage.cache_read, 0) + coalesce(r.usage.cache_write, 0)";
  const price = `case when len(s.prices) = 1 or coalesce(r.turns, 1) <= 1 then list_filter(s.prices, lambda x: ${prompt} > x."over")[1] end`;
  const lines = Object.entries(CLASSES).map(
    ([name, cost]) => `{'class': '${name}', 'tokens': usage.${name}, 'cost_usd': (${cost}) / 1e12}`,
  );
  const priced = `select r.run, r.created_at, r.system, coalesce(s.model, r.metadata->>'model') as model, r.dataset, r.example_id, r.trial, r.usage, ${price} as p from stored.row_lines r left join stored.systems s on s.run = r.run and s.system = r.system where r.usage is not null`;
  const unfolded = `select * exclude (usage, p), unnest([${lines.join(", ")}]) as u from (${priced})`;
  return `select * exclude (u), u.class as class, u.tokens as tokens, u.cost_usd as cost_usd from (${unfolded}) where u.tokens is not null`;
}
