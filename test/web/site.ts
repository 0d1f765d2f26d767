import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { LAUNCHER, watchCommand } from "../../src/testing/run-assay.js";
import { launchBrowser, type OpenPageOptions, TestPages } from "./browser.js";

/** A running `assay serve`. */
export interface ServedDashboard {
  /** The address of the page, with the token if there is one. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the real command for a folder of runs; resolves when it has printed its address. */
export async function serveRuns(runsDir: string, ...args: string[]): Promise<ServedDashboard> {
  const command = [LAUNCHER, "serve", "--no-open", "--port", "0", "--runs-dir", runsDir, ...args];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"] });
  const { finished } = watchCommand(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once("data", (text: string) => resolve(text.trim()));
    finished.then(({ stderr }) => reject(new Error(`the server exited: ${stderr}`)), reject);
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await finished;
  };
  return { url, stop };
}

/** Shared by the tests of a suite: one browser, one server, one folder of runs. */
export interface Site<T> {
  readonly browser: Browser;
  readonly runsDir: string;
  readonly url: string;
  /** The result of `makeRuns`. */
  readonly runs: T;
  /** Opens an address of the page, such as `#/runs`; the test fails afterwards if the page had a problem. */
  open(hash: string, options?: OpenPageOptions): Promise<Page>;
  /** The same for another server. */
  visit(address: string, options?: OpenPageOptions): Promise<Page>;
}

interface SiteParts<T> {
  runsDir: string;
  browser: Browser;
  visits: TestPages;
  server: ServedDashboard;
  runs: T;
}

/** Stores runs, serves them and starts a browser for all tests of a suite. */
export function useSite<T>(makeRuns: (runsDir: string) => Promise<T>): Site<T> {
  let parts: SiteParts<T> | undefined;
  const ready = (): SiteParts<T> => {
    if (parts === undefined) throw new Error("The site exists only while tests run.");
    return parts;
  };
  beforeAll(async () => {
    const runsDir = mkdtempSync(join(tmpdir(), "assay-web-"));
    const runs = await makeRuns(runsDir);
    const [server, browser] = await Promise.all([serveRuns(runsDir), launchBrowser()]);
    parts = { runsDir, browser, visits: new TestPages(browser), server, runs };
  }, 120_000);
  afterEach(() => parts?.visits.closeAll());
  afterAll(async () => {
    await parts?.browser.close();
    await parts?.server.stop();
    if (parts !== undefined) rmSync(parts.runsDir, { recursive: true, force: true });
  });
  return {
    get runsDir() {
      return ready().runsDir;
    },
    get browser() {
      return ready().browser;
    },
    get url() {
      return ready().server.url;
    },
    get runs() {
      return ready().runs;
    },
    open: (hash, options) => ready().visits.open(`${ready().server.url}${hash}`, options),
    visit: (address, options) => ready().visits.open(address, options),
  };
}
