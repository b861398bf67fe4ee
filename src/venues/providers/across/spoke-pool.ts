import { type Address, type Hex, isHex, pad, parseAbi, parseAbiParameters } from 'viem';

const RELAY_DATA =
  'struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }';

/** Parameters of the hash that identifies a deposit on its destination chain. */
export const relayHashParameters = parseAbiParameters(['RelayData relay, uint256 destinationChainId', RELAY_DATA]);

/**
 * The SpokePool of Across.
 *
 * @see https://www.npmjs.com/package/@across-protocol/contracts contracts/spoke-pools/SpokePool.sol, 5.0.27
 */
export const spokePoolAbi = parseAbi([
  'function deposit(bytes32 depositor, bytes32 recipient, bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable',
  'function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable',
  'function fillStatuses(bytes32 relayHash) view returns (uint256)',
  'function getCurrentTime() view returns (uint256)',
  'struct FillInfo { bytes32 updatedRecipient; bytes32 updatedMessageHash; uint256 updatedOutputAmount; uint8 fillType; }',
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, FillInfo relayExecutionInfo)',
  'event ExecutedRelayerRefundRoot(uint256 amountToReturn, uint256 indexed chainId, uint256[] refundAmounts, uint32 indexed rootBundleId, uint32 indexed leafId, address l2TokenAddress, address[] refundAddresses, bool deferredRefunds, address caller)',
]);

/** Value of `fillStatuses` for a deposit that was filled. */
export const FILLED = 2n;

/** An address as a word of 32 bytes in lower case, the form of decoded events. */
export const toWord = (address: string): Hex => pad(address.toLowerCase() as Address, { size: 32 });

/** The text in lower case when it is hexadecimal bytes. */
export const asHex = (text: string): Hex | undefined =>
  isHex(text) && text.length % 2 === 0 ? (text.toLowerCase() as Hex) : undefined;
