-- Fees that customers set for strategies, and requests for higher fees on profit.
CREATE TABLE "CustomerStrategy" (
    "customerId" UUID NOT NULL,
    "strategyId" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "entryBps" INTEGER NOT NULL,
    "performanceBps" INTEGER NOT NULL,
    "markupBps" INTEGER NOT NULL,
    "feeCollector" TEXT,
    "markupRecipient" TEXT,
    "markBlocks" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "markPricesRay" DECIMAL(96,0)[] NOT NULL DEFAULT ARRAY[]::DECIMAL(96,0)[],
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "CustomerStrategy_pkey" PRIMARY KEY ("customerId","strategyId"),
    CONSTRAINT "CustomerStrategy_entry_check" CHECK ("entryBps" BETWEEN 0 AND 9999),
    CONSTRAINT "CustomerStrategy_profit_check"
      CHECK ("performanceBps" >= 0 AND "markupBps" >= 0 AND "performanceBps" + "markupBps" <= 9999),
    CONSTRAINT "CustomerStrategy_mark_check" CHECK (cardinality("markBlocks") = cardinality("markPricesRay") AND cardinality("markBlocks") <= 100)
);

CREATE TABLE "FeeActivation" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "strategyId" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "performanceBps" INTEGER NOT NULL,
    "markupBps" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'REQUESTED',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reason" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finishedAt" TIMESTAMPTZ(3),

    CONSTRAINT "FeeActivation_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "FeeActivation_state_check" CHECK ("state" IN ('REQUESTED', 'RECONCILING', 'ACTIVE', 'FAILED'))
);

-- A strategy has one request at a time.
CREATE UNIQUE INDEX "FeeActivation_open_key" ON "FeeActivation"("customerId", "strategyId")
  WHERE (state = ANY (ARRAY['REQUESTED'::text, 'RECONCILING'::text]));
CREATE INDEX "FeeActivation_of_strategy_idx" ON "FeeActivation"("customerId", "strategyId", "createdAt" DESC);
CREATE INDEX "FeeActivation_due_idx" ON "FeeActivation"("nextAt")
  WHERE (state = ANY (ARRAY['REQUESTED'::text, 'RECONCILING'::text]));

ALTER TABLE "FeeActivation" ADD CONSTRAINT "FeeActivation_strategy_fkey"
  FOREIGN KEY ("customerId", "strategyId") REFERENCES "CustomerStrategy"("customerId", "strategyId")
  ON DELETE CASCADE ON UPDATE CASCADE;

-- Positions with fees on profit whose history a withdrawal has found unread.
CREATE TABLE "UnreadPosition" (
    "customerId" UUID NOT NULL,
    "wallet" TEXT NOT NULL,
    "strategyId" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "UnreadPosition_pkey" PRIMARY KEY ("customerId","wallet","strategyId")
);
CREATE INDEX "UnreadPosition_since_idx" ON "UnreadPosition"("since");

-- Fees on profit of the deployment that are active on a strategy.
CREATE TABLE "DeploymentFees" (
    "strategyId" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "performanceBps" INTEGER NOT NULL,
    "markupBps" INTEGER NOT NULL,
    "markBlocks" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
    "markPricesRay" DECIMAL(96,0)[] NOT NULL DEFAULT ARRAY[]::DECIMAL(96,0)[],
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "DeploymentFees_pkey" PRIMARY KEY ("strategyId"),
    CONSTRAINT "DeploymentFees_profit_check"
      CHECK ("performanceBps" >= 0 AND "markupBps" >= 0 AND "performanceBps" + "markupBps" <= 9999),
    CONSTRAINT "DeploymentFees_mark_check"
      CHECK (cardinality("markBlocks") = cardinality("markPricesRay") AND cardinality("markBlocks") <= 100)
);
