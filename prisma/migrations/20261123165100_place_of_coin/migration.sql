SET LOCAL lock_timeout = '10s';

-- The blocks whose coin is recorded: from the first up to the last one. A worker of a release from before this one moves the cursor,
-- and leaves both.
ALTER TABLE "IndexCursor" ADD COLUMN "coinFromBlock" BIGINT,
    ADD COLUMN "coinHash" TEXT;
