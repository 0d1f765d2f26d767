// What Linux tells about a process and everything below it.
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** Peak-so-far and present resident memory of a process and all its descendants, in bytes. */
export function treeMemory(root) {
  let now = 0;
  let largestPeak = 0;
  for (const pid of descendants(root)) {
    const { resident, peak } = memoryOf(pid);
    now += resident;
    largestPeak = Math.max(largestPeak, peak);
  }
  return { now, largestPeak };
}

function descendants(root) {
  const found = [root];
  for (let at = 0; at < found.length; at++) found.push(...childrenOf(found[at]));
  return found;
}

/** Any thread may have started children. */
function childrenOf(pid) {
  return quietly([], () =>
    readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      quietly([], () => numbersIn(readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"))),
    ),
  );
}

function numbersIn(text) {
  return text.split(" ").filter(Boolean).map(Number);
}

function memoryOf(pid) {
  return quietly({ resident: 0, peak: 0 }, () => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return { resident: kibibytes(status, "VmRSS"), peak: kibibytes(status, "VmHWM") };
  });
}

function kibibytes(status, field) {
  const [, number] = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status) ?? [];
  return Number(number ?? 0) * 1024;
}

/** A process may end while it is being looked at. */
function quietly(otherwise, look) {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

/** Processor seconds of every child of this process that has ended, with all that it waited for itself. */
export function endedChildrenCpu() {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
