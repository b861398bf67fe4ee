SET LOCAL lock_timeout = '10s';

-- Wallets on Solana whose movements are recorded, and what their transactions moved.
CREATE TABLE "SolanaWallet" (
    "id" BIGSERIAL NOT NULL,
    "chainId" BIGINT NOT NULL,
    "address" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "nextAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "quietReadings" INTEGER NOT NULL DEFAULT 0,
    "readSlot" BIGINT,
    "readAt" TIMESTAMPTZ(3),
    "omittedAccounts" INTEGER NOT NULL DEFAULT 0,
    "history" TEXT NOT NULL DEFAULT 'walking',
    "differences" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,
    "countedOn" DATE,
    "entriesOfDay" INTEGER NOT NULL DEFAULT 0,
    "suspendedAt" TIMESTAMPTZ(3),

    CONSTRAINT "SolanaWallet_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "SolanaWatch" (
    "customerId" UUID NOT NULL,
    "walletId" BIGINT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SolanaWatch_pkey" PRIMARY KEY ("customerId","walletId")
);

CREATE TABLE "SolanaAccount" (
    "walletId" BIGINT NOT NULL,
    "address" TEXT NOT NULL,
    "headSignature" TEXT,
    "headSlot" BIGINT,
    "topSignature" TEXT,
    "topSlot" BIGINT,
    "lastSignature" TEXT,
    "read" INTEGER NOT NULL DEFAULT 0,
    "oldestSlot" BIGINT,

    CONSTRAINT "SolanaAccount_pkey" PRIMARY KEY ("walletId","address")
);

CREATE TABLE "SolanaSignature" (
    "walletId" BIGINT NOT NULL,
    "signature" TEXT NOT NULL,
    "slot" BIGINT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reason" TEXT,

    CONSTRAINT "SolanaSignature_pkey" PRIMARY KEY ("walletId","signature")
);

CREATE TABLE "SolanaMovement" (
    "walletId" BIGINT NOT NULL,
    "signature" TEXT NOT NULL,
    "position" SMALLINT NOT NULL,
    "slot" BIGINT NOT NULL,
    "blockTime" TIMESTAMPTZ(3) NOT NULL,
    "token" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "counterparty" TEXT NOT NULL,

    CONSTRAINT "SolanaMovement_pkey" PRIMARY KEY ("walletId","signature","position")
);

CREATE UNIQUE INDEX "SolanaWallet_chainId_address_key" ON "SolanaWallet"("chainId", "address");
CREATE INDEX "SolanaWallet_chainId_nextAt_idx" ON "SolanaWallet"("chainId", "nextAt");
CREATE INDEX "SolanaWatch_walletId_idx" ON "SolanaWatch"("walletId");
CREATE INDEX "SolanaSignature_walletId_nextAt_slot_idx" ON "SolanaSignature"("walletId", "nextAt", "slot");
CREATE INDEX "SolanaMovement_walletId_slot_signature_position_idx" ON "SolanaMovement"("walletId", "slot", "signature", "position");
CREATE INDEX "SolanaMovement_walletId_token_slot_signature_position_idx" ON "SolanaMovement"("walletId", "token", "slot", "signature", "position");

ALTER TABLE "SolanaWallet"
  ADD CONSTRAINT "SolanaWallet_history_check" CHECK ("history" IN ('walking', 'proven', 'unproven'));
ALTER TABLE "SolanaMovement"
  ADD CONSTRAINT "SolanaMovement_kind_check" CHECK ("kind" IN ('transferIn', 'transferOut')),
  ADD CONSTRAINT "SolanaMovement_amount_check" CHECK ("amount" > 0);

-- As for wallets of EVM chains: a worker deletes wallets without a watch, and their movements, in batches.
CREATE FUNCTION "endSolanaWatch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "WatchRequest" WHERE "customerId" = OLD."customerId" AND address = OLD.address;
  DELETE FROM "SolanaWatch" AS watch USING "SolanaWallet" AS wallet
   WHERE wallet.address = OLD.address AND watch."walletId" = wallet.id AND watch."customerId" = OLD."customerId";
  RETURN NULL;
END;
$$;

CREATE TRIGGER "CustomerWallet_removed_on_solana" AFTER DELETE ON "CustomerWallet" FOR EACH ROW
  WHEN (OLD.address !~ '^0x') EXECUTE FUNCTION "endSolanaWatch"();
