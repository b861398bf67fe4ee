-- CreateTable
CREATE TABLE "GasSpending" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "actionId" UUID NOT NULL,
    "chainId" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "wei" DECIMAL(78,0) NOT NULL,
    "costUsd" DECIMAL(20,6),
    "validUntil" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "GasSpending_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "GasBudget" (
    "customerId" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "usedUsd" DECIMAL(20,6) NOT NULL,
    "countedAt" TIMESTAMPTZ(3),
    "warnedAt" TIMESTAMPTZ(3),

    CONSTRAINT "GasBudget_pkey" PRIMARY KEY ("customerId","kind")
);

-- CreateIndex
CREATE INDEX "GasSpending_customerId_kind_createdAt_idx" ON "GasSpending"("customerId", "kind", "createdAt");

-- CreateIndex
CREATE INDEX "GasSpending_createdAt_idx" ON "GasSpending"("createdAt");
