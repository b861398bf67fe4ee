-- DropIndex
DROP INDEX "WebhookDelivery_parked_idx";

-- CreateIndex
CREATE INDEX "WebhookDelivery_parked_idx" ON "WebhookDelivery"("endpointId", "createdAt", "id") WHERE (state = 'PARKED'::text);
