// Assay itself: the command as it is built here, with its journal on disk.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ASSAY, HERE } from "../../measure.mjs";
import { countRows, readRecords } from "./outcome.mjs";

const WORK = join(HERE, "work.mjs");
const LIBRARY = join(HERE, "../dist/lib/index.js");

function command({ dir, data, workers }, more) {
  const scoring = ["--trust", "--plugin", WORK, "--evaluator", "exact", "--evaluator", "overlap", "--quiet"];
  const asked = ["--dataset", data, "--max-workers", String(workers), "--runs-dir", join(dir, "runs")];
  return { args: [ASSAY, "run", ...scoring, ...asked, ...more], results: [join(dir, "runs")] };
}

const asking = ({ url }) => ["--proxy", url, "--model", "m"];

/** The latest run of a folder: names begin with the time. */
function latestRows({ dir }) {
  const run = readdirSync(join(dir, "runs"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .at(-1);
  return countRows(readRecords(join(dir, "runs", run, "rows.jsonl")), ({ scores }) => scores?.exact);
}

export const assay = {
  name: "assay",
  role: "ours",
  stores: "every row and output, as JSON lines, while it runs",
  notes: "Counts tokens, keeps examples, rows and outputs, computes intervals; reads answers as streams.",
  startup: () => ({ version: [ASSAY, "--version"], help: [ASSAY, "--help"], imports: [LIBRARY] }),
  echo: (trial) => command(trial, ["--system", "echo"]),
  requests: (trial) => command(trial, asking(trial)),
  outcome: latestRows,
  onDisk: latestRows,
  goesOn: { by: "`--resume`", command: (trial) => command(trial, [...asking(trial), "--resume"]) },
  cache: {
    by: "`--cache-dir`",
    command: (trial) => command(trial, [...asking(trial), "--cache-dir", join(trial.dir, "cache")]),
  },
};
