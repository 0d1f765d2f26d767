import "../builtins.js";
import { existsSync } from "node:fs";
import { didYouMean, EXIT, RunFolderError, UsageError } from "../core/index.js";
import {
  formatDollars,
  formatShare,
  type RunCard,
  RunList,
  type RunStatus,
  STATUSES,
  type TableColumn,
} from "../report/index.js";
import { loadRun } from "../runs/index.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface RunsFlags {
  tag?: string;
  system?: string;
  dataset?: string;
  status?: string;
  since?: string;
  limit: number;
  output: string;
  runsDir: string;
}

const FORMATS = ["table", "json"];

/** `assay runs`: the stored runs, newest first. */
export async function executeRuns(words: readonly string[], flags: RunsFlags): Promise<number> {
  const { runsDir, output, limit, tag, system, dataset } = flags;
  if (!FORMATS.includes(output))
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, FORMATS)}`);
  const status = parseStatus(flags.status);
  const since = flags.since === undefined ? undefined : parseSince(flags.since, Date.now());
  if (!existsSync(runsDir))
    throw new RunFolderError(
      `There is no folder ${runsDir}. Start a run, or pass the folder that holds the run folders with --runs-dir.`,
    );
  const { runs, total, all } = await new RunList({ runsDir, load: loadRun }).list({
    q: words.join(" "),
    limit,
    ...(status === undefined ? {} : { status }),
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    ...(tag === undefined ? {} : { runTag: tag }),
    ...(system === undefined ? {} : { hasSystem: system }),
    ...(dataset === undefined ? {} : { hasDataset: dataset }),
  });
  if (output === "json") {
    const report = { schema: "assay.runs/1", runsDir, total, runs: runs.map(describeRun) };
    await writeResult(`${JSON.stringify(report, null, 2)}\n`);
    return EXIT.fine;
  }
  if (total === 0) printNote(all === 0 ? `There is no run in ${runsDir}.` : `None of the ${all} runs match.`);
  else await writeResult(`${createScreenLayout().table(COLUMNS, runs)}\n`);
  if (runs.length < total) printNote(`Showing ${runs.length} of ${total} runs. Use -n ${total} to list all.`);
  return EXIT.fine;
}

function parseStatus(status: string | undefined): RunStatus | undefined {
  const known = STATUSES.find((one) => one === status);
  if (status !== undefined && known === undefined)
    throw new UsageError(`Unknown status "${status}".${didYouMean(status, STATUSES)}`);
  return known;
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds since 1970 of a date, or of a time before `now`. */
function parseSince(text: string, now: number): number {
  const [, amount, unit = ""] = /^(\d+)([mhdw])$/.exec(text.trim()) ?? [];
  if (amount !== undefined) return Math.max(0, now - Number(amount) * (UNIT_MS[unit] ?? 0));
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(date)) return date;
  throw new UsageError(`--since takes a date such as 2026-11-01, or a time such as 90m, 12h, 7d or 4w, got "${text}".`);
}

/** A run in `--output json`. */
function describeRun(card: RunCard) {
  const { id, title, runTags, createdAt, status, command, planned, done, datasets, systems, costUsd, problem } = card;
  return {
    id,
    title,
    tags: runTags,
    createdAt,
    status,
    command,
    planned,
    done,
    datasets: datasets.map(({ name }) => name),
    systems: systems.map(({ system, figures, costUsd: cost }) => ({
      name: system,
      passRate: figures.pass_rate,
      meanScore: figures.mean_score,
      costUsd: cost,
    })),
    costUsd,
    problem,
  };
}

const COLUMNS: readonly TableColumn<RunCard>[] = [
  { title: "started (UTC)", cell: ({ createdAt }) => createdAt.slice(0, 16).replace("T", " "), priority: 3 },
  {
    title: "title",
    cell: ({ title, status }) => (status === "complete" ? title : `${title} (${status})`),
    priority: 0,
  },
  { title: "systems", cell: ({ systems }) => joinShort(systems.map(({ system }) => system)) },
  { title: "dataset", cell: ({ datasets }) => joinShort(datasets.map(({ name }) => name)) },
  { title: "pass rate", align: "right", cell: formatPassRates, priority: 2 },
  { title: "cost", align: "right", cell: formatRunCost },
  { title: "tags", cell: ({ runTags }) => runTags.join(", "), priority: 4 },
  { title: "id", cell: ({ id }) => id, priority: 1 },
];

const MAX_NAMES = 2;

function joinShort(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return more > 0 ? `${names.slice(0, MAX_NAMES).join(", ")} +${more}` : names.join(", ");
}

/** The lowest and the highest of the systems. */
function formatPassRates({ systems }: RunCard): string {
  const rates = systems.flatMap(({ figures }) => figures.pass_rate ?? []);
  if (rates.length === 0) return "–";
  const [low, high] = [Math.min(...rates), Math.max(...rates)].map(formatShare);
  return low === high ? String(low) : `${low}–${high}`;
}

/** With a plus if some of the systems have no price. */
function formatRunCost({ costUsd, unpricedSystems }: RunCard): string {
  return costUsd === null ? "–" : `${formatDollars(costUsd)}${unpricedSystems > 0 ? "+" : ""}`;
}
