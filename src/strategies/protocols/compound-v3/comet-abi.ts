import { parseAbi } from 'viem';

export const COMET_ABI = parseAbi([
  'struct TotalsBasic { uint64 baseSupplyIndex; uint64 baseBorrowIndex; uint64 trackingSupplyIndex; uint64 trackingBorrowIndex; uint104 totalSupplyBase; uint104 totalBorrowBase; uint40 lastAccrualTime; uint8 pauseFlags; }',
  'function baseToken() view returns (address)',
  'function totalsBasic() view returns (TotalsBasic)',
  'function getUtilization() view returns (uint256)',
  'function supplyKink() view returns (uint256)',
  'function supplyPerSecondInterestRateBase() view returns (uint256)',
  'function supplyPerSecondInterestRateSlopeLow() view returns (uint256)',
  'function supplyPerSecondInterestRateSlopeHigh() view returns (uint256)',
  'function baseTrackingSupplySpeed() view returns (uint256)',
  'function trackingIndexScale() view returns (uint256)',
  'function baseMinForRewards() view returns (uint256)',
  'function isSupplyPaused() view returns (bool)',
  'function isWithdrawPaused() view returns (bool)',
  'function userBasic(address account) view returns (int104 principal, uint64 baseTrackingIndex, uint64 baseTrackingAccrued, uint16 assetsIn, uint8 reserved)',
  'function balanceOf(address account) view returns (uint256)',
  'function borrowBalanceOf(address account) view returns (uint256)',
  'function supplyTo(address dst, address asset, uint256 amount)',
  'function withdrawTo(address to, address asset, uint256 amount)',
]);

/**
 * `getRewardOwed` lets the Comet accrue first: it is only called, never sent. `rewardConfig` returns a multiplier as well in later
 * versions.
 */
export const COMET_REWARDS_ABI = parseAbi([
  'struct RewardOwed { address token; uint256 owed; }',
  'function rewardConfig(address comet) view returns (address token, uint64 rescaleFactor, bool shouldUpscale)',
  'function getRewardOwed(address comet, address account) returns (RewardOwed)',
  'function claim(address comet, address src, bool shouldAccrue)',
]);
