-- An order ends with gas in its wallet after some attempts, and never with tokens that are worth their return.
ALTER TABLE "StockOrder" ADD COLUMN "coinSweeps" INTEGER NOT NULL DEFAULT 0;
