-- CreateEnum
CREATE TYPE "MemberRole" AS ENUM ('admin', 'owner', 'developer', 'viewer');

-- CreateTable
CREATE TABLE "Member" (
    "customerId" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "role" "MemberRole" NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revokedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Member_pkey" PRIMARY KEY ("customerId","subject")
);

-- AddForeignKey
ALTER TABLE "Member" ADD CONSTRAINT "Member_customerId_fkey" FOREIGN KEY ("customerId") REFERENCES "Customer"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
