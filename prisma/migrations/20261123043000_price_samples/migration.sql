-- CreateTable
CREATE TABLE "PriceSample" (
    "chainId" BIGINT NOT NULL,
    "token" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "usdE24" DECIMAL(60,0) NOT NULL,
    "source" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "flags" TEXT[] NOT NULL,
    "isConfirmed" BOOLEAN NOT NULL,
    "isListed" BOOLEAN NOT NULL,
    "resolution" INTEGER NOT NULL DEFAULT 300,

    CONSTRAINT "PriceSample_pkey" PRIMARY KEY ("chainId","token","at"),
    CONSTRAINT "PriceSample_usdE24_check" CHECK ("usdE24" > 0),
    CONSTRAINT "PriceSample_kind_check" CHECK ("kind" IN ('spot', 'twap', 'oracle', 'api', 'peg')),
    CONSTRAINT "PriceSample_resolution_check" CHECK ("resolution" IN (300, 3600, 86400))
);

-- CreateTable
CREATE TABLE "SampledToken" (
    "customerId" UUID NOT NULL,
    "chainId" BIGINT NOT NULL,
    "token" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "requestedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SampledToken_pkey" PRIMARY KEY ("customerId","chainId","token")
);

-- CreateIndex
CREATE INDEX "PriceSample_fine_idx" ON "PriceSample"("at") WHERE (resolution = 300);

-- CreateIndex
CREATE INDEX "PriceSample_hourly_idx" ON "PriceSample"("at") WHERE (resolution = 3600);

-- CreateIndex
CREATE INDEX "PriceSample_unlisted_idx" ON "PriceSample"("at") WHERE (NOT "isListed");

-- CreateIndex
CREATE INDEX "SampledToken_customerId_createdAt_idx" ON "SampledToken"("customerId", "createdAt");

-- CreateIndex
CREATE INDEX "SampledToken_requestedAt_idx" ON "SampledToken"("requestedAt");
