SET LOCAL lock_timeout = '10s';

-- The rates at which markets pay rewards. Null in rows of earlier versions, until the next reading.
ALTER TABLE "StrategyState" ADD COLUMN "rewards" JSONB;
