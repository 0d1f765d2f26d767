import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";

interface RecordedRequest {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A real server for tests, on a free local port. */
export interface ScriptedServer {
  readonly port: number;
  readonly url: string;
  readonly requests: RecordedRequest[];
  /** Total number of connections made. */
  readonly connections: () => number;
  /** Number of open connections. */
  readonly openConnections: () => number;
  close(): Promise<void>;
}

export type ScriptHandler = (request: RecordedRequest, response: ServerResponse, number: number) => void;

/** Long enough that a busy machine does not close connections that a test counts. */
const KEEP_ALIVE_MS = 300_000;

/** Starts a server that responds as the test says. */
export async function serveScript(handler: ScriptHandler): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const request = { url: message.url ?? "", headers: message.headers, body };
      requests.push(request);
      handler(request, response, requests.length);
    });
  });
  return { ...(await listenOnLoopback(server)), requests };
}

/** Starts a TCP server, for responses that no HTTP server would send. */
export async function serveBytes(onRequest: (socket: Socket) => void): Promise<Omit<ScriptedServer, "requests">> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => onRequest(socket));
  });
  return listenOnLoopback(server);
}

async function listenOnLoopback(server: Server | TcpServer) {
  let made = 0;
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    made += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  return { port, url: `http://127.0.0.1:${port}`, connections: () => made, openConnections: () => open.size, close };
}
