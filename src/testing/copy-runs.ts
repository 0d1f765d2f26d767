import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest } from "../store/manifest.js";

/** What a copy of a run is called, and when it says it was made. */
interface CopiedRun {
  id: string;
  title: string;
  createdAt: Date;
}

/** Copies a stored run within its folder of runs, which takes a thousandth of the time of making one. */
function copyRun(dir: string, { id, title, createdAt }: CopiedRun): void {
  const copy = join(dirname(dir), id);
  cpSync(dir, copy, { recursive: true });
  // It has the title of the first one.
  rmSync(join(copy, "card.json"), { force: true });
  const path = join(copy, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  const changes = { runId: id, createdAt: createdAt.toISOString(), config: { ...manifest.config, title } };
  writeFileSync(path, JSON.stringify({ ...manifest, ...changes }));
}

/** Copies a run so often, a day apart: `copy-000` is the oldest, and titles are `Copy 0`, `Copy 1` and so on. */
export function copyRunOften(dir: string, count: number): void {
  for (let place = 0; place < count; place++) {
    const createdAt = new Date(Date.UTC(2025, 0, 1 + place));
    copyRun(dir, { id: `copy-${String(place).padStart(3, "0")}`, title: `Copy ${place}`, createdAt });
  }
}
