import { basename, resolve } from "node:path";
import { type EvalConfig, type HistoryAdjustments, type TaskRate, UsageError } from "../core/index.js";
import { type AdjustedPair, type AdjustedRun, adjustDifference, adjustRun } from "../metrics/index.js";
import { formatPlural } from "../report/index.js";
import {
  type CountedRun,
  findRun,
  listStoredRuns,
  readExamples,
  readManifest,
  readQuarantine,
  readTaskRates,
} from "../store/index.js";
import { printNote } from "./streams.js";

/** Which stored runs tell how hard tasks are. */
interface HistorySource {
  runsDir: string;
  /** True for all stored runs; else their names. */
  names: readonly string[] | true;
}

/** A run that is reported. */
interface ReportedRun extends AdjustedRun {
  runDir: string;
}

/** The figures of a run, adjusted for how hard its tasks are by other stored runs. */
export async function adjustStoredRun(run: ReportedRun, source: HistorySource): Promise<HistoryAdjustments> {
  const { rates, notes } = await readHistory([run], source);
  return { systems: adjustRun(run, rates), notes };
}

/** The differences of pairs of systems, adjusted likewise. */
export async function adjustStoredPairs(
  pairs: readonly AdjustedPair[],
  runs: readonly ReportedRun[],
  source: HistorySource,
): Promise<HistoryAdjustments> {
  const { rates, notes } = await readHistory(runs, source);
  return { systems: pairs.flatMap((pair) => adjustDifference(pair, rates)), notes };
}

/**
 * Reads how hard tasks are by stored runs of the same datasets. Of two compared runs, the one with more tasks may tell it
 * too: what it says about the tasks of the other was known before these were drawn.
 */
async function readHistory(
  compared: readonly ReportedRun[],
  { runsDir, names }: HistorySource,
): Promise<{ rates: readonly TaskRate[]; notes: readonly string[] }> {
  for (const { config, runDir } of compared) requireRandomSample(config, runDir);
  const measured = new Set(compared.map(({ runDir }) => resolve(runDir)));
  const isOwn = (dir: string) => measured.size === 1 && measured.has(resolve(dir));
  const all =
    names === true
      ? listStoredRuns(runsDir).runs
      : names.map((name) => {
          const dir = resolve(findRun({ runsDir, name, onNote: printNote }));
          return { run: basename(dir), dir, manifest: readManifest(dir) };
        });
  if (names !== true && all.every(({ dir }) => isOwn(dir)))
    throw new UsageError(
      `--use-history names only the run itself: ${names.join(", ")}. Name other runs of the same dataset, or none for all stored ones.`,
    );
  const tags = new Set(compared.flatMap(({ rows }) => rows.map(({ dataset }) => dataset)));
  const about = all.filter(
    ({ dir, manifest }) => !isOwn(dir) && manifest.config.datasets.some((one) => one.tags.some((tag) => tags.has(tag))),
  );
  const texts = readTexts(compared[0]?.runDir ?? "", tags);
  const filter = readSelection(compared[0]?.runDir ?? "").filter;
  const alike = about.filter(({ dir }) => readSelection(dir).filter === filter);
  const same = alike.filter(({ dir }) => hasSameTexts(dir, texts));
  const counted: CountedRun[] = same.map((run) => ({ ...run, quarantined: readQuarantine(run.dir) }));
  const found = counted.length === 0 ? { rates: [], notes: [] } : await readTaskRates(counted);
  return {
    rates: found.rates,
    notes: [
      ...describeLeftOut(about.length - alike.length, "with another --filter"),
      ...describeLeftOut(alike.length - same.length, "in which the same ids are other questions"),
      ...found.notes,
    ],
  };
}

function describeLeftOut(count: number, what: string): string[] {
  return count === 0 ? [] : [`left out of the history: ${formatPlural(count, "stored run")} ${what}`];
}

function requireRandomSample({ until }: EvalConfig, runDir: string): void {
  const name = basename(runDir);
  if (until !== undefined)
    throw new UsageError(
      `${name} was run with --until, and history narrows runs of a fixed number of tasks only. Remove --use-history.`,
    );
  if (readSelection(runDir).isHead)
    throw new UsageError(
      `${name} has the first examples of its dataset (--head), which are no random sample of those in the history. Remove --use-history, or run a sample with -n alone.`,
    );
}

/** How the examples of a run were chosen, as far as its command line tells. */
function readSelection(runDir: string): { isHead: boolean; filter: string } {
  const { flags = {} } = Object(readManifest(runDir).invocation) as {
    flags?: { head?: unknown; maxExamples?: unknown; filter?: unknown };
  };
  return {
    isHead: flags.head === true && flags.maxExamples !== undefined,
    filter: JSON.stringify(flags.filter ?? null),
  };
}

/** What is asked in each example, by dataset and id; long ones are shortened alike in every run. */
function readTexts(dir: string, tags: ReadonlySet<string>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { dataset, id, question, context, answer } of readExamples(dir))
    if (tags.has(dataset)) texts.set(`${dataset}\u0000${id}`, JSON.stringify([question, context, answer]));
  return texts;
}

/** False if an example has the id of one of the run, but asks something else. */
function hasSameTexts(dir: string, texts: ReadonlyMap<string, string>): boolean {
  for (const { dataset, id, question, context, answer } of readExamples(dir)) {
    const known = texts.get(`${dataset}\u0000${id}`);
    if (known !== undefined && known !== JSON.stringify([question, context, answer])) return false;
  }
  return true;
}
