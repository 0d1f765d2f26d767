import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../../core/index.js";
import { lacksBoxes } from "../../testing/boxes.js";
import { type CommandResult, runCommand } from "../process/index.js";
import { Box } from "./box.js";
import { isHostAllowed, parseAllowedHost, resolveBoxSettings } from "./box-settings.js";

describe("--allow-host", () => {
  it.each([
    ["registry.example.org", { host: "registry.example.org", ports: [80, 443] }],
    ["Example.ORG:8443", { host: "example.org", ports: [8443] }],
    ["*.example.org", { host: "*.example.org", ports: [80, 443] }],
    ["127.0.0.1:5432", { host: "127.0.0.1", ports: [5432] }],
  ])("reads %s", (text, expected) => {
    expect(parseAllowedHost(text)).toEqual(expected);
  });

  it.each(["", "https://example.org", "example.org/path", "*", "a:0", "a:70000", "a b", "*.*.org"])(
    "rejects %j",
    (text) => {
      expect(() => parseAllowedHost(text)).toThrow(UsageError);
    },
  );

  it("allows exactly what it names", () => {
    const allowed = ["example.org", "*.example.com", "db.local:5432"].map(parseAllowedHost);
    const tried = [
      ["example.org", 443],
      ["EXAMPLE.org.", 80],
      ["a.b.example.com", 443],
      ["db.local", 5432],
      ["example.org", 22],
      ["evil-example.org", 443],
      ["example.org.evil.net", 443],
      ["example.com", 443],
      ["evilexample.com", 443],
      ["db.local", 443],
    ] as const;
    expect(tried.filter(([host, port]) => isHostAllowed(host, port, allowed))).toEqual(tried.slice(0, 4));
  });

  it("explains wrong options", () => {
    const resolve = (options: Parameters<typeof resolveBoxSettings>[0]) => () => resolveBoxSettings(options);
    expect(resolve({ isolation: "bx" })).toThrow('Unknown isolation "bx". Did you mean "box"?');
    expect(resolve({ allowHosts: ["a"] })).toThrow(
      "--allow-host is only for a box. Add --isolation box, or remove it.",
    );
    expect(resolve({ isolation: "box", allowPaths: ["/no/such"] })).toThrow("there is no such file or folder");
    expect(resolve({ isolation: "box", allowPaths: ["/tmp"] })).toThrow("cannot be shown in a box");
    expect(resolve({ isolation: "box", limits: { memory: 1 } })).toThrow('Unknown --box-limit "memory".');
    expect(resolve({ isolation: "box", limits: { cpus: 0 } })).toThrow("--box-limit cpus=0 must be a number above 0.");
    expect(resolve({ isolation: "box", limits: { processes: 2 } })).toThrow("at least 8");
    expect(resolveBoxSettings({})).toBeNull();
  });
});

describe.skipIf(await lacksBoxes())("the way out of a box", () => {
  let root: string;
  let server: Server;
  let port: number;
  const boxes: Box[] = [];

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "assay-boxed-"));
    mkdirSync(join(root, "work"));
    server = createServer((request, response) => {
      if (request.url === "/large") response.end("x".repeat(3_000_000));
      else
        request.resume().on("end", () => response.end(`${request.method} ${request.url} from ${request.headers.host}`));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as { port: number }).port;
  });
  afterEach(async () => {
    await Promise.all(boxes.splice(0).map((box) => box.close()));
    server.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function fetchFromBox(urls: readonly string[], allowHosts: readonly string[], ports: readonly number[] = []) {
    const settings = resolveBoxSettings({ isolation: "box", allowHosts });
    if (settings === null) throw new Error("there is no box");
    const box = await Box.open(settings, { scratch: join(root, "box"), writable: [join(root, "work")] });
    boxes.push(box);
    // A small client that uses the proxy as package managers do: CONNECT for https, the whole address for http.
    const script = `
const http = require("node:http");
const proxy = process.env.HTTPS_PROXY && new URL(process.env.HTTPS_PROXY);
const read = (answer) => new Promise((done) => { let text = ""; answer.on("data", (part) => { text += part; }); answer.on("end", () => done((answer.statusCode + " " + (text.length > 100 ? text.length : text)).trim())); });
const plain = (options) => new Promise((done) => http.get(options, (answer) => done(read(answer))).on("error", (error) => done(error.code)));
const connect = (host) => new Promise((done) => http.request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: host }).on("connect", (answer, socket) => {
  if (answer.statusCode !== 200) { socket.destroy(); return done(String(answer.statusCode)); }
  http.get({ createConnection: () => socket, host: host.split(":")[0], port: host.split(":")[1], path: "/tunnel" }, (reply) => done(read(reply)));
}).on("error", (error) => done(error.code)).end());
const visit = (url) => url.startsWith("connect:") ? connect(url.slice(8)) : url.startsWith("direct:") ? plain(url.slice(7)) : plain({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } });
Promise.all(${JSON.stringify(urls)}.map(visit)).then((all) => console.log(JSON.stringify(all)));
`;
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HTTPS_PROXY: "http://user:password@proxy.example.org:1" };
    const where = { cwd: join(root, "work"), env, box, ports, timeoutMs: 60_000 };
    const ran: CommandResult = await runCommand({ command: process.execPath, args: ["-e", script], ...where });
    expect(ran.stderr).toBe("");
    return { answers: JSON.parse(ran.stdout) as string[], network: box.record.network };
  }

  it("leads to the ports of a program and nowhere else", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const closed = (other.address() as { port: number }).port;
    const urls = [port, closed].map((each) => `direct:http://127.0.0.1:${each}/`);
    const { answers, network } = await fetchFromBox([...urls, `direct:http://127.0.0.1:${port}/large`], [], [port]);
    other.close();
    expect(answers).toEqual([`200 GET / from 127.0.0.1:${port}`, "ECONNREFUSED", "200 3000000"]);
    expect(network).toEqual({ reached: {}, refused: {} });
  });

  it("leads to allowed hosts through the proxy, and records both kinds", async () => {
    const here = `localhost:${port}`;
    const urls = [
      `http://${here}/page`,
      `connect:${here}`,
      "http://example.org/",
      "connect:example.org:443",
      `connect:127.0.0.1:${port}`,
      "connect:nonsense",
    ];
    const { answers, network } = await fetchFromBox(urls, [here]);
    const refusal = "403 This host is not allowed in the box: see --allow-host.";
    expect(answers).toEqual([
      `200 GET /page from ${here}`,
      `200 GET /tunnel from ${here}`,
      refusal,
      "403",
      "403",
      "403",
    ]);
    expect(network).toEqual({
      reached: { [here]: 2 },
      refused: { "example.org:80": 1, "example.org:443": 1, [`127.0.0.1:${port}`]: 1, ":0": 1 },
    });
  });

  it("shows an allowed port of this machine at the same address", async () => {
    const { answers, network } = await fetchFromBox([`direct:http://127.0.0.1:${port}/`], [`127.0.0.1:${port}`]);
    expect(answers).toEqual([`200 GET / from 127.0.0.1:${port}`]);
    expect(network.reached).toEqual({ [`127.0.0.1:${port}`]: 1 });
  });

  it("answers when an allowed host cannot be reached", async () => {
    const { answers } = await fetchFromBox(["connect:localhost:1", "http://localhost:1/"], ["localhost:1"]);
    expect(answers).toEqual(["502", "502"]);
  });
});
