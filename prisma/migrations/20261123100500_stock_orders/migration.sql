-- CreateTable
CREATE TABLE "StockOrder" (
    "actionId" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "strategyId" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "owner" TEXT NOT NULL,
    "receiver" TEXT NOT NULL,
    "orderWallet" TEXT NOT NULL,
    "side" TEXT NOT NULL,
    "sellToken" TEXT NOT NULL,
    "buyToken" TEXT NOT NULL,
    "sellAmount" DECIMAL(78,0) NOT NULL,
    "buyAmount" DECIMAL(78,0) NOT NULL,
    "limitPriceCents" BIGINT,
    "referencePrice" DECIMAL(78,0) NOT NULL,
    "slippageBps" INTEGER NOT NULL,
    "sellMicroUsd" DECIMAL(78,0) NOT NULL,
    "validTo" TIMESTAMPTZ(0) NOT NULL,
    "step" TEXT NOT NULL DEFAULT 'AWAITING_FUNDS',
    "orderUid" TEXT,
    "quoteId" BIGINT,
    "postedAt" TIMESTAMPTZ(3),
    "fromBlock" BIGINT,
    "lastPostError" TEXT,
    "lastPostAttemptAt" TIMESTAMPTZ(3),
    "providerError" TEXT,
    "refusals" INTEGER NOT NULL DEFAULT 0,
    "cancelCause" TEXT,
    "executedSellAmount" DECIMAL(78,0),
    "executedBuyAmount" DECIMAL(78,0),
    "executionTxHash" TEXT,
    "executedAt" TIMESTAMPTZ(3),
    "refundTxHash" TEXT,
    "refundedAt" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastFailure" TEXT,
    "nextAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "leasedUntil" TIMESTAMPTZ(3),
    "fencingToken" BIGINT NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "StockOrder_pkey" PRIMARY KEY ("actionId"),
    CONSTRAINT "StockOrder_side_check" CHECK ("side" IN ('BUY', 'SELL')),
    CONSTRAINT "StockOrder_cancelCause_check" CHECK ("cancelCause" IN ('REQUEST', 'REFUSAL')),
    CONSTRAINT "StockOrder_step_check" CHECK ("step" IN ('AWAITING_FUNDS', 'PREPARING', 'OPEN', 'CANCELLING', 'REFUND_DUE', 'REFUNDING', 'SWEEPING', 'ENDED'))
);

-- CreateIndex
CREATE INDEX "StockOrder_due_idx" ON "StockOrder"("nextAt") WHERE (step <> ALL (ARRAY['AWAITING_FUNDS'::text, 'ENDED'::text]));

-- CreateIndex
CREATE INDEX "StockOrder_unfunded_idx" ON "StockOrder"("nextAt") WHERE (step = 'AWAITING_FUNDS'::text);

-- CreateIndex
CREATE INDEX "StockOrder_leased_idx" ON "StockOrder"("leasedUntil") WHERE ("leasedUntil" IS NOT NULL);

-- CreateIndex
CREATE INDEX "StockOrder_open_idx" ON "StockOrder"("customerId") WHERE (step <> 'ENDED'::text);

-- CreateTable
CREATE TABLE "StockOrderCall" (
    "actionId" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "nonce" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "raws" TEXT NOT NULL,
    "signedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "StockOrderCall_pkey" PRIMARY KEY ("actionId", "nonce"),
    CONSTRAINT "StockOrderCall_kind_check" CHECK ("kind" IN ('approve', 'invalidate', 'refund', 'leftover', 'sweep'))
);

-- AddForeignKey
ALTER TABLE "StockOrderCall" ADD CONSTRAINT "StockOrderCall_actionId_fkey" FOREIGN KEY ("actionId") REFERENCES "StockOrder"("actionId") ON DELETE CASCADE ON UPDATE CASCADE;
