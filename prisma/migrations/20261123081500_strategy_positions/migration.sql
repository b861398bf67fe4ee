-- The deposits of wallets in strategies. Kept for each customer: the logs of a chain are public, but which wallets a customer
-- requests is not.
CREATE TABLE "PositionCursor" (
    "customerId" UUID NOT NULL,
    "wallet" TEXT NOT NULL,
    "strategyId" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "startBlock" BIGINT NOT NULL,
    "nextBlock" BIGINT NOT NULL,
    "lastHash" TEXT,
    "shares" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "cost" DECIMAL(96,0) NOT NULL DEFAULT 0,
    "netPaidIn" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "realized" DECIMAL(96,0) NOT NULL DEFAULT 0,
    "entries" INTEGER NOT NULL DEFAULT 0,
    "unvalued" INTEGER NOT NULL DEFAULT 0,
    "isComplete" BOOLEAN NOT NULL DEFAULT false,
    "mismatchedAt" TIMESTAMPTZ(3),
    "resetAt" TIMESTAMPTZ(3),
    "nextWalkAt" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "requestedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "PositionCursor_pkey" PRIMARY KEY ("customerId","wallet","strategyId")
);

CREATE INDEX "PositionCursor_due_idx" ON "PositionCursor"("customerId", "nextWalkAt") WHERE ("nextWalkAt" IS NOT NULL);
CREATE INDEX "PositionCursor_customerId_requestedAt_idx" ON "PositionCursor"("customerId", "requestedAt");
CREATE INDEX "PositionCursor_unvalued_idx" ON "PositionCursor"("createdAt") WHERE (unvalued > 0);
CREATE INDEX "PositionCursor_requestedAt_idx" ON "PositionCursor"("requestedAt");

CREATE TABLE "PositionEntry" (
    "customerId" UUID NOT NULL,
    "wallet" TEXT NOT NULL,
    "strategyId" TEXT NOT NULL,
    "blockNumber" BIGINT NOT NULL,
    "logIndex" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "shares" DECIMAL(78,0),
    "assets" DECIMAL(78,0),
    "sharePriceRay" DECIMAL(96,0),
    "txHash" TEXT NOT NULL,
    "blockHash" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "PositionEntry_pkey" PRIMARY KEY ("customerId","wallet","strategyId","blockNumber","logIndex")
);

-- Entries have no life of their own: they go with their cursor.
ALTER TABLE "PositionEntry" ADD CONSTRAINT "PositionEntry_cursor_fkey"
  FOREIGN KEY ("customerId", "wallet", "strategyId") REFERENCES "PositionCursor"("customerId", "wallet", "strategyId")
  ON DELETE CASCADE ON UPDATE CASCADE;

-- The actions of a wallet in a strategy. No action has one yet, so that the index is empty; building it reads the table once.
SET LOCAL lock_timeout = '10s';
CREATE INDEX "Action_of_strategies_idx" ON "Action"("customerId", "originAddress", "strategyId", "id" DESC)
  WHERE ("strategyId" IS NOT NULL);
