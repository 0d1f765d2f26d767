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

/** Takes part in one run with what the command line or a module says of it. */
export type TakePart = (options: EvaluateOptions) => Promise<void>;

/** The process that a worker starts for a run: takes part in it until it is over. */
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

/** The worker says itself of which run it speaks. */
function withoutSubject(message: string): string {
  return message.replace(/^This worker does not take part in \S+: /, "");
}

/** The run as it was announced; null when it is over by now. */
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
      "it was started by a program that does not say what its plan is made from: only a program that calls work() with the same options can take part",
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

/** Where a run is on this machine. */
export interface Place {
  readonly cwd: string;
  /** The path here of a file that lies there. */
  moved(path: string): string;
}

/**
 * A project may lie elsewhere on every machine; within it, everything lies in the same place. What a run says of folders
 * outside of the worker's own counts for nothing: their files are not the worker's.
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
