import type { Dataset, DownloadProgress } from "../core/dataset.js";
import { type LoadDatasetOptions, loadDataset } from "../datasets/load-dataset.js";
import { formatBytes } from "../report/format.js";
import { StatusLine } from "./status-line.js";

const BAR_CELLS = 20;

/** Shows progress only while something is downloaded. */
export async function loadWithProgress(spec: string, options: LoadDatasetOptions): Promise<Dataset> {
  const { line, onDownload } = createDownloadLine();
  try {
    return await loadDataset(spec, { ...options, onDownload });
  } finally {
    line.clear();
  }
}

/** The caller has to clear the line. */
export function createDownloadLine(): { line: StatusLine; onDownload: (progress: DownloadProgress) => void } {
  const line = new StatusLine(process.stderr);
  const start = performance.now();
  const onDownload = (progress: DownloadProgress) =>
    line.show(() => describeDownload(progress), performance.now() - start);
  return { line, onDownload };
}

/** `openai/gsm8k main/test-00000-of-00001.parquet ██████░░░░░░ 1.2 of 3.4 MB` */
export function describeDownload({ file, received, expected, waitingFor }: DownloadProgress): string {
  if (waitingFor !== null) return `${file}: waiting for ${waitingFor}`;
  if (expected === null || expected <= 0) return `${file}: ${formatBytes(received)}`;
  const share = Math.min(1, received / expected);
  const full = Math.round(share * BAR_CELLS);
  const bar = `${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)}`;
  return `${bar} ${formatBytes(received)} of ${formatBytes(expected)} · ${file}`;
}
