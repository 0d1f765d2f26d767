import { describe, expect, test } from "vitest";
import { createConnection } from "./connection.js";

/** A server that can be switched off, and counts requests. */
function sampleServer() {
  const server = { isUp: true, asked: 0 };
  const ask = async () => {
    server.asked += 1;
    if (!server.isUp) throw new TypeError("Failed to fetch");
  };
  return { server, connection: createConnection(ask, 5) };
}

describe("connection", () => {
  test("tells its listeners when the server is gone and when it is back", async () => {
    const { server, connection } = sampleServer();
    const said: boolean[] = [];
    connection.watch((isThere) => said.push(isThere));
    server.isUp = false;
    connection.check();
    await expect.poll(() => said).toEqual([false]);
    await expect.poll(() => server.asked).toBeGreaterThan(2);
    expect(said).toEqual([false]);
    server.isUp = true;
    await expect.poll(() => said).toEqual([false, true]);
  });

  test("tells nothing when one request failed and the server still answers", async () => {
    const { server, connection } = sampleServer();
    const said: boolean[] = [];
    connection.watch((isThere) => said.push(isThere));
    connection.check();
    connection.check();
    await expect.poll(() => server.asked).toBe(1);
    await Promise.resolve();
    expect(said).toEqual([]);
  });

  test("tells a new listener at once that the server is gone, and stops telling one that left", async () => {
    const { server, connection } = sampleServer();
    const [first, late]: boolean[][] = [[], []];
    const leave = connection.watch((isThere) => first?.push(isThere));
    server.isUp = false;
    connection.check();
    await expect.poll(() => first).toEqual([false]);
    connection.watch((isThere) => late?.push(isThere));
    expect(late).toEqual([false]);
    leave();
    server.isUp = true;
    await expect.poll(() => late).toEqual([false, true]);
    expect(first).toEqual([false]);
  });
});
