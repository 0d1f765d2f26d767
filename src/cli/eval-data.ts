import {
  DatasetError,
  describeError,
  describeValue,
  type Example,
  IdDeduplicator,
  type LoadedExamples,
  type LoadOptions,
  ModuleError,
  UsageError,
} from "../core/index.js";
import { convertRow } from "../datasets/index.js";
import type { EvalDefinition } from "./define-eval.js";
import type { RunConfig } from "./run-config.js";

type Rows = Iterable<unknown> | AsyncIterable<unknown>;

interface DataContext {
  readonly path: string;
  /** The name of the eval, and so of its dataset. */
  readonly name: string;
}

/** The `data` of an eval as a dataset, which is read like a file: with --map, -n, --filter and so on. */
export function toEvalDataset(
  data: EvalDefinition["data"],
  about: DataContext,
): NonNullable<RunConfig["datasets"]>[number] {
  if (typeof data === "string") return data;
  if (isObject(data) && "examples" in data) return data;
  if (typeof data !== "function" && !isRows(data))
    throw new UsageError(
      `${about.path}: data is ${describeValue(data)}. Give rows, a function that returns rows, or a dataset by name or file.`,
    );
  return {
    name: about.name,
    load: async (options) => readRows(typeof data === "function" ? await callData(data, about) : data, about, options),
  };
}

async function callData(data: () => unknown, { path }: DataContext): Promise<Rows> {
  const rows = await Promise.resolve()
    .then(data)
    .catch((cause: unknown) => {
      throw new ModuleError(`data() of ${path} failed: ${describeError(cause)}`, { cause });
    });
  if (isRows(rows)) return rows;
  throw new ModuleError(`data() of ${path} returned ${describeValue(rows)}, not rows.`);
}

async function readRows(rows: Rows, { path, name }: DataContext, options: LoadOptions): Promise<LoadedExamples> {
  const examples: Example[] = [];
  const bad: string[] = [];
  const repeated = new IdDeduplicator();
  const ids = new Set<string | number>();
  const makeUnique = ({ example, idFromContent }: { example: Example; idFromContent: boolean }) => {
    if (idFromContent) example.id = repeated.makeUnique(String(example.id), (id) => ids.has(id));
    ids.add(example.id);
    return example;
  };
  let position = 0;
  for await (const row of rows) {
    position += 1;
    const found = isObject(row)
      ? convertRow({ ...row }, { dataset: name, ...(options.map && { map: options.map }) })
      : { problem: `is ${describeValue(row)}, not an object` };
    if ("example" in found) examples.push(makeUnique(found));
    else bad.push(`row ${position} of ${path}: ${found.problem}`);
    if (bad[0] !== undefined && options.skipBadRows !== true)
      throw new DatasetError(`${bad[0]}. Fix the row, or pass --skip-bad-rows (skipBadRows: true) to skip bad rows.`);
  }
  const [first] = bad;
  return {
    examples,
    ...(first === undefined
      ? {}
      : { notes: [`${bad.length} bad row${bad.length === 1 ? "" : "s"} skipped (first: ${first})`] }),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRows(value: unknown): value is Rows {
  return typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}
