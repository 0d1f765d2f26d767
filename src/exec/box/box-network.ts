import { chmod, mkdir } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { type Duplex, pipeline } from "node:stream";
import type { ForwardedPort } from "./box-forwarder.js";
import { type AllowedHost, isHostAllowed, listLocalPorts, parseAllowedHost } from "./box-settings.js";

/** The hosts that a box asked for. */
export interface BoxTraffic {
  /** `HOST:PORT` → number of connections that were made. */
  readonly reached: Readonly<Record<string, number>>;
  /** `HOST:PORT` → number of connections that were refused, because the host is not allowed. */
  readonly refused: Readonly<Record<string, number>>;
}

/** More different hosts than this are counted together: a program may try any number of names. */
const MAX_HOSTS = 100;
const OTHER_HOSTS = "others";

/** The port of the proxy in the box, if no allowed port of this machine is the same. */
const FIRST_PROXY_PORT = 3128;

const CONNECT_TIMEOUT_MS = 30_000;

/**
 * The way out of a box, on our side: sockets that lead to single ports of this machine, and a proxy that connects to allowed
 * hosts only. Everything else does not exist in a box.
 */
export class BoxNetwork {
  readonly #folder: string;
  readonly #allowed: readonly AllowedHost[];
  readonly #servers = new Map<number, Server>();
  readonly #open = new Set<Duplex>();
  readonly #reached = new Map<string, number>();
  #proxyPort = FIRST_PROXY_PORT;
  readonly #refused = new Map<string, number>();

  /** The folder is for its sockets, and shown in the box. */
  constructor(folder: string, allowHosts: readonly string[]) {
    this.#folder = folder;
    this.#allowed = allowHosts.map(parseAllowedHost);
    const taken = listLocalPorts(this.#allowed);
    while (taken.includes(this.#proxyPort)) this.#proxyPort += 1;
  }

  get folder(): string {
    return this.#folder;
  }

  get traffic(): BoxTraffic {
    return { reached: Object.fromEntries(this.#reached), refused: Object.fromEntries(this.#refused) };
  }

  /** Makes these ports of this machine reachable, and the allowed hosts. Empty when there is nothing to reach. */
  async open(ports: readonly number[]): Promise<ForwardedPort[]> {
    const local = listLocalPorts(this.#allowed);
    const wanted = [...new Set([...ports, ...local])];
    if (wanted.length + this.#allowed.length === 0) return [];
    await mkdir(this.#folder, { recursive: true, mode: 0o755 });
    const ways = wanted.map((port) => this.#listen(port, () => this.#createForwarder(port, local.includes(port))));
    const proxy = this.#allowed.length === 0 ? [] : [this.#listen(this.#proxyPort, () => this.#createProxy())];
    return Promise.all([...ways, ...proxy]);
  }

  /** Variables that make programs use the proxy; empty without one. */
  get env(): Readonly<Record<string, string>> {
    if (this.#allowed.length === 0) return {};
    const url = `http://127.0.0.1:${this.#proxyPort}`;
    const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    const direct = { NO_PROXY: "127.0.0.1,localhost", no_proxy: "127.0.0.1,localhost" };
    return { ...Object.fromEntries(proxies.map((name) => [name, url])), ...direct };
  }

  async close(): Promise<void> {
    for (const stream of this.#open) stream.destroy();
    await Promise.all([...this.#servers.values()].map((server) => new Promise((resolve) => server.close(resolve))));
    this.#servers.clear();
  }

  async #listen(port: number, create: () => Server): Promise<ForwardedPort> {
    const socket = join(this.#folder, `${port}.sock`);
    if (this.#servers.has(port)) return { port, socket };
    const server = create();
    this.#servers.set(port, server);
    server.on("connection", (client: Socket) => this.#track(client));
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject);
      server.listen(socket, resolve);
    });
    // The box runs as another user; the folder above is ours alone.
    await chmod(socket, 0o666);
    return { port, socket };
  }

  #createForwarder(port: number, isAllowedHost: boolean): Server {
    return createServer({ allowHalfOpen: true }, (client) => {
      if (isAllowedHost) this.#count(this.#reached, `127.0.0.1:${port}`);
      this.#join(client, connect({ port, host: "127.0.0.1", allowHalfOpen: true }));
    });
  }

  #createProxy(): Server {
    const server = createHttpServer((asked, answer) => this.#relay(asked, answer));
    server.on("connect", (asked: IncomingMessage, client: Duplex, head: Buffer) => this.#tunnel(asked, client, head));
    return server;
  }

  /** `CONNECT host:port`, as for https. */
  #tunnel({ url = "" }: IncomingMessage, client: Duplex, head: Buffer): void {
    client.on("error", () => client.destroy());
    const { host = "", port = "" } = /^(?<host>.+):(?<port>\d+)$/.exec(url)?.groups ?? {};
    if (!this.#admit(host, Number(port)))
      return void client.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${REFUSAL.length}\r\n\r\n${REFUSAL}`);
    const server = connect({ host: host.replace(/^\[|\]$/g, ""), port: Number(port), allowHalfOpen: true });
    server.setTimeout(CONNECT_TIMEOUT_MS, () => server.destroy(new Error("timeout")));
    server.once("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"));
    server.once("connect", () => {
      server.setTimeout(0);
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) server.write(head);
      this.#join(client, server);
    });
    this.#track(server);
  }

  /** `GET http://host/path`, as for plain http. */
  #relay(asked: IncomingMessage, answer: ServerResponse): void {
    const url = parseHttpUrl(asked.url);
    if (url === null || !this.#admit(url.hostname, Number(url.port || 80))) {
      asked.resume();
      return void answer.writeHead(403, { "content-type": "text/plain" }).end(REFUSAL);
    }
    const { "proxy-authorization": _, "proxy-connection": __, ...others } = asked.headers;
    const headers = { ...others, host: url.host };
    const passed = request(url, { method: asked.method, headers, timeout: CONNECT_TIMEOUT_MS }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.on("error", () => answer.destroy());
      reply.pipe(answer);
    });
    passed.on("timeout", () => passed.destroy(new Error("timeout")));
    passed.on("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  }

  #admit(host: string, port: number): boolean {
    const isAllowed = isHostAllowed(host, port, this.#allowed);
    this.#count(isAllowed ? this.#reached : this.#refused, `${host.slice(0, 253)}:${port}`);
    return isAllowed;
  }

  #count(counts: Map<string, number>, host: string): void {
    const name = counts.has(host) || counts.size < MAX_HOSTS ? host : OTHER_HOSTS;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  #join(client: Duplex, server: Socket): void {
    this.#track(server);
    pipeline(client, server, () => undefined);
    pipeline(server, client, () => undefined);
  }

  #track(stream: Duplex): void {
    this.#open.add(stream);
    stream.on("close", () => this.#open.delete(stream));
  }
}

const REFUSAL = "This host is not allowed in the box: see --allow-host.\n";

function parseHttpUrl(text = ""): URL | null {
  try {
    const url = new URL(text);
    return url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}
