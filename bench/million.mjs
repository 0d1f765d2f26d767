// A million rows on one machine: run, reported, asked in SQL, killed half-way and resumed, each a command of its own.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeExamples } from "./data.mjs";
import { ASSAY, inTempFolder, mib, runNode } from "./measure.mjs";
import { assayArgs } from "./throughput.mjs";

const ROWS = 1_000_000;
const MOST_BYTES = 2 ** 30;
const AIM = "< 1 GiB";
const QUESTION = "select system, outcome, count(*), avg(score), avg(latency) from rows group by all";
const LOOK_EVERY_MS = 50;

/** `rows` for a quicker look; `assay` to measure another build. */
export async function measure({ rows = ROWS, assay = ASSAY } = {}) {
  return inTempFolder(async (dir) => {
    const data = join(dir, "data.jsonl");
    writeExamples(data, rows);
    const command = (args) => runNode([assay, ...args], { cwd: dir, memory: true });
    const runArgs = (place) => assayArgs(join(dir, place), data, ["--system", "echo"]).slice(1);

    const run = await command(runArgs("whole"));
    const whole = onlyRun(join(dir, "whole", "runs"));
    const found = { whole: summaryOf(whole), bytes: bytesIn(whole) };
    const table = await command(["report", whole]);
    const json = await command(["report", whole, "--output", "json"]);
    const query = await command(["query", QUESTION, "--runs-dir", join(dir, "whole", "runs")]);
    rmSync(whole, { recursive: true });

    const killedAt = await runUntil(join(dir, "killed", "runs"), {
      args: [assay, ...runArgs("killed")],
      cwd: dir,
      rowBytes: found.bytes["rows.jsonl"] / 2,
    });
    const resumed = await command(["run", "--resume", killedAt.run, "--quiet"]);
    requireSame(summaryOf(killedAt.run), found.whole, rows);
    const part = Math.round((100 * killedAt.rowBytes) / found.bytes["rows.jsonl"]);

    return [
      line(`${rows.toLocaleString("en")} rows: run, two scorers, journal on disk`, run),
      line("the same: report as a table", table),
      line("the same: report as JSON", json),
      line("the same: query that groups all rows", query),
      line(`the same: killed (SIGKILL) at ${part} %, resumed`, resumed),
      ["the same: on disk", "–", diskText(found.bytes)],
    ];
  });
}

function line(what, { peakBytes, seconds }) {
  const over = peakBytes < MOST_BYTES ? "" : " **over**";
  return [`${what}: peak memory`, AIM, `${mib(peakBytes)}${over} (${seconds.toFixed(0)} s)`];
}

/** Starts a run and kills it as soon as its journal has grown to `rowBytes`, whatever it is doing then. */
async function runUntil(runsDir, { args, cwd, rowBytes }) {
  const child = spawn(process.execPath, args, { cwd, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver && journalBytes(runsDir) < rowBytes) await sleep(LOOK_EVERY_MS);
  child.kill("SIGKILL");
  if ((await ended) !== null) throw new Error("the run was over before it could be killed");
  return { run: onlyRun(runsDir), rowBytes: journalBytes(runsDir) };
}

function journalBytes(runsDir) {
  try {
    return statSync(join(onlyRun(runsDir), "rows.jsonl")).size;
  } catch {
    // It has not begun yet.
    return 0;
  }
}

function onlyRun(runsDir) {
  const [name, ...others] = readdirSync(runsDir);
  if (name === undefined || others.length > 0) throw new Error(`${runsDir} does not hold one run`);
  return join(runsDir, name);
}

function summaryOf(run) {
  const { summary, counts } = JSON.parse(readFileSync(join(run, "summary.json"), "utf8"));
  return { counts: counts.echo, passRate: summary.echo.pass_rate, meanScore: summary.echo.mean_score };
}

/** Figures of a run that lost or repeated a row on the way would be figures of something else. */
function requireSame(resumed, whole, rows) {
  if (whole.counts.trials === rows && JSON.stringify(resumed) === JSON.stringify(whole)) return;
  throw new Error(`the resumed run differs: ${JSON.stringify(resumed)}, not ${JSON.stringify(whole)}`);
}

function bytesIn(run) {
  return Object.fromEntries(readdirSync(run).map((name) => [name, statSync(join(run, name)).size]));
}

function diskText(bytes) {
  const megabytes = (size) => `${(size / 1e6).toFixed(0)} MB`;
  const parts = Object.entries(bytes).filter(([, size]) => size >= 1e6);
  const total = Object.values(bytes).reduce((sum, size) => sum + size, 0);
  return `${megabytes(total)} (${parts.map(([name, size]) => `${name} ${megabytes(size)}`).join(", ")})`;
}
