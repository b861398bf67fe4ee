import { type Abi, decodeErrorResult, type Hex, parseAbi } from 'viem';

const PANICS: Readonly<Record<string, string>> = {
  '0x01': 'an assertion failed',
  '0x11': 'arithmetic overflow or underflow',
  '0x12': 'division by zero',
  '0x21': 'a value is outside its enumeration',
  '0x22': 'a stored byte array is corrupt',
  '0x31': 'pop on an empty array',
  '0x32': 'an array index is out of bounds',
  '0x41': 'too much memory was allocated',
  '0x51': 'a function pointer that was never set was called',
};

/** Custom errors of ERC-6093, ERC-4626, Permit2, routers and widespread libraries. */
const KNOWN_ERRORS: Abi = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)',
  'error ERC4626ExceededMaxMint(address receiver, uint256 shares, uint256 max)',
  'error ERC4626ExceededMaxWithdraw(address owner, uint256 assets, uint256 max)',
  'error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)',
  'error SafeERC20FailedOperation(address token)',
  'error SafeERC20FailedDecreaseAllowance(address spender, uint256 currentAllowance, uint256 requestedDecrease)',
  'error AddressEmptyCode(address target)',
  'error FailedInnerCall()',
  'error FailedCall()',
  'error EnforcedPause()',
  'error OwnableUnauthorizedAccount(address account)',
  'error InsufficientAllowance(uint256 amount)',
  'error AllowanceExpired(uint256 deadline)',
  'error SignatureExpired(uint256 deadline)',
  'error TransactionDeadlinePassed()',
  'error InsufficientBalance()',
  'error TransferFailed()',
  'error TransferFromFailed()',
  'error V2TooLittleReceived()',
  'error V2TooMuchRequested()',
  'error V3TooLittleReceived()',
  'error V3TooMuchRequested()',
  'error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived)',
  'error V4TooMuchRequested(uint256 maxAmountInRequested, uint256 amountRequested)',
  'error InsufficientToken()',
  'error InsufficientETH()',
  'error ReturnAmountIsNotEnough(uint256 result, uint256 minReturn)',
  'error MinimalOutputBalanceViolation(uint256 amountOut)',
  'error CumulativeSlippageTooHigh(uint256 minAmount, uint256 receivedAmount)',
  'error TooMuchSlippage(address token, uint256 expected, uint256 actual)',
  'error Expired(uint256 deadline)',
  'error UnexpectedAmount(uint256 received, uint256 expected)',
  'error TooLittleReceived(uint256 received, uint256 minimum)',
  'error TooMuchTaken(uint256 taken, uint256 maximum)',
  'error ExceedsDeposit(uint256 amount, uint256 balance)',
  'error FeesExceedAssets(uint256 fees, uint256 assets)',
  'error FeeRefused(address recipient)',
  'error BalanceChanged(address token)',
]);

const TOO_LITTLE_RECEIVED = 'less would be received than the minimum';
const TOO_MUCH_SPENT = 'more would be spent than the maximum';
const DEADLINE_PASSED = 'the deadline has passed';

