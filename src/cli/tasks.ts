import { basename } from "node:path";
import { didYouMean, type EvalRow, EXIT, RunFolderError, UsageError } from "../core/index.js";
import { findOddTasks, type OddTask, type OddTasks, type SystemTrials, TASK_FLAGS } from "../metrics/index.js";
import { formatNumber, formatPlural, type TableColumn } from "../report/index.js";
import { describeQuarantine, readCountedRows } from "../runs/index.js";
import { findRun, type Manifest, readManifest } from "../store/index.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface TasksFlags {
  only?: readonly string[];
  limit?: number;
  output: string;
  runsDir: string;
}

type TaskFlag = (typeof TASK_FLAGS)[number];

const FORMATS = ["table", "json"];
const DEFAULT_LIMIT = 30;

/** What a flag means, and what it takes. */
const MEANINGS: Readonly<Record<TaskFlag, { is: string; takes: string }>> = {
  suspicious: { is: "weak systems pass, strong ones fail: check the answer key", takes: "4 trials of 3 systems" },
  noisy: { is: "the same system passes and fails at random", takes: "3 systems with 2 trials each" },
  dead: { is: "nobody ever passed", takes: "3 trials of 2 systems" },
  saturated: { is: "everybody always passed", takes: "3 trials of 2 systems" },
};

