-- CreateTable
CREATE TABLE "SmartAccountDeployment" (
    "customerId" UUID NOT NULL,
    "chainId" BIGINT NOT NULL,
    "address" TEXT NOT NULL,
    "actionId" UUID NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'WAITING',
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastFailure" TEXT,
    "txHash" TEXT,
    "nextAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "leasedUntil" TIMESTAMPTZ(3),
    "fencingToken" BIGINT NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finishedAt" TIMESTAMPTZ(3),

    CONSTRAINT "SmartAccountDeployment_pkey" PRIMARY KEY ("customerId","chainId","address"),
    CONSTRAINT "SmartAccountDeployment_state_check" CHECK ("state" IN ('WAITING', 'SENDING', 'DEPLOYED', 'FAILED'))
);

-- CreateIndex
CREATE UNIQUE INDEX "SmartAccountDeployment_actionId_key" ON "SmartAccountDeployment"("actionId");

-- CreateIndex
CREATE UNIQUE INDEX "SmartAccountDeployment_chainId_address_key" ON "SmartAccountDeployment"("chainId", "address") WHERE (state = 'SENDING'::text);

-- CreateIndex
CREATE INDEX "SmartAccountDeployment_nextAt_idx" ON "SmartAccountDeployment"("nextAt") WHERE (state = ANY (ARRAY['WAITING'::text, 'SENDING'::text]));
