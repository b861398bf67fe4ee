-- DropIndex
DROP INDEX "RampTicket_provider_ticketId_idx";

-- CreateIndex
CREATE UNIQUE INDEX "RampTicket_provider_ticketId_key" ON "RampTicket"("provider", "ticketId");
