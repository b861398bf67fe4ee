SET LOCAL lock_timeout = '10s';

-- The purchases of a wallet whose order wallets may have dollars.
CREATE INDEX "StockOrder_purchases_idx" ON "StockOrder" ("customerId", owner, step, "actionId" DESC)
 WHERE side = 'BUY' AND step <> 'ENDED';
