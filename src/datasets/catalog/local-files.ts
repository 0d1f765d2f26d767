import { basename } from "node:path";
import { openAlignedLines } from "../aligned-lines.js";
import { isArchive, requireFile } from "../formats.js";
import { openRowFile, type RowFile } from "../row-file.js";
import type { HubSource, LineColumns } from "./entry.js";
import type { OpenFiles } from "./open-files.js";

/** Opens local files in the place of a dataset's own, in whichever of the forms it is published in. */
export async function openLocalFiles(
  paths: readonly string[],
  { sources, files }: { sources: readonly HubSource[]; files: OpenFiles },
): Promise<RowFile[]> {
  for (const path of paths) requireFile(path);
  const known = sources.flatMap(withFallbacks);
  const lines = known.find((source) => source.lines !== undefined)?.lines;
  const columns = lines === undefined ? null : columnsOf(paths, lines);
  if (columns !== null) return [openAlignedLines({ ...lines, name: paths.join(" + "), columns })];
  const member = known.find((source) => source.member !== undefined)?.member;
  const opened: RowFile[] = [];
  for (const path of paths) {
    const isPacked = member !== undefined && isArchive(path);
    opened.push(
      isPacked ? await files.openPacked({ path, name: path, member }) : files.keep(await openRowFile({ path })),
    );
  }
  return opened;
}

function withFallbacks(source: HubSource): HubSource[] {
  return [source, ...(source.fallback === undefined ? [] : withFallbacks(source.fallback))];
}

/** Each column with the path of its text, by the texts' names; null when these are other files. */
function columnsOf(paths: readonly string[], { columns }: LineColumns): Record<string, string> | null {
  const found: Record<string, string> = {};
  for (const [column, published] of Object.entries(columns)) {
    const path = paths.find((each) => basename(each) === basename(published));
    if (path !== undefined) found[column] = path;
  }
  const count = Object.keys(found).length;
  return count === paths.length && count === Object.keys(columns).length ? found : null;
}
