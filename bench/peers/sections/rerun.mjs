// The same run again from the contender's own cache: how much is asked, and how long it takes.

import { inFolder, runIn } from "../trial.mjs";
import { seconds, table, whole } from "../words.mjs";
import { rowsOfAsked } from "./asked.mjs";

const COLUMNS = ["", "cache", "first: requests", "first: time", "again: requests", "again: time", "again: processor"];

export async function measureRerun(bench) {
  const { options, say } = bench;
  const rows = await rowsOfAsked(bench, { name: "rerun", rowOf, onRow: (row) => say(`from the cache: ${row}`) });
  return {
    title: "The same run again, from the cache",
    text: `${whole(options.requests)} calls, and the same command once more, where there is a cache of answers that needs no code of the user's.`,
    table: table(COLUMNS, rows, 2),
    figures: {},
  };
}

async function rowOf(contender, context) {
  const { name, cache } = contender;
  if (cache === undefined) return [name, "none", "–", "–", "–", "–", "–"];
  try {
    const [first, again] = await inFolder(contender, (dir) => twice(contender, { ...context, dir }));
    return [
      name,
      cache.by,
      whole(first.requests),
      seconds(first.seconds),
      whole(again.requests),
      seconds(again.seconds),
      seconds(again.cpuSeconds),
    ];
  } catch (error) {
    return [name, cache.by, error.message, "–", "–", "–", "–"];
  }
}

async function twice(contender, { endpoint, setting, dir }) {
  const runs = [];
  for (let at = 0; at < 2; at++) {
    const before = await endpoint.counts();
    const run = await runIn(contender, contender.cache.command, { ...setting, dir });
    const after = await endpoint.counts();
    runs.push({ ...run, requests: after.requests - before.requests });
  }
  return runs;
}
