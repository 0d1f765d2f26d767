import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { HubFile } from "./hub.js";

/** What keeps a local file from being the hub's; null when nothing does. */
export async function problemWithFile(path: string, file: HubFile): Promise<string | null> {
  const { size } = await stat(path);
  if (size !== file.size) return `it has ${size} bytes instead of ${file.size}`;
  const wanted = file.sha256 ?? file.gitSha1;
  if (wanted === undefined) return null;
  const found = await hashFile(path, file);
  return found === wanted ? null : `its checksum is ${found.slice(0, 12)}… instead of ${wanted.slice(0, 12)}…`;
}

/** Read back from the disk, so that what is verified is what is there. */
async function hashFile(path: string, { sha256, size }: HubFile): Promise<string> {
  const hash = sha256 === undefined ? createHash("sha1").update(`blob ${size}\0`) : createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
