-- CreateIndex
CREATE INDEX "WebhookDelivery_failing_idx" ON "WebhookDelivery"("customerId", "endpointId") WHERE ((state = 'WAITING'::text) AND (attempts > 0));
