import { EXIT, UsageError } from "../core/errors.js";
import type { WorkerState } from "../queue/contract.js";
import type { TrialShare } from "../queue/serve-run.js";
import type { WorkerPermissions } from "./worker-allow.js";

/** Request to a worker's child process to serve one run. Sent as a message, because other users can see flags. */
export interface ServeRequest {
  readonly kind: "serve";
  readonly run: string;
  readonly queue: string;
  readonly concurrency: number;
  /** Which trials it takes: those that may crash their process run in a separate one. */
  readonly share: TrialShare;
  readonly leaseSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The project folder on this machine; null for the path where the run was started, if that is in the worker's folder. */
  readonly project: string | null;
  readonly allowed: WorkerPermissions;
  /** Folder for large outputs on this machine; null for the path set by the run. */
  readonly sharedDir: string | null;
}

export type ParentMessage = ServeRequest | { readonly kind: "drain" } | { readonly kind: "giveBack" };

export type ChildMessage =
  | { readonly kind: "state"; readonly state: WorkerState }
  /** It does not join, was dismissed, or gave up because Redis rejects requests. */
  | { readonly kind: "refused" | "dismissed" | "gaveUp"; readonly why: string };

/** The child's side of the connection. */
export interface ParentChannel {
  readonly request: Promise<ServeRequest>;
  /** Aborted to finish running trials and take no more. */
  readonly drain: AbortSignal;
  /** Aborted to leave running trials to other workers. */
  readonly giveBack: AbortSignal;
  send(word: ChildMessage): Promise<void>;
}

/** Receives messages from the worker that started this process, and exits with it. */
export function listenToParent(): ParentChannel {
  if (process.connected === undefined)
    throw new UsageError(
      "--serve is only for processes that assay worker starts. Write: assay worker --queue redis://HOST:6379.",
    );
  // Ctrl-C in a terminal reaches every process; the worker decides what to do.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  // The worker may have exited before this process started to listen.
  if (!process.connected) process.exit(EXIT.interrupted);
  process.on("disconnect", () => process.exit(EXIT.interrupted));
  const [drain, giveBack] = [new AbortController(), new AbortController()];
  const served = new Promise<ServeRequest>((resolve) => {
    process.on("message", (order: ParentMessage) => {
      if (order.kind === "serve") resolve(order);
      else (order.kind === "drain" ? drain : giveBack).abort();
    });
  });
  const tell = (word: ChildMessage) => new Promise<void>((resolve) => process.send?.(word, () => resolve()));
  return { request: served, drain: drain.signal, giveBack: giveBack.signal, send: tell };
}
