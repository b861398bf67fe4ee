import { parseAbi } from 'viem';

export const VAULT_ABI = parseAbi([
  'function asset() view returns (address)',
  'function decimals() view returns (uint8)',
  'function totalAssets() view returns (uint256)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function previewDeposit(uint256 assets) view returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
  'function previewWithdraw(uint256 assets) view returns (uint256)',
  'function maxDeposit(address receiver) view returns (uint256)',
  'function maxWithdraw(address owner) view returns (uint256)',
  'function deposit(uint256 assets, address receiver) returns (uint256)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256)',
]);

/** What vaults of Yearn V3 have in addition. `maxLoss` is in basis points. */
export const LOSS_BOUND_ABI = parseAbi([
  'function maxRedeem(address owner, uint256 maxLoss) view returns (uint256)',
  'function redeem(uint256 shares, address receiver, address owner, uint256 maxLoss) returns (uint256)',
]);
