SET LOCAL lock_timeout = '10s';

-- The next page of a reading repeats the last signature of the page before.
ALTER TABLE "SolanaAccount" ADD COLUMN "priorSignature" TEXT;
