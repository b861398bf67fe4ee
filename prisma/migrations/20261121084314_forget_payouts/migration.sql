-- CreateIndex
CREATE INDEX "Quote_deadline_idx" ON "Quote"("deadline") WHERE (payout IS NOT NULL);

-- CreateIndex
CREATE INDEX "RampTicket_createdAt_idx" ON "RampTicket"("createdAt");
