-- CreateEnum
CREATE TYPE "CustomerStatus" AS ENUM ('ACTIVE', 'SUSPENDED');

-- CreateEnum
CREATE TYPE "ActionStatus" AS ENUM ('INITIAL', 'PENDING', 'FAILED', 'REFUNDED', 'SUCCESS');

-- CreateEnum
CREATE TYPE "StepStatus" AS ENUM ('PENDING', 'SUBMITTED', 'CONFIRMED', 'FAILED', 'SKIPPED');

-- CreateTable
CREATE TABLE "Customer" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "status" "CustomerStatus" NOT NULL DEFAULT 'ACTIVE',
    "rateLimitPerMinute" INTEGER,
    "rateLimitPerHour" INTEGER,
    "webhookUrl" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Customer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ApiKey" (
    "id" TEXT NOT NULL,
    "customerId" UUID NOT NULL,
    "label" TEXT NOT NULL,
    "secretHash" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lastUsedAt" TIMESTAMPTZ(3),
    "expiresAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),

    CONSTRAINT "ApiKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IdempotentCall" (
    "customerId" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "requestHash" BYTEA NOT NULL,
    "status" INTEGER,
    "headers" JSONB,
    "body" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lockedUntil" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "IdempotentCall_pkey" PRIMARY KEY ("customerId","key")
);

-- CreateTable
CREATE TABLE "rate_limit" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "TokenMetadata" (
    "chainId" BIGINT NOT NULL,
    "address" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "TokenMetadata_pkey" PRIMARY KEY ("chainId","address")
);

-- CreateTable
CREATE TABLE "Quote" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "chainIdIn" BIGINT NOT NULL,
    "chainIdOut" BIGINT NOT NULL,
    "tokenIn" TEXT NOT NULL,
    "tokenOut" TEXT NOT NULL,
    "amountIn" DECIMAL(78,0) NOT NULL,
    "maxAmountIn" DECIMAL(78,0) NOT NULL,
    "expectedAmountOut" DECIMAL(78,0) NOT NULL,
    "minAmountOut" DECIMAL(78,0) NOT NULL,
    "request" JSONB NOT NULL,
    "view" JSONB NOT NULL,
    "execution" JSONB NOT NULL,
    "rawQuoteHash" BYTEA,
    "bytecodeHash" BYTEA,
    "webhookUrl" TEXT,
    "deadline" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Quote_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Action" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "quoteId" UUID,
    "type" TEXT NOT NULL,
    "status" "ActionStatus" NOT NULL DEFAULT 'INITIAL',
    "substatus" TEXT,
    "provider" TEXT,
    "originAddress" TEXT NOT NULL,
    "receiverAddress" TEXT NOT NULL,
    "chainIdIn" BIGINT NOT NULL,
    "chainIdOut" BIGINT NOT NULL,
    "tokenIn" JSONB NOT NULL,
    "tokenOut" JSONB NOT NULL,
    "amountIn" DECIMAL(78,0) NOT NULL,
    "amountOut" DECIMAL(78,0) NOT NULL,
    "minAmountOut" DECIMAL(78,0) NOT NULL,
    "amountInUsd" DECIMAL(38,6),
    "amountOutUsd" DECIMAL(38,6),
    "fees" JSONB NOT NULL,
    "failureReason" TEXT,
    "webhookUrl" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "initialDate" TIMESTAMPTZ(3),
    "finishedAt" TIMESTAMPTZ(3),
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Action_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ActionEvent" (
    "id" BIGSERIAL NOT NULL,
    "actionId" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "fromStatus" "ActionStatus",
    "toStatus" "ActionStatus" NOT NULL,
    "substatus" TEXT,
    "detail" JSONB,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ActionEvent_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ActionStep" (
    "actionId" UUID NOT NULL,
    "stepIndex" INTEGER NOT NULL,
    "customerId" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "operator" TEXT NOT NULL,
    "protocol" TEXT,
    "chainId" BIGINT NOT NULL,
    "status" "StepStatus" NOT NULL DEFAULT 'PENDING',
    "txHash" TEXT,
    "blockNumber" BIGINT,
    "blockHash" TEXT,
    "minedAt" TIMESTAMPTZ(3),
    "userOperationHash" TEXT,
    "failureReason" TEXT,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ActionStep_pkey" PRIMARY KEY ("actionId","stepIndex")
);

