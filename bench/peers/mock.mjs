// Starts the mock endpoint and asks it how much it was asked.
import { fileURLToPath } from "node:url";
import { endGroup, launch } from "./processes.mjs";

const HOST = fileURLToPath(new URL("./mock-host.mjs", import.meta.url));

/** An endpoint that repeats each question after `latency` milliseconds, at a free port of this machine. */
export async function startEndpoint(latency) {
  const child = launch(process.execPath, [HOST, String(latency)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const next = listen(child);
  const { url } = await next("ready");
  const ask = (message, kind) => {
    child.send(message);
    return next(kind);
  };
  return {
    url,
    counts: () => ask({ kind: "counts" }, "counts"),
    /** Resolves when this many more answers have been given. */
    answers: (count) => ask({ kind: "await", count }, "reached"),
    stop: () => endGroup(child.pid),
  };
}

/** Gives a function that waits for the next message of a kind. */
function listen(child) {
  let waiting = [];
  child.on("message", (message) => {
    const due = waiting.filter(({ kind }) => kind === message.kind);
    waiting = waiting.filter(({ kind }) => kind !== message.kind);
    for (const { resolve } of due) resolve(message);
  });
  child.once("exit", () => {
    const error = new Error("The mock endpoint ended. Run `npm run build`, then try again.");
    for (const { reject } of waiting) reject(error);
  });
  return (kind) => new Promise((resolve, reject) => waiting.push({ kind, resolve, reject }));
}
