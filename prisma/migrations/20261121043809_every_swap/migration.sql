-- AlterTable
ALTER TABLE "Action" ADD COLUMN     "refundAddress" TEXT;

-- AlterTable
ALTER TABLE "ActionCall" ADD COLUMN     "form" TEXT NOT NULL DEFAULT 'CALL';

-- AlterTable
ALTER TABLE "Customer" ADD COLUMN     "feeSponsorship" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "Delivery" (
    "actionId" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "deposit" JSONB,
    "memory" JSONB,
    "completion" JSONB,
    "nextLookAt" TIMESTAMPTZ(3),
    "looks" INTEGER NOT NULL DEFAULT 0,
    "lastFailure" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Delivery_pkey" PRIMARY KEY ("actionId")
);

-- CreateTable
CREATE TABLE "ServiceTransaction" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "actionId" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "sender" TEXT NOT NULL,
    "nonce" BIGINT NOT NULL,
    "txHash" TEXT NOT NULL,
    "raw" TEXT NOT NULL,
    "minedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ServiceTransaction_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SmartAccount" (
    "customerId" UUID NOT NULL,
    "chainId" BIGINT NOT NULL,
    "address" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SmartAccount_pkey" PRIMARY KEY ("customerId","chainId","address")
);

-- CreateIndex
CREATE INDEX "Delivery_nextLookAt_idx" ON "Delivery"("nextLookAt");

-- CreateIndex
CREATE INDEX "ServiceTransaction_actionId_idx" ON "ServiceTransaction"("actionId");

-- CreateIndex
CREATE UNIQUE INDEX "ServiceTransaction_actionId_purpose_nonce_key" ON "ServiceTransaction"("actionId", "purpose", "nonce");

-- CreateIndex
CREATE UNIQUE INDEX "ServiceTransaction_chainId_sender_nonce_key" ON "ServiceTransaction"("chainId", "sender", "nonce");

-- AddForeignKey
ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_actionId_fkey" FOREIGN KEY ("actionId") REFERENCES "Action"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
