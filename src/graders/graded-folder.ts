import { existsSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../core/environment.js";
import { messageOf } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import type { FolderUse } from "./own-grader.js";

/** What graders work in. */
export interface GradedFolder {
  /** Null when there is none. */
  readonly path: string | null;
  /** Why there is none, where there should be one. */
  readonly problem?: string;
  /** Variables for programs. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const NOTHING: GradedFolder = { path: null, env: {}, remove: async () => undefined };

interface FolderWanted {
  readonly example: Example;
  readonly output: Output;
  /** The most that any of the graders does with it. */
  readonly use: FolderUse;
  readonly signal: AbortSignal;
}

/**
 * The folder that a trial was done in: itself, while it is there; else one made again from the example and what was
 * changed. Programs get a HOME of their own, not the agent's: what it left there must not help it.
 */
export async function openFolder({ example, output, use, signal }: FolderWanted): Promise<GradedFolder> {
  const { workspace } = output;
  if (use === "none" || workspace === undefined || workspace === null) return NOTHING;
  const environment = (example.environment ?? {}) as Environment;
  const outside = use === "runs" ? await makeOutside(environment) : NOTHING;
  if (workspace.path !== undefined && existsSync(workspace.path)) return { ...outside, path: workspace.path };
  try {
    const { rebuildWorkspace } = await import("../workspace/index.js");
    const again = await rebuildWorkspace({ environment, changes: workspace, signal });
    const remove = async () => void (await Promise.all([outside.remove(), again.remove()]));
    return { ...outside, path: again.path, remove };
  } catch (error) {
    await outside.remove();
    signal.throwIfAborted();
    return { ...NOTHING, problem: messageOf(error) };
  }
}

/** The HOME and the variables of programs that graders run. */
async function makeOutside({ env }: Environment): Promise<GradedFolder> {
  const { scrubbedEnv } = await import("../workspace/index.js");
  const { removeFolder } = await import("../workspace/remove-folder.js");
  const root = await mkdtemp(join(tmpdir(), "assay-grading-"));
  const [home, tmp] = [join(root, "home"), join(root, "tmp")];
  await mkdir(home);
  await mkdir(tmp);
  return {
    path: null,
    env: scrubbedEnv({ home, tmp, ...(env === undefined ? {} : { env }) }),
    remove: () => removeFolder(root),
  };
}
