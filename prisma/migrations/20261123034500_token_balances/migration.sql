-- AlterTable
ALTER TABLE "TokenMetadata" ADD COLUMN     "flaws" JSONB;

-- CreateTable
CREATE TABLE "BrokenToken" (
    "chainId" BIGINT NOT NULL,
    "token" TEXT NOT NULL,
    "strikes" INTEGER NOT NULL DEFAULT 1,
    "quarantinedUntil" TIMESTAMPTZ(3),
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "BrokenToken_pkey" PRIMARY KEY ("chainId","token")
);

-- CreateTable
CREATE TABLE "PinnedToken" (
    "customerId" UUID NOT NULL,
    "wallet" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "token" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "PinnedToken_pkey" PRIMARY KEY ("customerId","wallet","chainId","token")
);

-- CreateIndex
CREATE INDEX "BrokenToken_updatedAt_idx" ON "BrokenToken"("updatedAt");
