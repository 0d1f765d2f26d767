import { LEASE, LuaScript } from "./script.js";

/**
 * Renews the lease of a worker.
 * Keys: the workers, the pulse, the state of the worker. Arguments: its name, its lease (ms), its state, when expired
 * workers are removed (ms).
 */
export const HEARTBEAT = new LuaScript(/* lua */ `
${LEASE}
local workers_key, pulse_key, state_key = KEYS[1], KEYS[2], KEYS[3]
local id, lease_ms, state, forget_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local now = time_now()
feel_pulse(pulse_key, workers_key, now)
redis.call("ZADD", workers_key, now + lease_ms, id)
redis.call("SET", state_key, state, "PX", lease_ms)
redis.call("ZREMRANGEBYSCORE", workers_key, 0, now - forget_ms)
return 1
`);
