import { describe, expect, it, onTestFinished } from "vitest";
import { type ServedDashboard, type Site, serveRuns } from "./site.js";
import type { HardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

const TOKEN = "a-token-of-some-length";

/** Security policy and token of the server. */
export function describeServing(site: Site<HardRuns>): void {
  const serve = async (...args: string[]): Promise<ServedDashboard> => {
    const served = await serveRuns(site.runsDir, ...args);
    onTestFinished(() => served.stop());
    return served;
  };

  describe("server", () => {
    it("sends a page without inline scripts or styles, with a strict policy", async () => {
      const response = await fetch(site.url);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain("unsafe");
      const html = await response.text();
      expect(html).toMatch(/<script[^>]* src="/);
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|https?:\/\//);
    });

    it("shows nothing without its token, and everything with it", async () => {
      const { url } = await serve("--token", TOKEN);
      const [address = ""] = url.split("?");
      const stranger = await site.visit(address, { expected: /401/ });
      expect(await stranger.locator("body").textContent()).toContain("This server requires its token");
      expect(await stranger.locator("#app").count()).toBe(0);
      const guest = await site.visit(url);
      await guest.getByRole("heading", { name: "Overview" }).waitFor();
      await guest.locator("table tbody tr").first().waitFor();
      expect(guest.url()).not.toContain(TOKEN);
      await guest.getByRole("link", { name: "Runs", exact: true }).click();
      await guest.getByText(/^1–\d+ of \d+ runs$/).waitFor();
    });

    it("is reported as unreachable when it is gone", async () => {
      const served = await serve();
      const page = await site.visit(`${served.url}#/runs`, { expected: /ERR_|network|EventSource/i });
      await page.getByText(/^1–\d+ of \d+ runs$/).waitFor();
      await served.stop();
      await page.getByRole("link", { name: "Overview" }).click();
      await waitFor(() => page.getByRole("alert").textContent()).toMatch(/does not answer.*assay serve/);
    });
  });
}
