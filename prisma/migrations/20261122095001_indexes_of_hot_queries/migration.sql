-- DropIndex
DROP INDEX "Action_customerId_originAddress_createdAt_idx";

-- DropIndex
DROP INDEX "Action_customerId_receiverAddress_createdAt_idx";

-- DropIndex
DROP INDEX "ActionCall_chainId_open_sender_idx";

-- DropIndex
DROP INDEX "Delivery_nextPollAt_idx";

-- DropIndex
DROP INDEX "Quote_customerId_createdAt_idx";

-- CreateIndex
CREATE INDEX "Action_customerId_originAddress_createdAt_id_idx" ON "Action"("customerId", "originAddress", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Action_customerId_receiverAddress_createdAt_id_idx" ON "Action"("customerId", "receiverAddress", "createdAt", "id") WHERE ("originAddress" <> "receiverAddress");

-- CreateIndex
CREATE INDEX "ActionCall_chainId_form_sender_idx" ON "ActionCall"("chainId", "form", "sender") WHERE (open);

-- CreateIndex
CREATE INDEX "CustomerWallet_customerId_createdAt_address_idx" ON "CustomerWallet"("customerId", "createdAt" DESC, "address");

-- CreateIndex
CREATE INDEX "Delivery_provider_nextPollAt_idx" ON "Delivery"("provider", "nextPollAt") WHERE ("nextPollAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "Quote_expiry_idx" ON "Quote"("deadline");

-- CreateIndex
CREATE INDEX "RampAccount_provider_attemptId_idx" ON "RampAccount"("provider", "attemptId");

-- CreateIndex
CREATE INDEX "RampAccount_status_updatedAt_idx" ON "RampAccount"("status", "updatedAt");

-- CreateIndex
CREATE INDEX "RampTicket_provider_accountId_idx" ON "RampTicket"("provider", "accountId");

-- CreateIndex
CREATE INDEX "RampTicket_profileId_idx" ON "RampTicket"("profileId");
