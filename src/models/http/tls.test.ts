import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TrialError } from "../../core/errors.js";
import { isCommandMissing } from "../../testing/system-command.js";
import { openClient } from "./client.js";
import { serveScript } from "./scripted-server.js";

const run = promisify(execFile);

describe.skipIf(isCommandMissing("openssl"))("TLS", () => {
  let dir = "";
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "assay-tls-"));
    const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
    const made = ["req", "-x509", ...curve, "-nodes", "-keyout", key, "-out", cert, "-days", "2", ...names];
    execFileSync("openssl", made, { stdio: "ignore" });
    server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) =>
      response.end("secret"),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
    rmSync(dir, { recursive: true });
  });

  const failure = async (url: string): Promise<TrialError> => {
    const client = openClient();
    const { signal } = new AbortController();
    return client.post({ url, headers: {}, body: "", signal }).then(
      () => Promise.reject(new Error("it was answered")),
      (error: TrialError) => error,
    );
  };

  it("rejects a self-signed certificate and explains how to trust it", async () => {
    const error = await failure(`https://localhost:${port}/`);
    expect(error.category).toBe("api_error");
    expect(error.message).toMatch(
      new RegExp(`localhost:${port} is not signed by a trusted authority.*NODE_EXTRA_CA_CERTS`),
    );
    expect(error.retry).toBeUndefined();
  });

  it("accepts it in a process configured as the message says", async () => {
    const script = `
      import { createJiti } from "jiti";
      const { openClient } = await createJiti(process.cwd() + "/").import("./src/models/http/client.ts");
      const { signal } = new AbortController();
      const answer = await openClient().post({ url: "https://localhost:${port}/", headers: {}, body: "", signal });
      process.stdout.write(await answer.text(100));
    `;
    const cwd = fileURLToPath(new URL("../../..", import.meta.url));
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(dir, "cert.pem") };
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { cwd, env });
    expect(stdout).toBe("secret");
  });

  it("reports a server that speaks plain http", async () => {
    const plain = await serveScript((_, response) => response.end("hi"));
    const error = await failure(`https://127.0.0.1:${plain.port}/`);
    expect(error.message).toMatch(/The TLS connection to 127\.0\.0\.1:\d+ failed.*Check whether it is http/);
    expect(error.retry).toBeUndefined();
    await plain.close();
  });
});
