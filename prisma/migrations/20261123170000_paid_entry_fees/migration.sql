-- The entry fee of each form of a deposit of delivered tokens, and the form that was sent.
ALTER TABLE "ActionCall" ADD COLUMN "fees" JSONB;
ALTER TABLE "ActionStep" ADD COLUMN "callId" UUID;
