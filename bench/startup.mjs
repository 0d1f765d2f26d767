// What a command costs over starting Node at all: `assay --help`, and a run of one example.
import { join } from "node:path";
import { writeExamples } from "./data.mjs";
import { ASSAY, inTempFolder, inTurns, runNode, times } from "./measure.mjs";
import { assayArgs } from "./throughput.mjs";

const ROUNDS = 15;

export function measure() {
  return inTempFolder(async (dir) => {
    const data = join(dir, "data.jsonl");
    writeExamples(data, 1);
    const runArgs = assayArgs(dir, data, ["--system", "echo"]);
    const { node, help, run } = await inTurns(
      {
        node: () => runNode(["-e", "0"]),
        help: () => runNode([ASSAY, "--help"]),
        run: () => runNode(runArgs, { cwd: dir }),
      },
      ROUNDS,
    );
    const compare = (seconds) => `${times(seconds / node)} (${toMs(seconds)} of ${toMs(node)})`;
    return [
      ["`assay --help` against `node -e 0`", "≤ 2.50 ×", compare(help)],
      ["`assay run` on one example against `node -e 0`", "≤ 6.00 ×", compare(run)],
    ];
  });
}

const toMs = (seconds) => `${Math.round(seconds * 1000)} ms`;
