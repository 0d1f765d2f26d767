// Examples per second of the whole command, start-up and report included, against the floor in the same run.
import { join } from "node:path";
import { writeExamples } from "./data.mjs";
import { ASSAY, HERE, inTempFolder, inTurns, mib, runNode, times } from "./measure.mjs";

const EXAMPLES = 100_000;
const WORKERS = "8";
const ROUNDS = 5;

export function assayArgs(dir, data, more = []) {
  const fixed = [
    "--trust",
    "--plugin",
    join(HERE, "work.mjs"),
    "--evaluator",
    "exact",
    "--evaluator",
    "overlap",
    "--quiet",
  ];
  return [ASSAY, "run", ...fixed, "--dataset", data, "--runs-dir", join(dir, "runs"), ...more];
}

export function measure() {
  return inTempFolder(async (dir) => {
    const data = join(dir, "data.jsonl");
    writeExamples(data, EXAMPLES);
    const floorArgs = [join(HERE, "floor.mjs"), data, join(dir, "floor.jsonl"), WORKERS];
    const args = assayArgs(dir, data, ["--system", "echo", "--max-workers", WORKERS]);
    const { floor, assay } = await inTurns(
      { floor: () => runNode(floorArgs), assay: () => runNode(args, { cwd: dir }) },
      ROUNDS,
    );
    const peak = await runNode(args, { cwd: dir, memory: true });
    const floorPeak = await runNode(floorArgs, { memory: true });
    const rate = (seconds) => `${Math.round(EXAMPLES / seconds)}/s`;
    return [
      [
        `${EXAMPLES} examples, two scorers, journal on disk, ${WORKERS} workers, whole command`,
        "≥ 0.40 × the floor",
        `${times(floor / assay)} (${rate(assay)} of ${rate(floor)})`,
      ],
      ["peak memory of that run", "–", `${mib(peak.peakBytes)} (floor ${mib(floorPeak.peakBytes)})`],
    ];
  });
}
