-- CreateTable
CREATE TABLE "StrategyState" (
    "strategyId" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "blockNumber" BIGINT NOT NULL,
    "observedAt" TIMESTAMPTZ(3) NOT NULL,
    "sharePriceRay" DECIMAL(78,0) NOT NULL,
    "yearlyRateRay" DECIMAL(78,0),
    "tvl" DECIMAL(78,0) NOT NULL,
    "liquidity" DECIMAL(78,0),
    "depositLimit" DECIMAL(78,0),
    "acceptsDeposits" BOOLEAN NOT NULL,
    "allowsWithdrawals" BOOLEAN NOT NULL,
    "usdE24" DECIMAL(60,0),
    "baseAt" TIMESTAMPTZ(3),
    "baseSharePriceRay" DECIMAL(78,0),
    "baseTvl" DECIMAL(78,0),
    "firstAt" TIMESTAMPTZ(3) NOT NULL,
    "firstSharePriceRay" DECIMAL(78,0) NOT NULL,
    "rateSumE18" DECIMAL(60,0) NOT NULL DEFAULT 0,
    "rateSeconds" BIGINT NOT NULL DEFAULT 0,
    "doubtfulAt" TIMESTAMPTZ(3),
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "StrategyState_pkey" PRIMARY KEY ("strategyId"),
    CONSTRAINT "StrategyState_base_check" CHECK (num_nulls("baseAt", "baseSharePriceRay") IN (0, 2))
);

-- CreateTable
CREATE TABLE "StrategySample" (
    "strategyId" TEXT NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "blockNumber" BIGINT NOT NULL,
    "sharePriceRay" DECIMAL(78,0) NOT NULL,
    "yearlyRateRay" DECIMAL(78,0),
    "tvl" DECIMAL(78,0) NOT NULL,
    "usdE24" DECIMAL(60,0),
    "resolution" INTEGER NOT NULL DEFAULT 3600,

    CONSTRAINT "StrategySample_pkey" PRIMARY KEY ("strategyId","bucket"),
    CONSTRAINT "StrategySample_resolution_check" CHECK ("resolution" IN (3600, 86400))
);

-- CreateIndex
CREATE INDEX "StrategyState_updatedAt_idx" ON "StrategyState"("updatedAt");

-- CreateIndex
CREATE INDEX "StrategySample_hourly_idx" ON "StrategySample"("bucket") WHERE (resolution = 3600);
