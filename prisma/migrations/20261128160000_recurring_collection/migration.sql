SET LOCAL lock_timeout = '10s';

-- Collection of fees on profit without a withdrawal, for each strategy of a customer: its entry in the registry on chain.
CREATE TABLE "RecurringCollection" (
    "customerId" UUID NOT NULL,
    "strategyId" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'OFF',
    "intervalSeconds" INTEGER NOT NULL,
    "registry" TEXT NOT NULL,
    "registryVersion" BIGINT NOT NULL DEFAULT 0,
    "vault" TEXT,
    "performanceCollector" TEXT,
    "markupRecipient" TEXT,
    "performanceBps" INTEGER NOT NULL DEFAULT 0,
    "markupBps" INTEGER NOT NULL DEFAULT 0,
    "isLive" BOOLEAN NOT NULL DEFAULT false,
    "nextRunAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "RecurringCollection_pkey" PRIMARY KEY ("customerId","strategyId"),
    CONSTRAINT "RecurringCollection_state_check" CHECK ("state" IN ('OFF', 'PENDING', 'LIVE', 'PAUSED')),
    CONSTRAINT "RecurringCollection_interval_check" CHECK ("intervalSeconds" BETWEEN 60 AND 31622400),
    CONSTRAINT "RecurringCollection_bps_check"
      CHECK ("performanceBps" >= 0 AND "markupBps" >= 0 AND "performanceBps" + "markupBps" <= 9999)
);
CREATE INDEX "RecurringCollection_due_idx" ON "RecurringCollection"("nextRunAt") WHERE (state = 'LIVE'::text);

ALTER TABLE "RecurringCollection" ADD CONSTRAINT "RecurringCollection_strategy_fkey"
  FOREIGN KEY ("customerId", "strategyId") REFERENCES "CustomerStrategy"("customerId", "strategyId")
  ON DELETE CASCADE ON UPDATE CASCADE;

-- Changes of entries in the registry, stored before they are sent.
CREATE TABLE "RegistryWrite" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "strategyId" TEXT NOT NULL,
    "expectedVersion" BIGINT NOT NULL,
    "vault" TEXT NOT NULL,
    "performanceCollector" TEXT NOT NULL,
    "markupRecipient" TEXT NOT NULL,
    "performanceBps" INTEGER NOT NULL,
    "markupBps" INTEGER NOT NULL,
    "formerState" TEXT NOT NULL,
    "targetState" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'PLANNED',
    "txHash" TEXT,
    "reason" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finishedAt" TIMESTAMPTZ(3),

    CONSTRAINT "RegistryWrite_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "RegistryWrite_state_check" CHECK ("state" IN ('PLANNED', 'DISPATCHED', 'CONFIRMED', 'FAILED')),
    CONSTRAINT "RegistryWrite_target_check"
      CHECK ("targetState" IN ('OFF', 'LIVE', 'PAUSED') AND "formerState" IN ('OFF', 'LIVE', 'PAUSED'))
);
-- An entry has one change at a time.
CREATE UNIQUE INDEX "RegistryWrite_open_key" ON "RegistryWrite"("customerId", "strategyId")
  WHERE (state = ANY (ARRAY['PLANNED'::text, 'DISPATCHED'::text]));
CREATE INDEX "RegistryWrite_due_idx" ON "RegistryWrite"("nextAt")
  WHERE (state = ANY (ARRAY['PLANNED'::text, 'DISPATCHED'::text]));

ALTER TABLE "RegistryWrite" ADD CONSTRAINT "RegistryWrite_collection_fkey"
  FOREIGN KEY ("customerId", "strategyId") REFERENCES "RecurringCollection"("customerId", "strategyId")
  ON DELETE CASCADE ON UPDATE CASCADE;

-- Wallets that have agreed to the collection. They agree on chain as well.
CREATE TABLE "CollectionEnrolment" (
    "customerId" UUID NOT NULL,
    "strategyId" TEXT NOT NULL,
    "wallet" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "CollectionEnrolment_pkey" PRIMARY KEY ("customerId","strategyId","wallet")
);
ALTER TABLE "CollectionEnrolment" ADD CONSTRAINT "CollectionEnrolment_collection_fkey"
  FOREIGN KEY ("customerId", "strategyId") REFERENCES "RecurringCollection"("customerId", "strategyId")
  ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "CollectionRun" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "strategyId" TEXT NOT NULL,
    "period" BIGINT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'PLANNED',
    "plannedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finishedAt" TIMESTAMPTZ(3),

    CONSTRAINT "CollectionRun_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "CollectionRun_state_check" CHECK ("state" IN ('PLANNED', 'DISPATCHED', 'CONFIRMED', 'FAILED', 'UNKNOWN'))
);
-- A period is collected once, however many replicas plan it.
CREATE UNIQUE INDEX "CollectionRun_period_key" ON "CollectionRun"("customerId", "strategyId", "period");
CREATE UNIQUE INDEX "CollectionRun_open_key" ON "CollectionRun"("customerId", "strategyId")
  WHERE (state = ANY (ARRAY['PLANNED'::text, 'DISPATCHED'::text, 'UNKNOWN'::text]));

ALTER TABLE "CollectionRun" ADD CONSTRAINT "CollectionRun_collection_fkey"
  FOREIGN KEY ("customerId", "strategyId") REFERENCES "RecurringCollection"("customerId", "strategyId")
  ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "CollectionItem" (
    "id" UUID NOT NULL,
    "runId" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "strategyId" TEXT NOT NULL,
    "wallet" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'PLANNED',
    "sharesPlanned" DECIMAL(78,0),
    "chargedBps" INTEGER,
    "performanceShares" DECIMAL(78,0),
    "markupShares" DECIMAL(78,0),
    "markRay" DECIMAL(96,0),
    "priceRay" DECIMAL(96,0),
    "blockNumber" BIGINT,
    "txHash" TEXT,
    "reason" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finishedAt" TIMESTAMPTZ(3),

    CONSTRAINT "CollectionItem_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "CollectionItem_state_check"
      CHECK ("state" IN ('PLANNED', 'RESERVED', 'DISPATCHED', 'UNKNOWN', 'CONFIRMED', 'FAILED', 'SKIPPED')),
    CONSTRAINT "CollectionItem_collected_check" CHECK ("state" <> 'CONFIRMED' OR ("priceRay" IS NOT NULL AND "blockNumber" IS NOT NULL AND "chargedBps" > 0))
);
CREATE UNIQUE INDEX "CollectionItem_wallet_key" ON "CollectionItem"("runId", "wallet");
-- What a withdrawal of a wallet must not charge again.
CREATE INDEX "CollectionItem_of_wallet_idx" ON "CollectionItem"("customerId", "wallet", "strategyId");
CREATE INDEX "CollectionItem_due_idx" ON "CollectionItem"("nextAt")
  WHERE (state = ANY (ARRAY['PLANNED'::text, 'RESERVED'::text, 'DISPATCHED'::text, 'UNKNOWN'::text]));

ALTER TABLE "CollectionItem" ADD CONSTRAINT "CollectionItem_run_fkey"
  FOREIGN KEY ("runId") REFERENCES "CollectionRun"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Requests see the rows of their customer alone.
SELECT "protectTable"(target::regclass)
  FROM unnest(ARRAY['"RecurringCollection"', '"RegistryWrite"', '"CollectionEnrolment"', '"CollectionRun"', '"CollectionItem"']) AS target;
