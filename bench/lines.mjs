// The line protocol: calls per second, and what a call costs on top of a function in this process. 64 calls in flight.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandSystem, FunctionSystem } from "../dist/lib/index.js";

const CALLS = 20_000;
const IN_FLIGHT = 64;
const ROUNDS = 5;
const CONTEXT = "A sentence of ordinary length, as a compressor would get many. ".repeat(16);

const PROGRAM = `
const { stdin, stdout } = process;
stdout.write('{"concurrency": ${IN_FLIGHT}}\\n');
require("node:readline").createInterface({ input: stdin }).on("line", (line) => {
  const { id, question } = JSON.parse(line);
  stdout.write(JSON.stringify({ id, response: question }) + "\\n");
});
`;

/** Calls a system this often, so many at a time; gives the seconds of it all and the milliseconds of each call. */
async function call(system, inFlight, calls) {
  const context = { signal: new AbortController().signal, budget: null, trial: 0, seed: 0, log: () => {} };
  const times = [];
  let next = 0;
  const work = async () => {
    for (let id = next++; id < calls; id = next++) {
      const start = performance.now();
      await system.process({ id, question: `question ${id}`, context: CONTEXT }, context);
      times.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: inFlight }, work));
  return { seconds: (performance.now() - start) / 1000, medianMs: median(times) };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-lines-"));
  writeFileSync(join(folder, "echo.cjs"), PROGRAM);
  const program = new CommandSystem({ command: `${process.execPath} ${join(folder, "echo.cjs")}`, maxParallel: 1 });
  const local = new FunctionSystem({ name: "local", fn: async ({ question }) => question });
  try {
    await call(program, IN_FLIGHT, 1000);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const many = await call(program, IN_FLIGHT, CALLS);
      const here = await call(local, IN_FLIGHT, CALLS);
      const alone = await call(program, 1, CALLS / 10);
      rounds.push({
        rate: CALLS / many.seconds,
        addedMs: ((many.seconds - here.seconds) / CALLS) * 1000,
        aloneMs: alone.medianMs,
        waitMs: many.medianMs,
      });
    }
    const of = (field) => median(rounds.map((round) => round[field]));
    return [
      [
        "line protocol, one process, 64 in flight: time added to a call; calls per second",
        "< 1 ms",
        `${of("addedMs").toFixed(3)} ms; ${Math.round(of("rate")).toLocaleString("en")}`,
      ],
      [
        "line protocol: latency of a call, median: one in flight; 64",
        "< 1 ms; –",
        `${of("aloneMs").toFixed(2)} ms; ${of("waitMs").toFixed(2)} ms`,
      ],
    ];
  } finally {
    await program.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
