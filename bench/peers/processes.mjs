// Every process that is started here leads a group of its own, so that it and all that it starts can be ended together.
import { spawn } from "node:child_process";

// Module state on purpose: whatever ends this program must find all that it started.
const groups = new Set();

/** Starts a command as the leader of a new process group. */
export function launch(command, args, options = {}) {
  const child = spawn(command, args, { ...options, detached: true });
  if (child.pid !== undefined) {
    groups.add(child.pid);
    child.once("close", () => endGroup(child.pid));
  }
  return child;
}

/** Ends a group that was started here; what a leader left behind goes with it. */
export function endGroup(pid) {
  if (!groups.delete(pid)) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}

/** Ends everything that was started here. */
export function endAll() {
  for (const pid of groups) endGroup(pid);
}

/** Makes sure that nothing outlives this program, however it ends. */
export function endAllWithUs() {
  process.on("exit", endAll);
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ])
    process.on(signal, () => process.exit(code));
}
