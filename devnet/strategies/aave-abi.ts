import { parseAbi } from 'viem';

export const PROVIDER_ABI = parseAbi([
  'function setACLAdmin(address newAclAdmin)',
  'function setACLManager(address newAclManager)',
  'function setPoolDataProvider(address newDataProvider)',
  'function setPriceOracle(address newPriceOracle)',
  'function setPoolImpl(address newPoolImpl)',
  'function setPoolConfiguratorImpl(address newPoolConfiguratorImpl)',
]);

/** Functions for administrators: of the roles, the oracle and the PoolConfigurator. */
export const AAVE_ADMIN_ABI = parseAbi([
  'struct Reserve { address aTokenImpl; address stableDebtTokenImpl; address variableDebtTokenImpl; uint8 underlyingAssetDecimals; address interestRateStrategyAddress; address underlyingAsset; address treasury; address incentivesController; string aTokenName; string aTokenSymbol; string variableDebtTokenName; string variableDebtTokenSymbol; string stableDebtTokenName; string stableDebtTokenSymbol; bytes params; }',
  'function addPoolAdmin(address admin)',
  'function setAssetPrice(address asset, uint256 price)',
  'function initReserves(Reserve[] input)',
  'function configureReserveAsCollateral(address asset, uint256 ltv, uint256 liquidationThreshold, uint256 liquidationBonus)',
  'function setReserveBorrowing(address asset, bool enabled)',
  'function setReserveFactor(address asset, uint256 newReserveFactor)',
  'function setReserveFreeze(address asset, bool freeze)',
  'function setReservePause(address asset, bool paused)',
  'function setSupplyCap(address asset, uint256 newSupplyCap)',
]);

export const AAVE_POOL_ABI = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
]);

export const REWARDS_CONTROLLER_ABI = parseAbi([
  'function configure(address asset, address reward, uint256 emissionPerSecond, uint256 end)',
]);

export const TOKEN_ABI = parseAbi([
  'function mint(address to, uint256 value)',
  'function deposit() payable',
  'function approve(address spender, uint256 value)',
]);
