import "../builtins.js";
import { didYouMean, EXIT, registry, UsageError } from "../core/index.js";
import { formatPlural } from "../report/index.js";
import { type ImportProgress, type ImportRunOptions, importRun } from "../runs/index.js";
import { FORMAT_TITLES, type FormatName } from "../store/index.js";
import { exitOnSignal } from "./interrupt.js";
import { StatusLine } from "./progress.js";
import { detectScreen } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface ImportFlags {
  format?: string;
  title?: string;
  output: string;
  runsDir: string;
}

const OUTPUTS = ["table", "json"];

/** `assay import`: converts results of another tool to a run, and reports it. */
export async function executeImport(files: readonly string[], flags: ImportFlags): Promise<number> {
  const { output, format } = flags;
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, OUTPUTS)}`);
  const line = new StatusLine(process.stderr);
  const imported = await showImportProgress(line, (onProgress) =>
    importRun({ ...toImportOptions(files, flags), onProgress }),
  );
  if (format === undefined) printNote(`Detected ${FORMAT_TITLES[imported.format]} results.`);
  await writeResult(await registry.get("reporter", output).render(imported.result, detectScreen()));
  printNote(`Stored in ${imported.result.runDir}`);
  return EXIT.fine;
}

function toImportOptions(files: readonly string[], { format, title, runsDir }: ImportFlags): ImportRunOptions {
  return {
    files,
    runsDir,
    // importRun rejects unknown formats and lists the known ones.
    ...(format === undefined ? {} : { format: format as FormatName }),
    ...(title === undefined ? {} : { title }),
  };
}

async function showImportProgress<T>(
  line: StatusLine,
  work: (onProgress: (p: ImportProgress) => void) => Promise<T>,
): Promise<T> {
  const start = performance.now();
  try {
    const show = ({ records, phase }: ImportProgress) =>
      line.show(() => `${phase} ${formatPlural(records, "record")}`, performance.now() - start);
    return await exitOnSignal(() => work(show));
  } finally {
    line.clear();
  }
}
