-- AlterTable
ALTER TABLE "StrategyState" ADD COLUMN     "doubtfulSharePriceRay" DECIMAL(78,0),
ADD COLUMN     "doubtfulTvl" DECIMAL(78,0),
ADD COLUMN     "doubtfulYearlyRateRay" DECIMAL(78,0);
