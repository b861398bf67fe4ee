SET LOCAL lock_timeout = '10s';

-- The size of the windows of a wallet, and the attempts at an unreadable block, survive a restart.
ALTER TABLE "WalletBackfill" ADD COLUMN "windowBlocks" INTEGER,
ADD COLUMN "steadyFor" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "unreadable" INTEGER NOT NULL DEFAULT 0;
