SET LOCAL lock_timeout = '10s';

-- The sales of a wallet whose order wallets have, or had, tokens, and those that wait for some.
CREATE INDEX "StockOrder_sales_idx" ON "StockOrder" ("customerId", owner, step, "actionId" DESC)
 WHERE side = 'SELL' AND (step <> 'ENDED' OR "orderUid" IS NOT NULL OR "refundTxHash" IS NOT NULL OR "refundedAt" IS NOT NULL);
