import { type Address, type Hex, pad, parseAbi, parseAbiParameters } from 'viem';

/** What identifies a deposit on its destination; amounts in base units, times in Unix seconds. */
export interface RelayData {
  readonly depositor: Hex;
  readonly recipient: Hex;
  readonly exclusiveRelayer: Hex;
  readonly inputToken: Hex;
  readonly outputToken: Hex;
  readonly inputAmount: bigint;
  readonly outputAmount: bigint;
  readonly originChainId: bigint;
  readonly depositId: bigint;
  readonly fillDeadline: number;
  readonly exclusivityDeadline: number;
  readonly message: Hex;
}

const RELAY_DATA =
  'struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }';
const REFUND_LEAF =
  'struct RefundLeaf { uint256 amountToReturn; uint256 chainId; uint256[] refundAmounts; uint32 leafId; address l2TokenAddress; address[] refundAddresses; }';
const SLOW_FILL = 'struct SlowFill { RelayData relayData; uint256 chainId; uint256 updatedOutputAmount; }';

/** The parts of Across' SpokePool (contracts 5.0.27) that relayers, dataworkers and the API need. */
export const spokePoolAbi = parseAbi([
  RELAY_DATA,
  REFUND_LEAF,
  SLOW_FILL,
  'struct FillInfo { bytes32 updatedRecipient; bytes32 updatedMessageHash; uint256 updatedOutputAmount; uint8 fillType; }',
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, FillInfo relayExecutionInfo)',
  'event ExecutedRelayerRefundRoot(uint256 amountToReturn, uint256 indexed chainId, uint256[] refundAmounts, uint32 indexed rootBundleId, uint32 indexed leafId, address l2TokenAddress, address[] refundAddresses, bool deferredRefunds, address caller)',
  'event RelayedRootBundle(uint32 indexed rootBundleId, bytes32 indexed relayerRefundRoot, bytes32 indexed slowRelayRoot)',
  'function deposit(bytes32 depositor, bytes32 recipient, bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable',
  'function fillRelay(RelayData relayData, uint256 repaymentChainId, bytes32 repaymentAddress)',
  'function fillStatuses(bytes32 relayHash) view returns (uint256)',
  'function getV3RelayHash(RelayData relayData) view returns (bytes32)',
  'function relayRootBundle(bytes32 relayerRefundRoot, bytes32 slowRelayRoot)',
  'function executeRelayerRefundLeaf(uint32 rootBundleId, RefundLeaf relayerRefundLeaf, bytes32[] proof) payable',
  'function executeSlowRelayLeaf(SlowFill slowFillLeaf, uint32 rootBundleId, bytes32[] proof)',
]);

/** An address as the SpokePool writes it, for chains with longer ones. */
export const toBytes32 = (address: Address): Hex => pad(address, { size: 32 });

export const toAddress = (word: Hex): Address => `0x${word.slice(-40)}`;

/** The leaves of the two roots of a bundle: they are hashed as they are encoded. */
export const refundLeaf = parseAbiParameters(['RefundLeaf leaf', REFUND_LEAF]);
export const slowFillLeaf = parseAbiParameters(['SlowFill leaf', SLOW_FILL, RELAY_DATA]);