/** Meanings of terse reasons of well-known contracts, by their text, and of custom errors, by their names. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['STF', 'the token could not be pulled from the sender: balance or allowance is too low'],
  ['TF', 'the token could not be sent'],
  ['ST', 'the token could not be sent'],
  ['SPL', 'the price limit of the pool was reached'],
  ['AS', 'the amount is zero'],
  ['IIA', 'the pool received less than it was owed'],
  ['Too little received', TOO_LITTLE_RECEIVED],
  ['Insufficient token', TOO_LITTLE_RECEIVED],
  ['Insufficient WETH9', TOO_LITTLE_RECEIVED],
  ['Return amount is not enough', TOO_LITTLE_RECEIVED],
  ['Too much requested', TOO_MUCH_SPENT],
  ['Transaction too old', DEADLINE_PASSED],
  ['UniswapV2Router: EXPIRED', DEADLINE_PASSED],
  ['UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT', TOO_LITTLE_RECEIVED],
  ['UniswapV2Router: EXCESSIVE_INPUT_AMOUNT', TOO_MUCH_SPENT],
  ['UniswapV2: INSUFFICIENT_LIQUIDITY', 'the pool has too few tokens'],
  ['UniswapV2: K', 'the pool received less than it was owed'],
  [
    'TransferHelper: TRANSFER_FROM_FAILED',
    'the token could not be pulled from the sender: balance or allowance is too low',
  ],
  ['TransactionDeadlinePassed', DEADLINE_PASSED],
  ['V2TooLittleReceived', TOO_LITTLE_RECEIVED],
  ['V2TooMuchRequested', TOO_MUCH_SPENT],
  ['V3TooLittleReceived', TOO_LITTLE_RECEIVED],
  ['V3TooMuchRequested', TOO_MUCH_SPENT],
  ['V4TooLittleReceived', TOO_LITTLE_RECEIVED],
  ['V4TooMuchRequested', TOO_MUCH_SPENT],
  ['InsufficientToken', TOO_LITTLE_RECEIVED],
  ['InsufficientETH', TOO_LITTLE_RECEIVED],
  ['ReturnAmountIsNotEnough', TOO_LITTLE_RECEIVED],
  ['MinimalOutputBalanceViolation', TOO_LITTLE_RECEIVED],
  ['CumulativeSlippageTooHigh', TOO_LITTLE_RECEIVED],
  ['TooMuchSlippage', TOO_LITTLE_RECEIVED],
  ['Expired', DEADLINE_PASSED],
  ['UnexpectedAmount', 'the token moves another amount than its transfer states'],
  ['TooLittleReceived', TOO_LITTLE_RECEIVED],
  ['TooMuchTaken', TOO_MUCH_SPENT],
  ['ExceedsDeposit', 'the deposit is smaller than the withdrawal'],
  ['FeesExceedAssets', 'the withdrawal pays less than its fees'],
  ['FeeRefused', 'the token refuses the transfer of a fee'],
  ['BalanceChanged', 'the market leaves tokens in the router, or takes some'],
]);

/** Longest reason that is shown, in characters. */
const MAX_REASON = 200;

/**
 * The reason of a revert as text: the string of `require`, the meaning of a panic, a known custom error with its
 * arguments, or the selector of an unknown one. Well-known reasons and errors have their meaning instead.
 */
export function revertReason(data: Hex): string {
  if (data === '0x') return 'reverted without a reason';
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: KNOWN_ERRORS, data });
    if (errorName === 'Error') return readableReason(String(args[0]));
    if (errorName === 'Panic') return panicReason(args[0] as bigint);
    return MEANINGS.get(errorName) ?? (args.length === 0 ? errorName : `${errorName}(${args.map(String).join(', ')})`);
  } catch {
    return `reverted with the custom error ${data.slice(0, 10)}`;
  }
}

/** Why a router refused a trade: the price moved by more than the slippage tolerance, or the deadline passed. */
export type RefusedTrade = 'slippage' | 'deadline';

const REFUSED_TRADES = new Map<string, RefusedTrade>([
  [TOO_LITTLE_RECEIVED, 'slippage'],
  [TOO_MUCH_SPENT, 'slippage'],
  [DEADLINE_PASSED, 'deadline'],
]);

/** Why a router refused a trade; `undefined` for a revert with another reason. */
export const refusedTrade = (data: Hex): RefusedTrade | undefined => REFUSED_TRADES.get(revertReason(data));

function panicReason(code: bigint): string {
  const hex = `0x${code.toString(16).padStart(2, '0')}`;
  return PANICS[hex] ?? `panic ${hex.slice(0, 20)}`;
}

/** Contracts are untrusted: their text is shortened, and characters that do not print are removed. */
function readableReason(text: string): string {
  const printable = text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '').trim();
  if (printable === '') return 'reverted without a reason';
  return MEANINGS.get(printable) ?? printable.slice(0, MAX_REASON);
}
