// SIGKILL when half of the answers are there: what is on disk then, and what is asked again to get to the end.

import { setTimeout as wait } from "node:timers/promises";
import { runCommand } from "../command.mjs";
import { inFolder, runIn } from "../trial.mjs";
import { seconds, table, whole } from "../words.mjs";
import { rowsOfAsked } from "./asked.mjs";
import { LATENCY_MS } from "./requests.mjs";

const COLUMNS = [
  "",
  "goes on by",
  "answered at the kill",
  "on disk then",
  "requests after it",
  "asked twice",
  "time after it",
];

export async function measureKill(bench) {
  const { options, say } = bench;
  const onRow = (row) => say(`killed at half of ${options.requests}: ${row}`);
  const rows = await rowsOfAsked(bench, { name: "kill", rowOf, onRow });
  return {
    title: "Killed and gone on with",
    text: `SIGKILL to the whole process group when half of ${whole(options.requests)} calls are answered, ${options.workers.requests} at a time; then each goes on in its own way. Those in flight are asked twice by everybody.`,
    table: table(COLUMNS, rows, 2),
    figures: {},
  };
}

async function rowOf(contender, context) {
  const by = contender.goesOn?.by ?? "nothing: all again";
  try {
    const {
      answered,
      kept,
      later,
      twice,
      seconds: time,
    } = await inFolder(contender, (dir) => killed(contender, { ...context, dir }));
    return [contender.name, by, whole(answered), whole(kept), whole(later), whole(twice), seconds(time)];
  } catch (error) {
    return [contender.name, by, error.message, "–", "–", "–", "–"];
  }
}

async function killed(contender, { endpoint, setting, dir }) {
  const trial = { ...setting, install: contender.install, dir };
  const first = contender.goesOn?.first ?? contender.requests;
  const before = await endpoint.counts();
  const half = endpoint.answers(Math.floor(setting.examples / 2));
  const run = await runCommand({ ...first(trial), cwd: dir }, { limit: setting.limit, until: half });
  if (run.killed !== "asked") throw new Error(run.killed === null ? "ended before it was killed" : "took too long");
  // What was in flight is counted when the endpoint notices.
  await wait(4 * LATENCY_MS);
  const between = await endpoint.counts();
  const kept = contender.onDisk?.(trial).rows ?? 0;
  const { seconds: time } = await runIn(contender, contender.goesOn?.command ?? contender.requests, {
    ...setting,
    dir,
  });
  const after = await endpoint.counts();
  const later = after.requests - between.requests;
  const twice = after.requests - before.requests - setting.examples;
  return { answered: between.answered - before.answered, kept, later, twice, seconds: time };
}
