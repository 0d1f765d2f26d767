import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { AssayError, EXIT, QueueError } from "../core/index.js";
import type { EvaluateOptions } from "../evaluate.js";
import { isWithin } from "../exec/index.js";
import type { Announcement, PlanSource, WorkerState } from "../queue/index.js";
import { createSigner, KEYS, openRedis, RedisRefusedError, WorkerDismissedError } from "../queue/index.js";
import { isolateUserCode } from "./user-code.js";
import { listenToParent, type ParentChannel, type ServeRequest } from "./worker-process.js";

export type JoinRun = (options: EvaluateOptions) => Promise<void>;

/** Main function of the process that a worker starts for one run. */
export async function serveOneRun(): Promise<number> {
  const orders = listenToParent();
  const order = await orders.request;
  try {
    const run = await fetchAnnouncement(order);
    if (run === null) return EXIT.fine;
    await isolateUserCode(() => joinRun(run, order, (options) => takePartInRun(options, order, orders)));
    return EXIT.fine;
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    await orders.send({ kind: classifyRefusal(error), why: dropSubject(error.message) });
    return error.exitCode;
  }
}

function classifyRefusal(error: AssayError): "gaveUp" | "dismissed" | "refused" {
  if (error instanceof RedisRefusedError) return "gaveUp";
  return error instanceof WorkerDismissedError ? "dismissed" : "refused";
}

/** The worker adds the run itself. */
function dropSubject(message: string): string {
  return message.replace(/^This worker [^:]+: /, "");
}

/** Null if the run is already over. */
async function fetchAnnouncement({ queue, run }: ServeRequest): Promise<Announcement | null> {
  const redis = await openRedis(queue);
  try {
    const text = await redis.get(KEYS.run(run));
    if (text === null) return null;
    const announcement = createSigner(queue).openAnnouncement(run, text);
    if (announcement === null) throw new QueueError("it was announced by another version of Assay");
    return announcement;
  } finally {
    redis.disconnect();
  }
}

async function joinRun(run: Announcement, order: ServeRequest, use: JoinRun): Promise<void> {
  const { source } = run;
  if (source === null)
    throw new QueueError(
      "it was started by a program without a plan source: only a program that calls work() with the same options can join",
    );
  const place = locateProject(source, order);
  if (source.kind === "module") {
    process.chdir(place.cwd);
    const [{ loadModuleOptions }, { requireModuleAllowed }] = await Promise.all([
      import("./worker-join.js"),
      import("./worker-allow.js"),
    ]);
    const path = place.toLocalPath(resolve(source.cwd, source.path));
    requireModuleAllowed(path, { allowed: order.allowed, project: place.cwd });
    return use(await loadModuleOptions(path));
  }
  const { joinCommand } = await import("./worker-join.js");
  return joinCommand(
    run,
    { invocation: source.invocation, place, headers: order.headers, allowed: order.allowed },
    use,
  );
}

/** Where the project of a run is on this machine. */
export interface LocalProject {
  readonly cwd: string;
  /** Maps a path on the machine of the run to this machine. */
  toLocalPath(path: string): string;
}

/**
 * A project may be in a different folder on every machine, but its files have the same relative paths. Folders outside the
 * worker's own are ignored, because their files do not belong to the worker.
 */
function locateProject(source: PlanSource, { project }: ServeRequest): LocalProject {
  const there = source.kind === "module" ? source.cwd : String((source.invocation as { cwd?: unknown } | null)?.cwd);
  const isHere = isWithin(process.cwd(), there) && statSync(there, { throwIfNoEntry: false })?.isDirectory() === true;
  const cwd = project ?? (isHere ? there : process.cwd());
  return { cwd, toLocalPath: (path) => resolve(cwd, relative(there, path)) };
}

async function takePartInRun(options: EvaluateOptions, order: ServeRequest, orders: ParentChannel): Promise<void> {
  const { serveQueue: join } = await import("../runs/serve-queue.js");
  const { run, queue, concurrency, leaseSeconds, sharedDir, share } = order;
  const { printNote } = await import("./streams.js");
  const how = {
    run,
    queue,
    concurrency,
    leaseSeconds,
    ...(sharedDir === null ? {} : { sharedDir }),
    drain: orders.drain,
    onNote: printNote,
    onState: (state: WorkerState) => void orders.send({ kind: "state", state }),
  };
  await join(options, how, { share, giveBack: orders.giveBack });
}
