SET LOCAL lock_timeout = '10s';

-- The version of the rules that made the entries of a position from logs: histories of an earlier one are read again.
ALTER TABLE "PositionCursor" ADD COLUMN "eventVersion" INTEGER NOT NULL DEFAULT 0;
