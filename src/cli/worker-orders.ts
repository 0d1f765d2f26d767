import { EXIT, UsageError } from "../core/errors.js";
import type { WorkerState } from "../queue/contract.js";
import type { Share } from "../queue/serve-run.js";
import type { Allowed } from "./worker-allow.js";

/** What a worker has a process of its own do: take part in one run. Sent, not given as flags, which others can see. */
export interface ServeOrder {
  readonly kind: "serve";
  /** The key of the run. */
  readonly run: string;
  readonly queue: string;
  readonly concurrency: number;
  /** Which trials it takes: those that may end their process have one of their own. */
  readonly share: Share;
  readonly leaseSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The folder of the run here; null for the one it was started in, where that lies in the worker's folder. */
  readonly project: string | null;
  /** What runs may have this worker do. */
  readonly allowed: Allowed;
  /** Where large outputs go here; null for where the run says. */
  readonly sharedDir: string | null;
}

/** What a worker tells such a process. */
export type Order = ServeOrder | { readonly kind: "drain" } | { readonly kind: "giveBack" };

/** What such a process tells its worker. */
export type Word =
  | { readonly kind: "state"; readonly state: WorkerState }
  /** It does not take part, or was told to leave; or no worker could take part, because Redis refuses. */
  | { readonly kind: "refused" | "dismissed" | "gaveUp"; readonly why: string };

/** The side of the process that was started. */
export interface Orders {
  readonly served: Promise<ServeOrder>;
  /** Aborted when it is to finish what it has and take nothing more. */
  readonly drain: AbortSignal;
  /** Aborted when it is to leave to others what it has. */
  readonly giveBack: AbortSignal;
  tell(word: Word): Promise<void>;
}

/** Listens to the worker that started this process, and ends with it. */
export function followOrders(): Orders {
  if (process.connected === undefined)
    throw new UsageError(
      "--serve is how assay worker starts its own processes. Write: assay worker --queue redis://HOST:6379.",
    );
  // Ctrl-C in a terminal is told to every process of it: what is to be done about it, the worker says.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  // The worker may have ended before anybody listened.
  if (!process.connected) process.exit(EXIT.interrupted);
  process.on("disconnect", () => process.exit(EXIT.interrupted));
  const [drain, giveBack] = [new AbortController(), new AbortController()];
  const served = new Promise<ServeOrder>((resolve) => {
    process.on("message", (order: Order) => {
      if (order.kind === "serve") resolve(order);
      else (order.kind === "drain" ? drain : giveBack).abort();
    });
  });
  const tell = (word: Word) => new Promise<void>((resolve) => process.send?.(word, () => resolve()));
  return { served, drain: drain.signal, giveBack: giveBack.signal, tell };
}
