import type { FileDiff } from "../../../../../src/report/dashboard/contract.js";
import { formatPlural } from "../../../ui/index.js";
import { visibleLine, visibleText } from "../text/visible-text.js";
import { DiffLines } from "./diff-lines.js";

const SIGNS: Readonly<Record<FileDiff["change"], string>> = { added: "+", changed: "±", removed: "−" };

interface ChangesProps {
  changes: readonly FileDiff[];
  /** Why some of them are not here. */
  incomplete?: string | undefined;
}

/** Files that the work changed, each with what changed in it. */
export function Changes({ changes, incomplete }: ChangesProps) {
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">
        Files changed <span class="quiet">{formatPlural(changes.length, "file")}</span>
      </h2>
      {incomplete !== undefined && <p class="warn">Not all changes are shown: {visibleText(incomplete)}</p>}
      {changes.length === 0 && incomplete === undefined && <p class="quiet">The folder is as it was given.</p>}
      {changes.map((change) => (
        <Change key={change.path} change={change} />
      ))}
    </section>
  );
}

function Change({ change: { path, change, diff } }: { change: FileDiff }) {
  const name = (
    <>
      <span class={`file-sign file-${change}`} aria-hidden="true">
        {SIGNS[change]}
      </span>{" "}
      <bdi class="path">{visibleLine(path)}</bdi> <span class="quiet">{change}</span>
    </>
  );
  if (diff === null) return <p class="file-change">{name}</p>;
  return (
    <details class="file-change">
      <summary>{name}</summary>
      <DiffLines label={`Changes of ${visibleLine(path)}`} lines={diff} />
    </details>
  );
}
