// The same questions to the mock endpoint, which takes its time: whether the harness is out of the way.
import { join } from "node:path";
import { writeExamples } from "../../data.mjs";
import { startEndpoint } from "../mock.mjs";
import { runOnce } from "../trial.mjs";
import { medianOf, takeTurns } from "../turns.mjs";
import { mebibytes, seconds, table, times, whole } from "../words.mjs";

export const LATENCY_MS = 50;
const COLUMNS = ["", "wall", "over ideal", "examples/s", "processor", "peak memory", "requests"];

export async function measureRequests({ contenders, options, folder, say }) {
  const { requests, rounds, limit } = options;
  const workers = options.workers.requests;
  const data = join(folder, "requests.jsonl");
  writeExamples(data, requests);
  const endpoint = await startEndpoint(LATENCY_MS);
  const able = contenders.filter((contender) => contender.requests !== undefined);
  const run = (contender) => asked(contender, endpoint, { data, examples: requests, workers, limit });
  const found = await takeTurns(able, { rounds, run, say: (line) => say(`${requests} requests: ${line}`) });
  endpoint.stop();
  const ideal = (Math.ceil(requests / workers) * LATENCY_MS) / 1000;
  const figures = Object.fromEntries(able.map(({ name }) => [name, figuresOf(found.get(name))]));
  return {
    title: `${whole(requests)} calls of an endpoint that takes ${LATENCY_MS} ms`,
    text: `OpenAI's chat dialect, ${workers} at a time; the whole command. Ideal is ${seconds(ideal)}. The endpoint shares the machine's cores. Assay and promptfoo call it by clients of their own, the others by \`fetch\`; Assay asks for a stream.`,
    table: table(
      COLUMNS,
      able.map(({ name }) => rowOf(name, figures[name], { ideal, requests })),
    ),
    figures,
  };
}

async function asked(contender, endpoint, setting) {
  const before = await endpoint.counts();
  const run = await runOnce(contender, contender.requests, { ...setting, url: endpoint.url });
  const after = await endpoint.counts();
  return { ...run, requests: after.requests - before.requests };
}

function figuresOf(entry) {
  const of = (figure) => medianOf(entry, figure);
  return {
    problem: entry.problem,
    seconds: of("seconds"),
    cpuSeconds: of("cpuSeconds"),
    peakBytes: of("peakBytes"),
    requests: of("requests"),
  };
}

function rowOf(name, figures, { ideal, requests }) {
  if (figures.seconds === null) return [name, figures.problem, "–", "–", "–", "–", "–"];
  const { seconds: wall, cpuSeconds, peakBytes } = figures;
  return [
    name,
    seconds(wall),
    times(wall / ideal),
    whole(requests / wall),
    seconds(cpuSeconds),
    mebibytes(peakBytes),
    whole(figures.requests),
  ];
}
