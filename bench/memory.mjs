// A million rows: what each keeps in memory, and whether time grows with their number alone.
import { join } from "node:path";
import { writeExamples } from "./data.mjs";
import { inTempFolder, mib, runNode, times } from "./measure.mjs";
import { assayArgs } from "./throughput.mjs";

const SIZES = [100_000, 1_000_000];

export function measure() {
  return inTempFolder(async (dir) => {
    const runs = [];
    for (const size of SIZES) {
      const data = join(dir, `data-${size}.jsonl`);
      writeExamples(data, size);
      runs.push(await runNode(assayArgs(dir, data, ["--system", "echo"]), { cwd: dir, memory: true }));
    }
    const [small, large] = runs;
    const [few, many] = SIZES;
    const perRow = (run, size) => run.seconds / size;
    return [
      [`peak memory of ${many} rows (of ${few})`, "< 1 GiB", `${mib(large.peakBytes)} (${mib(small.peakBytes)})`],
      [
        "time of a row, large run against small",
        "linear: about 1 ×",
        `${times(perRow(large, many) / perRow(small, few))} (${large.seconds.toFixed(1)} s)`,
      ],
    ];
  });
}
