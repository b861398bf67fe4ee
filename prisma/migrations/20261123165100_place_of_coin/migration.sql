SET LOCAL lock_timeout = '10s';

-- The last block whose coin is recorded, after all before it: a worker of a release from before this one moves the cursor, and leaves it.
ALTER TABLE "IndexCursor" ADD COLUMN "coinHash" TEXT;
