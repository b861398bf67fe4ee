import { type Address, parseAbi } from 'viem';

/**
 * CoW Protocol's settlement, which takes what orders sell and pays out what they have bought. At the same address on every network.
 *
 * @see https://docs.cow.fi/cow-protocol/reference/contracts/core
 */
export const COW_SETTLEMENT: Address = '0x9008D19f58AAbD9eD0D60971565AA8510560ab41';

export const SETTLEMENT_ABI = parseAbi([
  'function filledAmount(bytes orderUid) view returns (uint256)',
  'function invalidateOrder(bytes orderUid)',
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
]);
