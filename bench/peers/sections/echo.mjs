// The same trivial examples through everything: what the harness itself costs.
import { join } from "node:path";
import { writeExamples } from "../../data.mjs";
import { runOnce } from "../trial.mjs";
import { medianOf, takeTurns } from "../turns.mjs";
import { mebibytes, microseconds, seconds, table, whole } from "../words.mjs";

export async function measureEcho({ contenders, options, folder, say }) {
  const sizes = sizesUpTo(options.examples);
  const found = new Map();
  for (const size of sizes) found.set(size, await measureAt(size, { contenders, options, folder, say }));
  const figures = Object.fromEntries(contenders.map(({ name }) => [name, figuresOf(name, found, sizes)]));
  return {
    title: `${whole(options.examples)} trivial examples`,
    text: textOf(options, figures),
    table: table(
      columnsOf(sizes),
      contenders.map((contender) => rowOf(contender, figures[contender.name], sizes)),
    ),
    figures,
  };
}

function textOf({ workers, rounds }, figures) {
  const rare = Object.entries(figures).filter(([, { runs }]) => runs > 0 && runs < rounds);
  return [
    `An echo, an exact comparison and a word overlap, ${workers.echo} at a time; the whole command, start-up and report included.`,
    `Medians of ${rounds}${rare.map(([name, { runs }]) => `, ${name} of ${runs} because it takes long`).join("")}.`,
    'The column "an example" is what each one adds to a run of a single example.',
    "Memory is the largest sum of resident memory over all processes of a run.",
  ].join(" ");
}

/** One example is start-up alone; a tenth shows whether an example costs more when there are more of them. */
function sizesUpTo(examples) {
  return [...new Set([1, Math.ceil(examples / 10), examples])];
}

function measureAt(size, { contenders, options, folder, say }) {
  const data = join(folder, `examples-${size}.jsonl`);
  writeExamples(data, size);
  const setting = { data, examples: size, workers: options.workers.echo, limit: options.limit };
  const run = (contender) => runOnce(contender, contender.echo, setting);
  return takeTurns(contenders, { rounds: options.rounds, run, say: (line) => say(`${size} examples: ${line}`) });
}

function figuresOf(name, found, sizes) {
  const at = (size) => found.get(size).get(name);
  const largest = at(sizes.at(-1));
  const walls = sizes.map((size) => medianOf(at(size), "seconds"));
  return {
    walls,
    problems: sizes.map((size) => at(size).problem),
    runs: largest.runs.length,
    seconds: walls.at(-1),
    perSecond: walls.at(-1) === null ? null : sizes.at(-1) / walls.at(-1),
    perExample: perExample(walls, sizes),
    cpuSeconds: medianOf(largest, "cpuSeconds"),
    peakBytes: medianOf(largest, "peakBytes"),
    resultBytes: medianOf(largest, "resultBytes"),
  };
}

function perExample(walls, sizes) {
  if (sizes.length === 1 || walls[0] === null || walls.at(-1) === null) return null;
  return Math.max(0, walls.at(-1) - walls[0]) / (sizes.at(-1) - 1);
}

function columnsOf(sizes) {
  const walls = sizes.map((size) => `${whole(size)} example${size === 1 ? "" : "s"}`);
  return ["", ...walls, "examples/s", "an example", "processor", "peak memory", "results on disk"];
}

function rowOf({ name, stores }, figures, sizes) {
  const walls = sizes.map((_, at) => figures.problems[at] ?? seconds(figures.walls[at]));
  const { perSecond, perExample: each, cpuSeconds, peakBytes, resultBytes } = figures;
  const kept = stores === null ? "none" : mebibytes(resultBytes);
  return [name, ...walls, whole(perSecond), microseconds(each), seconds(cpuSeconds), mebibytes(peakBytes), kept];
}
