import type { DeploymentFees } from '../../persistence/client/client';
import { profitBpsOf, type StrategyFees } from '../strategy-fees';
import { marksOf } from './fee-marks';
import type { RequestedFees } from './requested-fees';

/** The fees of the deployment on a strategy: those that are configured, but on profit no higher than they were activated. */
export function deploymentFees(configured: RequestedFees, activated: DeploymentFees | undefined): StrategyFees {
  const { performanceBps, markupBps } = activated ?? { performanceBps: 0, markupBps: 0 };
  const marks = activated === undefined ? [] : marksOf(activated);
  const isHigher = profitBpsOf(configured) > profitBpsOf({ performanceBps, markupBps });
  return { ...configured, ...(isHigher ? { performanceBps, markupBps } : {}), marks };
}
