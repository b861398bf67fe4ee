import { type Address, decodeAbiParameters, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { parseAbiParameters, size, zeroAddress } from 'viem';
import type { AcrossRoute } from './across-route';
import { spokePoolAbi, toWord } from './spoke-pool';
import { ACROSS, type TransferParties, type SwapApiQuote } from './swap-api';
import { isSameAddress } from '../../../chains/addresses';

/** Required contents of a deposit. Amounts in base units. */
export interface ExpectedDeposit {
  readonly route: AcrossRoute;
  readonly parties: TransferParties;
  readonly amount: bigint;
}

export type DepositCheck =
  | { readonly outcome: 'valid'; readonly outputAmount: bigint }
  /** Uses a bridge or message that cannot be verified. */
  | { readonly outcome: 'unsupported'; readonly reason: string }
  /** Differs from the request. */
  | { readonly outcome: 'invalid'; readonly reason: string };

/** Bytes appended to the arguments for the integrator: two marks of three bytes and an id of two, padded. */
const MAX_TAG_BYTES = 32;

/** Compares the deposit returned by the API with the request, argument by argument. */
export function checkDeposit(quote: SwapApiQuote, expectedDeposit: ExpectedDeposit): DepositCheck {
  const { swapTx } = quote;
  const unsupportedRoute = unsupportedReason(quote, expectedDeposit.route);
  if (unsupportedRoute !== undefined) return unsupported(unsupportedRoute);
  if (swapTx.chainId !== expectedDeposit.route.origin.chain.chainId) return invalid('is for another chain');
  if ((swapTx.value ?? 0n) !== 0n) return invalid('sends native coin without a reason');
  const deposit = decodeDeposit(swapTx.data);
  if (deposit === undefined) return unsupported('its call is not a deposit');
  // The quote shows the amounts of the response, but the wallet signs those of the call.
  const { inputAmount, outputAmount } = quote.steps.bridge;
  const agrees = inputAmount === deposit.inputAmount && outputAmount === deposit.outputAmount;
  return agrees ? compare(deposit, expectedDeposit) : invalid('has other amounts than its response');
}

/** The reason why a transfer is not a plain deposit into the SpokePool; `undefined` when it is. */
function unsupportedReason({ steps, swapTx }: SwapApiQuote, { origin }: AcrossRoute): string | undefined {
  if (steps.bridge.provider !== ACROSS) return `it goes through ${steps.bridge.provider.slice(0, 40)}`;
  if ((steps.originSwap ?? steps.destinationSwap ?? undefined) !== undefined) return 'it contains a swap';
  const callsSpokePool = isSameAddress(swapTx.to, origin.across.spokePool);
  return callsSpokePool ? undefined : 'it does not call the SpokePool';
}

const unsupported = (reason: string): DepositCheck => ({ outcome: 'unsupported', reason });
const invalid = (reason: string): DepositCheck => ({ outcome: 'invalid', reason });

interface Deposit {
  readonly depositor: Hex;
  readonly recipient: Hex;
  readonly inputToken: Hex;
  readonly outputToken: Hex;
  readonly inputAmount: bigint;
  readonly outputAmount: bigint;
  readonly destinationChainId: bigint;
  readonly message: Hex;
}

/** `undefined` for anything but a canonically encoded `deposit` or `depositV3`, optionally followed by a tag. */
function decodeDeposit(data: Hex): Deposit | undefined {
  try {
    const call = decodeFunctionData({ abi: spokePoolAbi, data });
    if (call.functionName !== 'deposit' && call.functionName !== 'depositV3') return undefined;
    const canonical = encodeFunctionData({ abi: spokePoolAbi, ...call });
    if (!data.startsWith(canonical) || size(data) - size(canonical) > MAX_TAG_BYTES) return undefined;
    const [depositor, recipient, inputToken, outputToken, inputAmount, outputAmount, destinationChainId] = call.args;
    return {
      depositor: toWord(depositor),
      recipient: toWord(recipient),
      inputToken: toWord(inputToken),
      outputToken: toWord(outputToken),
      inputAmount,
      outputAmount,
      destinationChainId,
      message: call.args[11],
    };
  } catch {
    return undefined;
  }
}

function compare(deposit: Deposit, { route, parties, amount }: ExpectedDeposit): DepositCheck {
  const { origin, destination } = route;
  const expected: readonly (readonly [name: string, is: Hex | bigint, must: Hex | bigint])[] = [
    ['depositor', deposit.depositor, toWord(parties.refundTo)],
    ['input token', deposit.inputToken, toWord(origin.token)],
    ['output token', deposit.outputToken, toWord(destination.token)],
    ['input amount', deposit.inputAmount, amount],
    ['destination chain', deposit.destinationChainId, BigInt(destination.chain.chainId)],
  ];
  const other = expected.find(([, is, must]) => is !== must);
  if (other !== undefined) return invalid(`has another ${other[0]}`);
  if (deposit.outputAmount === 0n) return invalid('delivers nothing');
  if (deposit.message !== '0x') return compareMessage(deposit, { route, parties, amount });
  if (deposit.recipient !== toWord(parties.recipient)) return invalid('has another recipient');
  return { outcome: 'valid', outputAmount: deposit.outputAmount };
}

const instructions = parseAbiParameters([
  'Instructions instructions',
  'struct Instructions { Call[] calls; address fallbackRecipient; }',
  'struct Call { address target; bytes callData; uint256 value; }',
]);
const handlerAbi = parseAbi(['function drainLeftoverTokens(address token, address destination)']);

/**
 * With a message the tokens go to the MulticallHandler. The only supported message forwards everything to the recipient,
 * so that an account receives the wrapped coin, and reverts the fill when that fails.
 *
 * @see https://docs.across.to/introduction/technical-faq#what-is-the-behavior-of-eth-weth-in-transfers
 */
function compareMessage(deposit: Deposit, { route, parties }: ExpectedDeposit): DepositCheck {
  const handler = route.destination.across.multicallHandler;
  const unknown = unsupported('its message is not supported');
  if (handler === undefined || deposit.recipient !== toWord(handler) || route.destination.isNative) return unknown;
  const calls = decodeCalls(deposit.message);
  if (calls === undefined || calls.length === 0) return unknown;
  const drain = encodeFunctionData({
    abi: handlerAbi,
    functionName: 'drainLeftoverTokens',
    args: [route.destination.token, parties.recipient as Address],
  });
  const forwards = calls.every(
    ({ target, callData, value }) => isSameAddress(target, handler) && value === 0n && callData === drain,
  );
  return forwards ? { outcome: 'valid', outputAmount: deposit.outputAmount } : unknown;
}

/** `undefined` for other messages, and for messages with a fallback recipient instead of a refund. */
function decodeCalls(message: Hex) {
  try {
    const [{ calls, fallbackRecipient }] = decodeAbiParameters(instructions, message);
    return fallbackRecipient === zeroAddress ? calls : undefined;
  } catch {
    return undefined;
  }
}
