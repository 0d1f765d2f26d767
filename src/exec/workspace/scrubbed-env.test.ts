import { describe, expect, it } from "vitest";
import { buildScrubbedEnv } from "./scrubbed-env.js";

const PLACES = { home: "/h", tmp: "/t" };

describe("buildScrubbedEnv", () => {
  it("passes only what programs need to run and to reach the network", () => {
    const from = {
      PATH: "/p",
      LANG: "de",
      TZ: "UTC",
      OPENAI_API_KEY: "k",
      AWS_PROFILE: "p",
      GIT_DIR: "/x",
      NODE_OPTIONS: "-r x",
      HOME: "/me",
      SSL_CERT_FILE: "/c",
    };
    const env = buildScrubbedEnv({ ...PLACES, from });
    expect(env).toMatchObject({
      PATH: "/p",
      LANG: "de",
      TZ: "UTC",
      SSL_CERT_FILE: "/c",
      HOME: "/h",
      TMPDIR: "/t",
      TERM: "dumb",
      USER: "agent",
    });
    expect(Object.keys(env).sort()).toEqual([
      "HOME",
      "LANG",
      "LOGNAME",
      "PATH",
      "SHELL",
      "SSL_CERT_FILE",
      "TERM",
      "TMPDIR",
      "TZ",
      "USER",
    ]);
  });

  it("adds the example's variables, overridden by the extra ones", () => {
    const env = buildScrubbedEnv({
      ...PLACES,
      from: {},
      env: { OPENAI_API_KEY: "theirs", A: "1", HOME: "/e" },
      extra: { A: "2" },
    });
    expect(env).toMatchObject({ OPENAI_API_KEY: "theirs", A: "2", HOME: "/e" });
  });

  it("bypasses proxies for this machine, and sets nothing without proxies", () => {
    const env = buildScrubbedEnv({
      ...PLACES,
      from: { https_proxy: "http://p:1", NO_PROXY: "a.org, localhost", no_proxy: "b.org" },
    });
    expect(env.https_proxy).toBe("http://p:1");
    expect(env.NO_PROXY).toBe("a.org,localhost,b.org,127.0.0.1");
    expect(env.no_proxy).toBe(env.NO_PROXY);
    expect(buildScrubbedEnv({ ...PLACES, from: { NO_PROXY: "a.org" } })).not.toHaveProperty("NO_PROXY");
  });
});
