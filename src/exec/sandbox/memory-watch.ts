import { readFile } from "node:fs/promises";

const EVERY_MS = 150;

/**
 * Calls when a process and all it has started hold more memory than allowed. The kernel holds each process to its
 * limit; this holds all of them together. Returns what ends the watch.
 */
export function watchMemory(pid: number | undefined, maxBytes: number, exceeded: () => void): () => void {
  if (pid === undefined) return () => undefined;
  let timer: NodeJS.Timeout;
  let isOver = false;
  const look = async () => {
    const bytes = await memoryOf(pid);
    if (isOver) return;
    if (bytes > maxBytes) exceeded();
    else timer = again();
  };
  const again = () => setTimeout(() => void look(), EVERY_MS).unref();
  timer = again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

async function memoryOf(pid: number): Promise<number> {
  const [own, children] = await Promise.all([ownMemory(pid), childrenOf(pid)]);
  const theirs = await Promise.all(children.map(memoryOf));
  return theirs.reduce((sum, bytes) => sum + bytes, own);
}

async function ownMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const sizes = status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB/gm);
  return [...sizes].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
}

async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return list.split(" ").filter(Boolean).map(Number);
}
