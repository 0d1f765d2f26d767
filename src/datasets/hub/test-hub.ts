import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Hub, type HubOptions, type HubPorts, openHub } from "./hub.js";
import { type HubPlan, type ScriptedHub, startScriptedHub } from "./scripted-hub.js";

/** A scripted hub with a temporary cache, for tests. */
export class TestHub {
  readonly server: ScriptedHub;
  readonly cacheDir: string = mkdtempSync(join(tmpdir(), "assay-hub-"));
  readonly notes: string[] = [];
  /** Delays before retries, which tests do not wait for. */
  readonly waits: number[] = [];

  static async start(plan: HubPlan): Promise<TestHub> {
    return new TestHub(await startScriptedHub(plan));
  }

  private constructor(server: ScriptedHub) {
    this.server = server;
  }

  openHub(options: HubOptions = {}, ports: Partial<HubPorts> = {}): Hub {
    const { cacheDir, server, notes, waits } = this;
    const sleep = async (ms: number) => {
      waits.push(ms);
      await nextTurn();
    };
    const given = { endpoint: server.url, cacheDir, onNote: (note: string) => void notes.push(note) };
    return openHub({ ...given, env: { HOME: cacheDir }, ...options }, { sleep, random: () => 1, ...ports });
  }

  /** Requests since the last call: method, path without query, and status. */
  takeRequests(): string[] {
    const show = ({ method, path, status }: { method: string; path: string; status: number }) =>
      `${method} ${path.split("?")[0]} ${status}`;
    return this.server.requests.splice(0).map(show);
  }

  async close(): Promise<void> {
    await this.server.close();
    rmSync(this.cacheDir, { recursive: true, force: true });
  }
}

export function createRandomBytes(size: number): Buffer {
  return randomBytes(size);
}

/** A repository with these files on its main branch. */
export function createRepo(files: Record<string, Uint8Array>) {
  return { revisions: { main: { files } } };
}
