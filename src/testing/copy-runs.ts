import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest } from "../store/manifest.js";

interface CopiedRun {
  id: string;
  title: string;
  createdAt: Date;
}

/** Copies a stored run within its runs folder, which is far faster than running one. */
function copyRun(dir: string, { id, title, createdAt }: CopiedRun): void {
  const copy = join(dirname(dir), id);
  cpSync(dir, copy, { recursive: true });
  // The card still has the original title.
  rmSync(join(copy, "card.json"), { force: true });
  const path = join(copy, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  const changes = { runId: id, createdAt: createdAt.toISOString(), config: { ...manifest.config, title } };
  writeFileSync(path, JSON.stringify({ ...manifest, ...changes }));
}

/** Makes copies one day apart: `copy-000` is the oldest; titles are `Copy 0`, `Copy 1` and so on. */
export function copyRunTimes(dir: string, count: number): void {
  for (let place = 0; place < count; place++) {
    const createdAt = new Date(Date.UTC(2025, 0, 1 + place));
    copyRun(dir, { id: `copy-${String(place).padStart(3, "0")}`, title: `Copy ${place}`, createdAt });
  }
}
