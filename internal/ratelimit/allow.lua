-- Counts one request in the window of its second and in the one of its minute, if both have room. A refused request counts in
-- neither, so that it takes nothing from the other window.
-- KEYS[1]: the subject's hash. ARGV: requests a second, requests a minute; 0 is no limit.
-- Returns who refused (0 nobody, 1 the second, 2 the minute), the server's time, and the requests counted in the second and in the minute.
local per_second, per_minute = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(redis.call('TIME')[1]) -- of the server, so that all processes agree
local minute = math.floor(now / 60)
local seen = redis.call('HMGET', KEYS[1], 'second', 'in_second', 'minute', 'in_minute')
local same_minute = tonumber(seen[3]) == minute
local in_second, in_minute = 0, 0
if tonumber(seen[1]) == now then in_second = tonumber(seen[2]) end
if same_minute then in_minute = tonumber(seen[4]) end

if per_minute > 0 and in_minute >= per_minute then return {2, now, in_second, in_minute} end
if per_second > 0 and in_second >= per_second then return {1, now, in_second, in_minute} end

in_second, in_minute = in_second + 1, in_minute + 1
redis.call('HSET', KEYS[1], 'second', now, 'in_second', in_second, 'minute', minute, 'in_minute', in_minute)
if not same_minute then redis.call('EXPIRE', KEYS[1], 120) end -- once a minute is enough to outlive it
return {0, now, in_second, in_minute}
