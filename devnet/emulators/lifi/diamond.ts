import { parseAbi } from 'viem';

/** `LifiDiamond.sol`. */
export const diamondAbi = parseAbi([
  'struct Order { bytes32 transactionId; address tokenIn; uint256 amountIn; uint256 fee; address receiver; uint256 minimum; }',
  'struct Swap { address router; bytes data; address tokenOut; }',
  'struct Bridge { uint256 destinationChainId; address tokenOut; uint256 relayFee; uint256 messageFee; }',
  'function swap(Order order, Swap step) payable',
  'function bridge(Order order, Swap step, Bridge transfer) payable',
  'function complete(bytes32 transferId, address receiver, address token, uint256 amount) payable',
  'event SwapCompleted(bytes32 indexed transactionId, address indexed receiver, address tokenOut, uint256 amountOut)',
  'event TransferStarted(bytes32 indexed transactionId, address indexed sender, address receiver, address bridgedToken, uint256 bridgedAmount, uint256 minimum, Bridge bridge)',
  'event TransferCompleted(bytes32 indexed transferId, address indexed receiver, address token, uint256 amount)',
]);
