/** Lua: the numbers of one hash, read and written together, because that is most of the cost of a script. */
export const STATE = /* lua */ `
local function open_state(key)
  local values, is_changed, state = {}, {}, {}

  function state.load(fields)
    local missing = {}
    for _, field in ipairs(fields) do
      if values[field] == nil then missing[#missing + 1] = field end
    end
    if #missing == 0 then return end
    for i, text in ipairs(redis.call("HMGET", key, unpack(missing))) do values[missing[i]] = tonumber(text) or 0 end
  end

  -- 0 if there is none.
  function state.get(field)
    if values[field] == nil then state.load({ field }) end
    return values[field]
  end

  function state.set(field, value)
    values[field], is_changed[field] = value, true
  end

  function state.add(field, amount)
    state.set(field, state.get(field) + amount)
  end

  function state.forget(field)
    redis.call("HDEL", key, field)
    values[field], is_changed[field] = 0, nil
  end

  function state.save()
    local fields = {}
    for field in pairs(is_changed) do
      fields[#fields + 1] = field
      fields[#fields + 1] = string.format("%.17g", values[field])
    end
    if #fields > 0 then redis.call("HSET", key, unpack(fields)) end
  end

  return state
end
`;