/** `assay tasks`: the tasks of stored runs whose results say little or look wrong. Runs nothing. */
export async function executeTasks(runs: readonly string[], flags: TasksFlags): Promise<number> {
  const { output, runsDir } = flags;
  if (!FORMATS.includes(output))
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, FORMATS)}`);
  const only = flags.only === undefined ? TASK_FLAGS : parseOnly(flags.only);
  const dirs = [...new Set(runs.map((name) => findRun({ runsDir, name, onNote: printNote })))];
  const stored = dirs.map(readTaskRun);
  const found = findOddTasks(collectSystemTrials(stored));
  if (found.total === 0)
    throw new RunFolderError(
      `${dirs.join(", ")}: no trial passed or failed, so no task can be judged. Name runs with scored trials.`,
    );
  const notes = [
    ...describeDatasetDifferences(stored),
    ...stored.flatMap(({ notes }) => notes),
    ...describeGaps(found, only),
  ];
  const tasks = found.tasks.filter((task) => task.flags.some((flag) => only.includes(flag)));
  if (output === "json") await writeResult(formatJson({ dirs, found, tasks, notes, limit: flags.limit }));
  else await writeResult(formatText({ found, tasks, notes, only, limit: flags.limit ?? DEFAULT_LIMIT }));
  if (only.some((flag) => found.judged[flag] > 0)) return EXIT.fine;
  printNote("Too few trials to judge any task. Name more runs on the same tasks: assay tasks RUN RUN …");
  return EXIT.infrastructure;
}

function parseOnly(names: readonly string[]): readonly TaskFlag[] {
  return names.map((name) => {
    const flag = TASK_FLAGS.find((known) => known === name);
    if (flag === undefined) throw new UsageError(`--only: unknown kind "${name}".${didYouMean(name, TASK_FLAGS)}`);
    return flag;
  });
}

interface TaskRun {
  name: string;
  manifest: Manifest;
  rows: readonly EvalRow[];
  notes: readonly string[];
}

function readTaskRun(dir: string): TaskRun {
  const manifest = readManifest(dir);
  const counted = readCountedRows(dir, manifest);
  const name = basename(dir);
  return { name, manifest, rows: counted.rows, notes: describeQuarantine(counted).map((note) => `${name}: ${note}`) };
}

/** The trials of a system in several runs count together, unless its settings differ. */
function collectSystemTrials(runs: readonly TaskRun[]): SystemTrials[] {
  const systems = new Map<string, { name: string; run: string; rows: EvalRow[] }>();
  for (const { name: run, manifest, rows } of runs)
    for (const row of rows) {
      const key = JSON.stringify([row.system, manifest.systems[row.system]?.fingerprint ?? null]);
      const own = systems.get(key) ?? { name: row.system, run, rows: [] };
      systems.set(key, own);
      own.rows.push(row);
    }
  const all = [...systems.values()];
  return all.map(({ name, run, rows }) => {
    const isShared = all.some((other) => other.name === name && other.rows !== rows);
    return { system: isShared ? `${name} (${run})` : name, rows };
  });
}

function describeDatasetDifferences(runs: readonly TaskRun[]): string[] {
  const contents = new Map<string, Set<string>>();
  for (const { manifest } of runs)
    for (const { name, fingerprint } of manifest.config.datasets)
      contents.set(name, (contents.get(name) ?? new Set()).add(String(fingerprint)));
  return [...contents]
    .filter(([, fingerprints]) => fingerprints.size > 1)
    .map(
      ([name]) =>
        `the examples of ${name || "the dataset"} differ between runs: those with the same id count as one task`,
    );
}

/** Which kinds could not be judged, and what they take. */
function describeGaps({ judged }: OddTasks, only: readonly TaskFlag[]): string[] {
  const missing = only.filter((flag) => judged[flag] === 0);
  return missing.map((flag) => `${flag}: not judged, which takes ${MEANINGS[flag].takes} on a task`);
}

interface Listing {
  found: OddTasks;
  tasks: readonly OddTask[];
  notes: readonly string[];
}

function formatText({
  found,
  tasks,
  notes,
  only,
  limit,
}: Listing & { only: readonly TaskFlag[]; limit: number }): string {
  const layout = createScreenLayout();
  const shown = tasks.slice(0, limit);
  const hasDatasets = new Set(tasks.map(({ dataset }) => dataset)).size > 1;
  const columns = COLUMNS.filter(({ title }) => title !== "dataset" || hasDatasets);
  const counts = only.map((flag) => {
    const count = tasks.filter(({ flags }) => flags.includes(flag)).length;
    return `${flag}: ${count} of ${found.judged[flag]} judged (${MEANINGS[flag].is})`;
  });
  const facts = [
    ...counts.filter((_, i) => found.judged[only[i] ?? "dead"] > 0),
    ...(only.includes("suspicious") && found.judged.suspicious > 0
      ? [`suspicious by chance alone: about ${formatNumber(found.expectedSuspicious, 1)}`]
      : []),
    ...notes,
    ...(shown.length < tasks.length ? [`${tasks.length - shown.length} more: list them with -n ${tasks.length}`] : []),
  ];
  const table = shown.length === 0 ? "No task is flagged." : layout.table(columns, shown);
  const title = `${formatPlural(found.total, "task")}, ${formatPlural(found.systems.length, "system")}`;
  return `${layout.heading(title)}\n\n${table}\n\n${layout.bullets(facts)}\n`;
}

const COLUMNS: readonly TableColumn<OddTask>[] = [
  { title: "task", cell: ({ exampleId }) => String(exampleId), priority: 0 },
  { title: "dataset", cell: ({ dataset }) => dataset || "–", priority: 3 },
  { title: "is", cell: ({ flags }) => flags.join(", "), priority: 1 },
  { title: "passed", align: "right", cell: ({ passes, trials }) => `${passes} of ${trials}`, priority: 2 },
  { title: "why", cell: describeWhy, priority: 4 },
];

/** The figure behind each flag. */
function describeWhy(task: OddTask): string {
  return task.flags.map((flag) => REASONS[flag](task)).join("; ");
}

const REASONS: Readonly<Record<TaskFlag, (task: OddTask) => string>> = {
  saturated: ({ systems }) => `every trial of ${formatPlural(systems.length, "system")} passed`,
  dead: ({ systems }) => `no trial of ${formatPlural(systems.length, "system")} passed`,
  noisy: ({ disagreement, correlation }) =>
    `two trials of a system disagree with chance ${(disagreement ?? 0).toFixed(2)}; correlation with ability ${correlation === null ? "unknown" : correlation.toFixed(2)}`,
  suspicious: ({ correlation, negativeP, systems }) => {
    const [best, worst] = [systems[0], systems.at(-1)];
    const ends = best === undefined || worst === undefined ? "" : `; ${formatShare(best)}, ${formatShare(worst)}`;
    return `correlation with ability ${(correlation ?? 0).toFixed(2)}, p = ${(negativeP ?? 1).toPrecision(1)}${ends}`;
  },
};

function formatShare({ system, passes, trials }: OddTask["systems"][number]): string {
  return `${system} passed ${passes} of ${trials}`;
}

function formatJson({
  dirs,
  found,
  tasks,
  notes,
  limit,
}: Listing & { dirs: readonly string[]; limit: number | undefined }): string {
  const { total, systems, judged, expectedSuspicious } = found;
  const listed = (limit === undefined ? tasks : tasks.slice(0, limit)).map((task) => ({
    ...task,
    why: describeWhy(task),
  }));
  const report = {
    schema: "assay.tasks/1",
    runs: dirs,
    total,
    systems,
    judged,
    expectedSuspicious,
    tasks: listed,
    notes,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
