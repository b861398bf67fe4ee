-- Since when lower fees on profit are configured than are active.
ALTER TABLE "DeploymentFees" ADD COLUMN "lowerSince" TIMESTAMPTZ(3);

-- The marks of the deployment that a customer inherits do not count against its own.
ALTER TABLE "CustomerStrategy" DROP CONSTRAINT "CustomerStrategy_mark_check";
ALTER TABLE "CustomerStrategy" ADD CONSTRAINT "CustomerStrategy_mark_check"
  CHECK (cardinality("markBlocks") = cardinality("markPricesRay") AND cardinality("markBlocks") <= 200);
