-- A worker whose job queue is not connected still follows chains: it is seen, but not as one that runs jobs.
ALTER TABLE "Worker" ADD COLUMN "runsJobs" BOOLEAN NOT NULL DEFAULT true;
