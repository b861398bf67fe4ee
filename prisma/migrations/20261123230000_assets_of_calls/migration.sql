SET LOCAL lock_timeout = '10s';

-- What a call moves into or out of its strategy. No row is rewritten: calls that were issued before state none.
ALTER TABLE "ActionCall" ADD COLUMN "assets" DECIMAL(78,0);
