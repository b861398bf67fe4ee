-- CreateTable
CREATE TABLE "AuditEntry" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "subject" TEXT NOT NULL,
    "role" "MemberRole" NOT NULL,
    "operation" TEXT NOT NULL,
    "targetType" TEXT NOT NULL,
    "targetId" TEXT NOT NULL,
    "detail" JSONB NOT NULL DEFAULT '{}',
    "requestId" TEXT NOT NULL,

    CONSTRAINT "AuditEntry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "AuditEntry_of_customer_idx" ON "AuditEntry"("customerId", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "AuditEntry_of_target_idx" ON "AuditEntry"("customerId", "targetId", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "AuditEntry_of_subject_idx" ON "AuditEntry"("customerId", "subject", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "AuditEntry_of_operation_idx" ON "AuditEntry"("customerId", "operation", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "AuditEntry_at_idx" ON "AuditEntry"("at");
