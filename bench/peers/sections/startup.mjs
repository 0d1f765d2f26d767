// What it takes until a command has said its version or its help, and until a library is loaded.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../command.mjs";
import { inFolder } from "../trial.mjs";
import { meanOf, medianOf, takeTurns } from "../turns.mjs";
import { milliseconds, table } from "../words.mjs";

/** Short enough to be done more often than the rest. */
const ROUNDS_FACTOR = 3;
const COLUMNS = ["", "`--version`", "processor", "`--help`", "processor", "import", "processor"];

export async function measureStartup({ contenders, options, say }) {
  const able = contenders.filter(({ startup }) => startup !== undefined);
  const found = {};
  for (const kind of ["version", "help", "imports"]) {
    const taking = able.filter(({ startup, install }) => (startup(install)[kind] ?? []).length > 0);
    const run = (contender) => started(contender, kind, options.limit);
    found[kind] = await takeTurns(taking, {
      rounds: options.rounds * ROUNDS_FACTOR,
      run,
      say: (line) => say(`${kind}: ${line}`),
    });
  }
  const rows = able.map(({ name }) => [
    name,
    ...["version", "help", "imports"].flatMap((kind) => cells(found[kind].get(name))),
  ]);
  const text =
    "Wall time and processor time. The floor is `node -e 0`. vitest-evals is started by `vitest`; mastra has no command of its own here.";
  return { title: "Cold start", text, table: table(COLUMNS, rows), figures: {} };
}

function started({ startup, install, home }, kind, limit) {
  return inFolder({ home }, async (dir) => {
    const { env, [kind]: asked } = startup(install);
    const args = kind === "imports" ? [importing(dir, asked)] : asked;
    const run = await runCommand({ args, env, cwd: dir }, { limit });
    if (run.code !== 0) throw new Error(`ended with ${run.code}`);
    return run;
  });
}

/** A program that does nothing but import. Some libraries leave things running: it does not wait for them. */
function importing(dir, names) {
  const file = join(dir, "imports.mjs");
  writeFileSync(file, `${names.map((name) => `import ${JSON.stringify(name)};`).join("\n")}\nprocess.exit(0);\n`);
  return file;
}

function cells(entry) {
  if (entry === undefined) return ["–", "–"];
  if (entry.problem !== null) return [entry.problem, "–"];
  return [milliseconds(medianOf(entry, "seconds")), milliseconds(meanOf(entry, "cpuSeconds"))];
}
