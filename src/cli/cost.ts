import { basename, resolve } from "node:path";
import { didYouMean, EXIT, UsageError } from "../core/index.js";
import { createLayout, renderCosts } from "../report/index.js";
import { loadRunCost, readCountedRows } from "../runs/index.js";
import { findLatestRun, findRun, LATEST_NAME, readManifest } from "../store/index.js";
import { quoteShellWord } from "../utils/index.js";
import { filterTrials, findTrials, type TrialFilter } from "./find-trials.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface CostFlags extends Pick<TrialFilter, "system" | "dataset"> {
  output: string;
  runsDir: string;
}

export interface CostRequest extends CostFlags {
  /** Default: the latest. */
  run?: string;
  /** An example id, or `ID#N` for its trial N. Default: all. */
  example?: string;
}

const FORMATS = ["table", "json", "markdown"];

/** `assay cost`: what a stored run paid for. Runs nothing. */
export async function executeCost(request: CostRequest): Promise<number> {
  const { output, runsDir, run } = request;
  if (!FORMATS.includes(output))
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, FORMATS)}`);
  const dir = resolve(run === undefined ? findLatestRun(runsDir) : findRun({ runsDir, name: run, onNote: printNote }));
  const manifest = readManifest(dir);
  const rows = chooseRows(request, dir);
  const report = await loadRunCost({ dir, manifest, ...(rows === undefined ? {} : { rows }) });
  if (output === "json") await writeResult(`${JSON.stringify(report, null, 2)}\n`);
  else {
    const layout = output === "markdown" ? createLayout() : createScreenLayout();
    const about = request.example === undefined ? "" : `, ${request.example}`;
    await writeResult(renderCosts(report, `${manifest.config.title}${about} (${basename(dir)})`, layout));
  }
  return EXIT.fine;
}

/** Undefined for the whole run. */
function chooseRows({ run = LATEST_NAME, example, system, dataset }: CostRequest, dir: string) {
  if (example === undefined && system === undefined && dataset === undefined) return undefined;
  const manifest = readManifest(dir);
  const filter = { ...(system === undefined ? {} : { system }), ...(dataset === undefined ? {} : { dataset }) };
  const rows = filterTrials(readCountedRows(dir, manifest).rows, filter, manifest.config);
  if (example === undefined) return rows;
  return findTrials({ trial: example, rows, command: `assay show ${quoteShellWord(run)}` });
}
