-- CreateTable
CREATE TABLE "SecretFingerprint" (
    "name" TEXT NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SecretFingerprint_pkey" PRIMARY KEY ("name")
);
