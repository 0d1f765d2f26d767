import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { readHubSettings } from "./hub.js";

const home = mkdtempSync(join(tmpdir(), "assay-home-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const env = { HOME: home };

describe("readHubSettings", () => {
  it("uses the hub and the user's cache by default", () => {
    expect(readHubSettings({ env })).toEqual({
      endpoint: "https://huggingface.co",
      token: null,
      isOffline: false,
      cacheDir: join(home, ".cache", "huggingface", "hub"),
    });
  });

  it("reads the environment", () => {
    const settings = readHubSettings({
      env: {
        HF_ENDPOINT: "https://mirror.example/hf/",
        HF_TOKEN: " secret\n",
        HF_HUB_OFFLINE: "true",
        XDG_CACHE_HOME: "/var/c",
      },
    });
    expect(settings).toEqual({
      endpoint: "https://mirror.example/hf",
      token: "secret",
      isOffline: true,
      cacheDir: join("/var/c", "huggingface", "hub"),
    });
    expect(readHubSettings({ env: { ...env, ASSAY_DATASETS_CACHE: "/big" } }).cacheDir).toBe("/big");
    expect(readHubSettings({ env: { ...env, HF_HUB_CACHE: "/hub" } }).cacheDir).toBe("/hub");
    expect(readHubSettings({ env: { ...env, HF_HOME: "/hf" } }).cacheDir).toBe(join("/hf", "hub"));
    expect(readHubSettings({ env: { ...env, HUGGING_FACE_HUB_TOKEN: "older" } }).token).toBe("older");
    expect(readHubSettings({ env: { ...env, HF_HUB_OFFLINE: "0" } }).isOffline).toBe(false);
  });

  it("prefers options", () => {
    const given = { endpoint: "http://127.0.0.1:1", token: "mine", offline: false, cacheDir: "/c" };
    const settings = readHubSettings({ ...given, env: { HF_TOKEN: "x", HF_HUB_OFFLINE: "1", HF_ENDPOINT: "y" } });
    expect(settings).toEqual({ endpoint: given.endpoint, token: "mine", isOffline: false, cacheDir: "/c" });
  });

  it("finds the token of the hub's own tools", () => {
    mkdirSync(join(home, ".cache", "huggingface"), { recursive: true });
    writeFileSync(join(home, ".cache", "huggingface", "token"), "from-file\n");
    mkdirSync(join(home, "hf"));
    writeFileSync(join(home, "hf", "token"), "from-hf-home");
    expect(readHubSettings({ env }).token).toBe("from-file");
    expect(readHubSettings({ env: { ...env, HF_HOME: join(home, "hf") } }).token).toBe("from-hf-home");
    expect(readHubSettings({ env: { ...env, HF_TOKEN: "said" } }).token).toBe("said");
  });

  it.each(["nonsense", "ftp://x", "https://user:pass@mirror.example"])("rejects the endpoint %o", (endpoint) => {
    expect(() => readHubSettings({ endpoint, env })).toThrow(/HF_ENDPOINT/);
  });

  it("rejects a token that is not a valid header, without printing it", () => {
    const failing = () => readHubSettings({ token: "se cret", env });
    expect(failing).toThrow(UsageError);
    expect(failing).not.toThrow(/se cret/);
  });
});
