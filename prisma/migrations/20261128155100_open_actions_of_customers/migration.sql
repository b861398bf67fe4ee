SET LOCAL lock_timeout = '10s';

-- The open actions of a customer are counted when it reaches its limit. A comparison of enums is not leakproof: under row-level
-- security it is no condition of an index, but that of a partial index it may be. The second part keeps statements about all
-- customers from reading the whole index.
CREATE INDEX "Action_open_idx" ON "Action"("customerId", "isDraft") WHERE (status = ANY (ARRAY['INITIAL'::"ActionStatus", 'PENDING'::"ActionStatus"]) AND "customerId" IS NOT NULL);
