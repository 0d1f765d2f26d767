import { expect, it } from "vitest";
import { leaseClient } from "../src/models/http/client.js";
import { serveScript } from "../src/models/http/scripted-server.js";

it("is one client for all, whose connections end with its last user", async () => {
  const server = await serveScript((_, response) => response.end("ok"));
  const { signal } = new AbortController();
  const [one, two] = [leaseClient(), leaseClient()];
  expect(one.client).toBe(two.client);
  const call = async () => {
    const answer = await one.client.post({ url: server.url, headers: {}, body: "", signal });
    expect(await answer.text(10)).toBe("ok");
  };
  await call();
  one.release();
  one.release();
  await call();
  expect(server.openConnections()).toBeGreaterThan(0);
  two.release();
  await expect.poll(server.openConnections).toBe(0);
  await call();
  expect(server.openConnections()).toBeGreaterThan(0);
  await server.close();
});
