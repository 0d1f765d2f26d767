// What was promised, and whether this run keeps it.
import { mebibytes, times, whole } from "./words.mjs";

const SDK_TIMES = 1.5;
const PROMPTFOO_TIMES = 50;

/** Each aim with what was found; `holds` is null where something was not measured. */
export function aimsOf(contenders, figures) {
  const measured = contenders.filter(({ name }) => figures[name]?.perSecond > 0);
  const ours = figures.assay;
  const libraries = measured.filter(({ role }) => role === "library");
  const promptfoo = measured.filter(({ name }) => name === "promptfoo");
  const peers = measured.filter(({ role }) => role === "library" || role === "command");
  return [
    faster(`at least ${SDK_TIMES} × the fastest SDK`, SDK_TIMES, { ours, rivals: libraries, figures }),
    faster(`at least ${PROMPTFOO_TIMES} × promptfoo`, PROMPTFOO_TIMES, { ours, rivals: promptfoo, figures }),
    lighter("less memory than any of them", { ours, rivals: peers, figures }),
  ];
}

const UNKNOWN = { found: "not measured", holds: null };

function faster(aim, factor, { ours, rivals, figures }) {
  if (!(ours?.perSecond > 0) || rivals.length === 0) return { aim, ...UNKNOWN };
  const best = rivals.reduce((a, b) => (figures[b.name].perSecond > figures[a.name].perSecond ? b : a)).name;
  const ratio = ours.perSecond / figures[best].perSecond;
  const found = `${times(ratio)} ${best} (${whole(ours.perSecond)}/s against ${whole(figures[best].perSecond)}/s)`;
  return { aim, found, holds: ratio >= factor };
}

function lighter(aim, { ours, rivals, figures }) {
  if (!(ours?.peakBytes > 0) || rivals.length === 0) return { aim, ...UNKNOWN };
  const least = rivals.reduce((a, b) => (figures[b.name].peakBytes < figures[a.name].peakBytes ? b : a)).name;
  const found = `${mebibytes(ours.peakBytes)} against ${mebibytes(figures[least].peakBytes)} (${least})`;
  return { aim, found, holds: ours.peakBytes < figures[least].peakBytes };
}
