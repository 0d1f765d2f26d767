import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

/** Requests that a browser makes on its own must not be mistaken for those of the page. */
const ARGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Logs violations of the page's security policy, so that they count as problems. */
const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("stopped by the policy: " + violatedDirective + " " + blockedURI));`;

/** Starts the system's browser. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findOnPath("chromium"), args: ARGS });
}

function findOnPath(command: string): string {
  const places = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, command));
  return places.find(isExecutable) ?? command;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface OpenPageOptions extends BrowserContextOptions {
  /** Problems that a test causes on purpose. */
  expected?: RegExp;
}

/** An open page with its problems and requests. */
interface OpenPage {
  page: Page;
  origin: string;
  problems: string[];
  requests: string[];
}

/** The open pages of a test, with everything that went wrong in them. */
export class TestPages {
  readonly #browser: Browser;
  #open: OpenPage[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Opens an address in a fresh browser context. */
  async open(address: string, { expected = /$^/, ...options }: OpenPageOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 860 },
      locale: "en-US",
      timezoneId: "UTC",
      reducedMotion: "reduce",
      ...options,
    });
    await context.addInitScript(REPORT_VIOLATIONS);
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    this.#open.push(watchPage(page, new URL(address).origin, expected));
    await page.goto(address);
    return page;
  }

  /** Closes all pages. Throws if one had a problem or made a request to another server. */
  async closeAll(): Promise<void> {
    const visits = this.#open;
    this.#open = [];
    await Promise.all(visits.map(({ page }) => page.context().close()));
    for (const { problems, requests, origin } of visits) {
      expect(problems).toEqual([]);
      expect(requests.filter((url) => !isSameOrigin(url, origin))).toEqual([]);
    }
  }
}

function watchPage(page: Page, origin: string, expected: RegExp): OpenPage {
  const visit: OpenPage = { page, origin, problems: [], requests: [] };
  const tell = (problem: string) => !expected.test(problem) && visit.problems.push(problem);
  page.on("console", (message) => message.type() === "error" && tell(message.text()));
  page.on("pageerror", (error) => tell(error.stack ?? error.message));
  page.on("dialog", (dialog) => {
    tell(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => visit.requests.push(request.url()));
  return visit;
}

/** Images of charts are created from blob and data URLs of the page. */
function isSameOrigin(url: string, origin: string): boolean {
  return url.startsWith("data:") || url.startsWith("blob:") || new URL(url).origin === origin;
}
