import { parseAbi } from 'viem';

/** Functions that versions 3.0 to 3.7 share, and `getVirtualUnderlyingBalance`, which 3.0 lacks. */
export const POOL_ABI = parseAbi([
  'struct ReserveData { uint256 configuration; uint128 liquidityIndex; uint128 currentLiquidityRate; uint128 variableBorrowIndex; uint128 currentVariableBorrowRate; uint128 currentStableBorrowRate; uint40 lastUpdateTimestamp; uint16 id; address aTokenAddress; address stableDebtTokenAddress; address variableDebtTokenAddress; address interestRateStrategyAddress; uint128 accruedToTreasury; uint128 unbacked; uint128 isolationModeTotalDebt; }',
  'function getReserveData(address asset) view returns (ReserveData)',
  'function getVirtualUnderlyingBalance(address asset) view returns (uint128)',
  'function getUserConfiguration(address user) view returns (uint256)',
  'function getUserAccountData(address user) view returns (uint256 totalCollateralBase, uint256 totalDebtBase, uint256 availableBorrowsBase, uint256 currentLiquidationThreshold, uint256 ltv, uint256 healthFactor)',
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to) returns (uint256)',
]);

export const ADDRESSES_PROVIDER_ABI = parseAbi(['function getPool() view returns (address)']);

export const A_TOKEN_ABI = parseAbi([
  'function scaledTotalSupply() view returns (uint256)',
  'function scaledBalanceOf(address user) view returns (uint256)',
  'function balanceOf(address user) view returns (uint256)',
  'function getIncentivesController() view returns (address)',
]);

export const REWARDS_CONTROLLER_ABI = parseAbi([
  'function getRewardsByAsset(address asset) view returns (address[])',
  'function getRewardsData(address asset, address reward) view returns (uint256 index, uint256 emissionPerSecond, uint256 lastUpdateTimestamp, uint256 distributionEnd)',
  'function getUserRewards(address[] assets, address user, address reward) view returns (uint256)',
  'function claimRewards(address[] assets, uint256 amount, address to, address reward) returns (uint256)',
]);
