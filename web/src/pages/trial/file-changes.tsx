import type { FileDiff } from "../../../../src/report/dashboard/contract.js";
import { DiffLines, formatPlural, revealLine, revealText } from "../../ui/index.js";

const FILE_CHANGE_SIGNS: Readonly<Record<FileDiff["change"], string>> = { added: "+", changed: "±", removed: "−" };

interface FileChangesProps {
  changes: readonly FileDiff[];
  /** Why some changes are missing. */
  incomplete?: string | undefined;
}

export function FileChanges({ changes, incomplete }: FileChangesProps) {
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">
        Files changed <span class="quiet">{formatPlural(changes.length, "file")}</span>
      </h2>
      {incomplete !== undefined && <p class="warn">Not all changes are shown: {revealText(incomplete)}</p>}
      {changes.length === 0 && incomplete === undefined && <p class="quiet">The folder is as it was given.</p>}
      {changes.map((change) => (
        <FileChange key={change.path} change={change} />
      ))}
    </section>
  );
}

function FileChange({ change: { path, change, diff } }: { change: FileDiff }) {
  const name = (
    <>
      <span class={`file-sign file-${change}`} aria-hidden="true">
        {FILE_CHANGE_SIGNS[change]}
      </span>{" "}
      <bdi class="path">{revealLine(path)}</bdi> <span class="quiet">{change}</span>
    </>
  );
  if (diff === null) return <p class="file-change">{name}</p>;
  return (
    <details class="file-change">
      <summary>{name}</summary>
      <DiffLines label={`Changes of ${revealLine(path)}`} lines={diff} />
    </details>
  );
}