-- CreateTable
CREATE TABLE "ActionCall" (
    "id" UUID NOT NULL,
    "actionId" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "stepIndex" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "sender" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "dataHash" BYTEA NOT NULL,
    "value" DECIMAL(78,0) NOT NULL,
    "open" BOOLEAN NOT NULL DEFAULT true,
    "status" "StepStatus" NOT NULL DEFAULT 'PENDING',
    "txHash" TEXT,
    "blockNumber" BIGINT,
    "blockHash" TEXT,
    "minedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ActionCall_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "TrackedBlock" (
    "chainId" BIGINT NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "TrackedBlock_pkey" PRIMARY KEY ("chainId","number")
);

-- CreateTable
CREATE TABLE "ChainTracker" (
    "chainId" BIGINT NOT NULL,
    "leaseOwner" UUID NOT NULL,
    "leaseUntil" TIMESTAMPTZ(3) NOT NULL,
    "caughtUpAt" TIMESTAMPTZ(3),

    CONSTRAINT "ChainTracker_pkey" PRIMARY KEY ("chainId")
);

-- CreateTable
CREATE TABLE "CustomerWallet" (
    "customerId" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "CustomerWallet_pkey" PRIMARY KEY ("customerId","address")
);

-- CreateIndex
CREATE INDEX "ApiKey_customerId_idx" ON "ApiKey"("customerId");

-- CreateIndex
CREATE INDEX "IdempotentCall_createdAt_idx" ON "IdempotentCall"("createdAt");

-- CreateIndex
CREATE INDEX "rate_limit_expire_idx" ON "rate_limit"("expire");

-- CreateIndex
CREATE INDEX "Quote_customerId_createdAt_idx" ON "Quote"("customerId", "createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "Action_quoteId_key" ON "Action"("quoteId");

-- CreateIndex
CREATE INDEX "Action_customerId_originAddress_createdAt_idx" ON "Action"("customerId", "originAddress", "createdAt");

-- CreateIndex
CREATE INDEX "Action_customerId_receiverAddress_createdAt_idx" ON "Action"("customerId", "receiverAddress", "createdAt");

-- CreateIndex
CREATE INDEX "Action_status_expiresAt_idx" ON "Action"("status", "expiresAt");

-- CreateIndex
CREATE INDEX "ActionEvent_actionId_id_idx" ON "ActionEvent"("actionId", "id");

-- CreateIndex
CREATE INDEX "ActionStep_chainId_status_idx" ON "ActionStep"("chainId", "status");

-- CreateIndex
CREATE UNIQUE INDEX "ActionStep_chainId_txHash_key" ON "ActionStep"("chainId", "txHash");

-- CreateIndex
CREATE INDEX "ActionCall_chainId_open_sender_idx" ON "ActionCall"("chainId", "open", "sender");

-- CreateIndex
CREATE UNIQUE INDEX "ActionCall_actionId_chainId_target_dataHash_value_key" ON "ActionCall"("actionId", "chainId", "target", "dataHash", "value");

-- AddForeignKey
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_customerId_fkey" FOREIGN KEY ("customerId") REFERENCES "Customer"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Action" ADD CONSTRAINT "Action_quoteId_fkey" FOREIGN KEY ("quoteId") REFERENCES "Quote"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ActionEvent" ADD CONSTRAINT "ActionEvent_actionId_fkey" FOREIGN KEY ("actionId") REFERENCES "Action"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ActionStep" ADD CONSTRAINT "ActionStep_actionId_fkey" FOREIGN KEY ("actionId") REFERENCES "Action"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ActionCall" ADD CONSTRAINT "ActionCall_actionId_fkey" FOREIGN KEY ("actionId") REFERENCES "Action"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
