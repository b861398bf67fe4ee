import { parseAbi } from 'viem';

/**
 * Vaults whose deposits or withdrawals are requested first. The previews of an asynchronous side revert, and are not listed here for
 * withdrawals.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7540
 */
export const REQUEST_VAULT_ABI = parseAbi([
  'function asset() view returns (address)',
  'function share() view returns (address)',
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function convertToShares(uint256 assets) view returns (uint256)',
  'function previewDeposit(uint256 assets) view returns (uint256)',
  'function maxDeposit(address receiver) view returns (uint256)',
  'function maxMint(address controller) view returns (uint256)',
  'function maxWithdraw(address controller) view returns (uint256)',
  'function requestDeposit(uint256 assets, address controller, address owner) returns (uint256)',
  'function pendingDepositRequest(uint256 requestId, address controller) view returns (uint256)',
  'function claimableDepositRequest(uint256 requestId, address controller) view returns (uint256)',
  'function requestRedeem(uint256 shares, address controller, address owner) returns (uint256)',
  'function pendingRedeemRequest(uint256 requestId, address controller) view returns (uint256)',
  'function claimableRedeemRequest(uint256 requestId, address controller) view returns (uint256)',
  'function deposit(uint256 assets, address receiver, address controller) returns (uint256)',
  'function withdraw(uint256 assets, address receiver, address controller) returns (uint256)',
  'function redeem(uint256 shares, address receiver, address controller) returns (uint256)',
]);

/** Ids of ERC-165. */
export const INTERFACES = { deposits: '0xce3bbe50', redemptions: '0x620ee8e4' } as const;

/** The id under which a vault keeps all requests of a controller. Others are not served. */
export const REQUEST_ID = 0n;

export const REQUEST_EVENTS = parseAbi([
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
  'event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)',
]);
