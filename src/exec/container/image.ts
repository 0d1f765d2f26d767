import { createHash } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { Environment, ImageSource } from "../../core/index.js";
import { SandboxError } from "../../core/index.js";
import { decodeContent } from "../workspace/diff.js";
import { removeFolder } from "../workspace/folder.js";
import { FolderWriter } from "../workspace/folder-writer.js";
import { type Engine, getLastLine, getTail } from "./engine.js";

/** An image that is on this machine. */
export interface LocalImage {
  readonly name: string;
  readonly id: string;
  /** The folder that its programs start in; null for none of its own. */
  readonly workdir: string | null;
}

/** Each image is looked up once for each process, however many trials need it. */
const known = new Map<string, Promise<LocalImage>>();

/**
 * Finds the image of an example: pulls it, or builds it from its Dockerfile, unless it is on this machine.
 * @example
 * await findImage(new Engine("podman"), { image: "python:3.12" });
 */
export function findImage(engine: Engine, { image, dockerfile }: Environment): Promise<LocalImage> {
  const name = dockerfile === undefined ? image : nameBuiltImage(requireRead(dockerfile));
  if (name === undefined)
    throw new SandboxError(
      `The example has no image: name one with \`image\` or \`dockerfile\` of its \`environment\`, or use --isolation box or none.`,
    );
  const key = `${engine.name} ${name}`;
  const found = known.get(key) ?? makeImage(engine, name, dockerfile);
  known.set(key, found);
  // It may be there next time.
  found.catch(() => known.delete(key));
  return found;
}

async function makeImage(engine: Engine, name: string, dockerfile: Environment["dockerfile"]): Promise<LocalImage> {
  const there = await inspectImage(engine, name);
  if (there !== null) return there;
  if (dockerfile === undefined) await pullImage(engine, name);
  else await buildImage(engine, name, requireRead(dockerfile));
  const made = await inspectImage(engine, name);
  if (made !== null) return made;
  throw new SandboxError(`The image ${name} was made, but ${engine.name} does not find it.`);
}

async function pullImage(engine: Engine, name: string): Promise<void> {
  const result = await engine.run(["pull", name]);
  if (result.code === 0) return;
  throw new SandboxError(
    `The image ${name} is not on this machine, and ${engine.name} cannot pull it: ${getLastLine(result)}`,
  );
}

async function buildImage(engine: Engine, name: string, { dockerfile, files }: ImageSource): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "assay-image-"));
  try {
    const writer = new FolderWriter(folder);
    for (const file of files)
      await writer.write({ path: file.dest, bytes: decodeContent(file), executable: file.executable });
    const result = await engine.run(["build", "--tag", name, "--file", join(folder, dockerfile), folder]);
    if (result.code !== 0)
      throw new SandboxError(`${engine.name} cannot build ${dockerfile}. Its last output:\n${getTail(result)}`);
  } finally {
    await removeFolder(folder);
  }
}

/** Equal contents are built once. */
function nameBuiltImage({ dockerfile, files }: ImageSource): string {
  const content = files.map(({ dest, content, encoding, executable }) => [dest, content, encoding, executable]);
  const hash = createHash("sha256").update(JSON.stringify([dockerfile, content]));
  return `assay-built:${hash.digest("hex").slice(0, 32)}`;
}

function requireRead(dockerfile: NonNullable<Environment["dockerfile"]>): ImageSource {
  if (typeof dockerfile !== "string") return dockerfile;
  throw new SandboxError(`"${dockerfile}" has not been read yet: pass the environment to loadEnvironment first.`);
}

const inspectedSchema = z.tuple([
  z.object({ Id: z.string(), Config: z.object({ WorkingDir: z.string().optional() }).nullish() }),
]);

/** Null when it is not on this machine. */
async function inspectImage(engine: Engine, name: string): Promise<LocalImage | null> {
  const { code, stdout } = await engine.run(["image", "inspect", name]);
  if (code !== 0) return null;
  const [{ Id: id, Config: config }] = inspectedSchema.parse(JSON.parse(stdout));
  const workdir = config?.WorkingDir ?? "";
  return { name, id, workdir: workdir === "" || workdir === "/" ? null : workdir };
}
