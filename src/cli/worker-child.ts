import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { AssayError, EXIT, QueueError } from "../core/errors.js";
import type { EvaluateOptions } from "../evaluate.js";
import { isWithin } from "../exec/workspace/relative-path.js";
import { openRedis } from "../queue/connection.js";
import type { Announcement, PlanSource, WorkerState } from "../queue/contract.js";
import { RefusalError } from "../queue/insist.js";
import { KEYS } from "../queue/keys.js";
import { DismissedError } from "../queue/serve-run.js";
import { signerFor } from "../queue/signer.js";
import { guarded } from "./guard.js";
import { followOrders, type Orders, type ServeOrder } from "./worker-orders.js";

export type TakePart = (options: EvaluateOptions) => Promise<void>;

/** Main function of the process that a worker starts for one run. */
export async function serveOneRun(): Promise<number> {
  const orders = followOrders();
  const order = await orders.served;
  try {
    const run = await announced(order);
    if (run === null) return EXIT.fine;
    await guarded(() => join(run, order, (options) => takePart(options, order, orders)));
    return EXIT.fine;
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    await orders.tell({ kind: kindOf(error), why: withoutSubject(error.message) });
    return error.exitCode;
  }
}

function kindOf(error: AssayError): "gaveUp" | "dismissed" | "refused" {
  if (error instanceof RefusalError) return "gaveUp";
  return error instanceof DismissedError ? "dismissed" : "refused";
}

/** The worker adds the run itself. */
function withoutSubject(message: string): string {
  return message.replace(/^This worker [^:]+: /, "");
}

/** Null if the run is already over. */
async function announced({ queue, run }: ServeOrder): Promise<Announcement | null> {
  const redis = await openRedis(queue);
  try {
    const text = await redis.get(KEYS.run(run));
    if (text === null) return null;
    const announcement = signerFor(queue).openAnnouncement(run, text);
    if (announcement === null) throw new QueueError("it was announced by another version of Assay");
    return announcement;
  } finally {
    redis.disconnect();
  }
}

async function join(run: Announcement, order: ServeOrder, use: TakePart): Promise<void> {
  const { source } = run;
  if (source === null)
    throw new QueueError(
      "it was started by a program without a plan source: only a program that calls work() with the same options can join",
    );
  const place = placeHere(source, order);
  if (source.kind === "module") {
    process.chdir(place.cwd);
    const [{ moduleOptions }, { requireModuleAllowed }] = await Promise.all([
      import("./worker-module.js"),
      import("./worker-allow.js"),
    ]);
    const path = place.moved(resolve(source.cwd, source.path));
    requireModuleAllowed(path, { allowed: order.allowed, project: place.cwd });
    return use(await moduleOptions(path));
  }
  const { joinCommand } = await import("./worker-join.js");
  return joinCommand(
    run,
    { invocation: source.invocation, place, headers: order.headers, allowed: order.allowed },
    use,
  );
}

/** Where the project of a run is on this machine. */
export interface Place {
  readonly cwd: string;
  /** Maps a path on the machine of the run to this machine. */
  moved(path: string): string;
}

/**
 * A project may be in a different folder on every machine, but its files have the same relative paths. Folders outside the
 * worker's own are ignored, because their files do not belong to the worker.
 */
function placeHere(source: PlanSource, { project }: ServeOrder): Place {
  const there = source.kind === "module" ? source.cwd : String((source.invocation as { cwd?: unknown } | null)?.cwd);
  const isHere = isWithin(process.cwd(), there) && statSync(there, { throwIfNoEntry: false })?.isDirectory() === true;
  const cwd = project ?? (isHere ? there : process.cwd());
  return { cwd, moved: (path) => resolve(cwd, relative(there, path)) };
}

async function takePart(options: EvaluateOptions, order: ServeOrder, orders: Orders): Promise<void> {
  const { takePart: join } = await import("../runs/take-part.js");
  const { run, queue, concurrency, leaseSeconds, sharedDir, share } = order;
  const { say } = await import("./streams.js");
  const how = {
    run,
    queue,
    concurrency,
    leaseSeconds,
    ...(sharedDir === null ? {} : { sharedDir }),
    drain: orders.drain,
    onNote: say,
    onState: (state: WorkerState) => void orders.tell({ kind: "state", state }),
  };
  await join(options, how, { share, giveBack: orders.giveBack });
}
