/** One address in the box: connections to this port of 127.0.0.1 are passed to a socket outside. */
export interface ForwardedPort {
  readonly port: number;
  readonly socket: string;
}

/** The part of a script that listens on a port inside, and ignores signals: those that end a program are sent to it. */
export const FORWARDER_SCRIPT = `
const net = require("node:net");
const { pipeline } = require("node:stream");
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]) process.on(signal, () => {});
const pass = (path) => (client) => {
  const server = net.connect({ path, allowHalfOpen: true });
  pipeline(client, server, () => {});
  pipeline(server, client, () => {});
};
const listen = ({ port, socket }) => new Promise((resolve, reject) => {
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, pass(socket));
  server.on("error", reject).listen(port, "127.0.0.1", () => resolve(server.unref()));
});
`;

/**
 * Runs inside of the box, before the program: listens on ports of the box's own loopback interface, starts the program, and
 * ends as it ends. Self-contained, because the box sees no file of ours.
 */
const SCRIPT = `
${FORWARDER_SCRIPT}
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const [routes, command, ...args] = process.argv.slice(1);
const fail = (error) => { process.stderr.write("The box could not be set up: " + error.message + "\\n"); process.exit(125); };
Promise.all(JSON.parse(routes).map(listen)).then(() => {
  const child = spawn(command, args, { stdio: "inherit" });
  child.on("error", (error) => { process.stderr.write(command + " cannot be started in the box: " + error.code + "\\n"); process.exit(127); });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}, fail);
`;

/** The command line that makes the ports reachable for a program. */
export function buildForwarderCommand(ports: readonly ForwardedPort[], program: readonly string[]): string[] {
  if (ports.length === 0) return [...program];
  return [process.execPath, "--max-semi-space-size=1", "-e", SCRIPT, "--", JSON.stringify(ports), ...program];
}
