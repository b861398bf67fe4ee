SET LOCAL lock_timeout = '10s';

-- The block up to which coin is recorded without a gap: a worker of a release from before this one moves the cursor, and leaves it.
ALTER TABLE "IndexCursor" ADD COLUMN "coinHash" TEXT;
