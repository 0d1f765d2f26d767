import "../builtins.js";
import { EXIT, UsageError } from "../core/errors.js";
import { registry } from "../core/registry.js";
import { didYouMean } from "../core/suggest.js";
import { plural } from "../report/format.js";
import { type ImportProgress, type ImportRunOptions, importRun } from "../runs/import-run.js";
import type { FormatName } from "../store/import/index.js";
import { endsCleanly } from "./ends-cleanly.js";
import { StatusLine } from "./status-line.js";
import { say, writeResult } from "./streams.js";

export interface ImportFlags {
  format?: string;
  title?: string;
  output: string;
  runsDir: string;
}

const OUTPUTS = ["table", "json"];

/** `assay import`: converts results of another tool to a run, and reports it. */
export async function importCommand(files: readonly string[], flags: ImportFlags): Promise<number> {
  const { output, format } = flags;
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, OUTPUTS)}`);
  const line = new StatusLine(process.stderr);
  const imported = await showing(line, (onProgress) => importRun({ ...optionsOf(files, flags), onProgress }));
  if (format === undefined) say(`Detected ${imported.format} results.`);
  await writeResult(await registry.get("reporter", output).render(imported.result, {}));
  say(`Stored in ${imported.result.runDir}`);
  return EXIT.fine;
}

function optionsOf(files: readonly string[], { format, title, runsDir }: ImportFlags): ImportRunOptions {
  return {
    files,
    runsDir,
    // importRun rejects unknown formats and lists the known ones.
    ...(format === undefined ? {} : { format: format as FormatName }),
    ...(title === undefined ? {} : { title }),
  };
}

async function showing<T>(line: StatusLine, work: (onProgress: (p: ImportProgress) => void) => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    const show = ({ records, phase }: ImportProgress) =>
      line.show(() => `${phase} ${plural(records, "record")}`, performance.now() - start);
    return await endsCleanly(() => work(show));
  } finally {
    line.clear();
  }
}
