-- CreateEnum
CREATE TYPE "KycStatus" AS ENUM ('created', 'provider_pending', 'approved', 'rejected', 'rejected_retryable', 'blocked');

-- AlterTable
ALTER TABLE "Customer" ADD COLUMN     "livenessMinimum" INTEGER NOT NULL DEFAULT 80,
ADD COLUMN     "secondaryRamp" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "Quote" ADD COLUMN     "payout" BYTEA;

-- CreateTable
CREATE TABLE "KycProfile" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "externalUserId" TEXT,
    "taxIdIndex" BYTEA NOT NULL,
    "emailIndex" BYTEA,
    "person" BYTEA NOT NULL,
    "erasedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "KycProfile_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "KycWallet" (
    "customerId" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "profileId" UUID NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "linkedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "KycWallet_pkey" PRIMARY KEY ("customerId","address")
);

-- CreateTable
CREATE TABLE "RampAccount" (
    "profileId" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "customerId" UUID NOT NULL,
    "accountId" TEXT,
    "attemptId" TEXT,
    "status" "KycStatus" NOT NULL DEFAULT 'created',
    "providerStatus" TEXT,
    "rejectReason" TEXT,
    "verificationLink" TEXT,
    "capabilities" JSONB NOT NULL DEFAULT '{}',
    "verification" JSONB,
    "checkedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "RampAccount_pkey" PRIMARY KEY ("profileId","provider")
);

-- CreateTable
CREATE TABLE "RampBeneficiary" (
    "profileId" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "customerId" UUID NOT NULL,
    "accountIndex" BYTEA NOT NULL,
    "beneficiaryId" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "RampBeneficiary_pkey" PRIMARY KEY ("profileId","provider","accountIndex")
);

-- CreateTable
CREATE TABLE "RampTicket" (
    "actionId" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "profileId" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "ticketId" TEXT,
    "request" BYTEA NOT NULL,
    "instructions" JSONB,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "RampTicket_pkey" PRIMARY KEY ("actionId")
);

-- CreateTable
CREATE TABLE "RampCallback" (
    "provider" TEXT NOT NULL,
    "eventId" TEXT NOT NULL,
    "receivedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "RampCallback_pkey" PRIMARY KEY ("provider","eventId")
);

-- CreateIndex
CREATE INDEX "KycProfile_customerId_externalUserId_idx" ON "KycProfile"("customerId", "externalUserId");

-- CreateIndex
CREATE INDEX "KycProfile_customerId_emailIndex_idx" ON "KycProfile"("customerId", "emailIndex");

-- CreateIndex
CREATE UNIQUE INDEX "KycProfile_customerId_taxIdIndex_key" ON "KycProfile"("customerId", "taxIdIndex");

-- CreateIndex
CREATE INDEX "KycWallet_profileId_number_idx" ON "KycWallet"("profileId", "number");

-- CreateIndex
CREATE INDEX "RampAccount_provider_accountId_idx" ON "RampAccount"("provider", "accountId");

-- CreateIndex
CREATE INDEX "RampTicket_provider_ticketId_idx" ON "RampTicket"("provider", "ticketId");

-- CreateIndex
CREATE INDEX "RampCallback_receivedAt_idx" ON "RampCallback"("receivedAt");

-- AddForeignKey
ALTER TABLE "KycWallet" ADD CONSTRAINT "KycWallet_profileId_fkey" FOREIGN KEY ("profileId") REFERENCES "KycProfile"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "RampAccount" ADD CONSTRAINT "RampAccount_profileId_fkey" FOREIGN KEY ("profileId") REFERENCES "KycProfile"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
