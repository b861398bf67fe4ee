SET LOCAL lock_timeout = '10s';

-- The operation of a smart account that made a movement. Rows from before have none, so that the constraint need not read them.
ALTER TABLE "LedgerEntry" ADD COLUMN "operation" TEXT,
    ADD COLUMN "operationHash" BYTEA,
    ADD COLUMN "operationContract" TEXT;
ALTER TABLE "LedgerEntry" ADD CONSTRAINT "LedgerEntry_operation_check"
    CHECK ("operation" IN ('safe', 'safeBatch', 'safeModule', 'userOperation')) NOT VALID;
