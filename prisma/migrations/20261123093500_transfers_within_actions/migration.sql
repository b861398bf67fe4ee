-- A transfer between chains may be one part of an action, as before a deposit into a strategy on another chain.
ALTER TABLE "Delivery"
  ADD COLUMN "originStep" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "destinationStep" INTEGER,
  ADD COLUMN "terms" JSONB,
  ADD COLUMN "arrivedAmount" DECIMAL(78,0);

-- Workers of the version before do not write it.
ALTER TABLE "Worker" ADD COLUMN "revision" INTEGER NOT NULL DEFAULT 0;
