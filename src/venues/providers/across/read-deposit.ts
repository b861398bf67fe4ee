import { type Address, decodeAbiParameters, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { parseAbiParameters, size, zeroAddress } from 'viem';
import type { Lane } from './lane';
import { spokePoolAbi, toWord } from './spoke-pool';
import { ACROSS, type Parties, type SwapAnswer } from './swap-api';

/** What a deposit must say. Amounts in base units. */
export interface DepositTerms {
  readonly lane: Lane;
  readonly parties: Parties;
  readonly amount: bigint;
}

export type DepositReading =
  | { readonly outcome: 'fits'; readonly outputAmount: bigint }
  /** It may well be honest, but goes a way on which we cannot check it. */
  | { readonly outcome: 'foreign'; readonly reason: string }
  /** It says something else than was asked for. */
  | { readonly outcome: 'flawed'; readonly reason: string };

/** Bytes behind the arguments, by which Across knows the integrator: two marks of three bytes and an id of two. */
const LONGEST_TAG = 32;

/** Reads the deposit that the API wants signed, and compares it with what was asked for, argument by argument. */
export function readDeposit(answer: SwapAnswer, terms: DepositTerms): DepositReading {
  const { swapTx } = answer;
  const otherWay = otherWayOf(answer, terms.lane);
  if (otherWay !== undefined) return foreign(otherWay);
  if (swapTx.chainId !== terms.lane.origin.chain.chainId) return flawed('is for another chain');
  if ((swapTx.value ?? 0n) !== 0n) return flawed('sends native coin that nobody asked for');
  const deposit = decodeDeposit(swapTx.data);
  if (deposit === undefined) return foreign('its call is not a deposit');
  // A wallet shows the answer's amounts and signs those of the call.
  const { inputAmount, outputAmount } = answer.steps.bridge;
  const agrees = inputAmount === deposit.inputAmount && outputAmount === deposit.outputAmount;
  return agrees ? compare(deposit, terms) : flawed('has other amounts than its answer');
}

/** Why the transfer is not a plain deposit into the SpokePool. */
function otherWayOf({ steps, swapTx }: SwapAnswer, { origin }: Lane): string | undefined {
  if (steps.bridge.provider !== ACROSS) return `it goes through ${steps.bridge.provider.slice(0, 40)}`;
  if ((steps.originSwap ?? steps.destinationSwap ?? undefined) !== undefined) return 'it swaps on the way';
  const callsSpokePool = swapTx.to.toLowerCase() === origin.across.spokePool.toLowerCase();
  return callsSpokePool ? undefined : 'it does not call the SpokePool';
}

const foreign = (reason: string): DepositReading => ({ outcome: 'foreign', reason });
const flawed = (reason: string): DepositReading => ({ outcome: 'flawed', reason });

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

/** `undefined` for anything but `deposit` or `depositV3`, encoded as compilers do and followed by a tag at most. */
function decodeDeposit(data: Hex): Deposit | undefined {
  try {
    const call = decodeFunctionData({ abi: spokePoolAbi, data });
    if (call.functionName !== 'deposit' && call.functionName !== 'depositV3') return undefined;
    const canonical = encodeFunctionData({ abi: spokePoolAbi, ...call });
    if (!data.startsWith(canonical) || size(data) - size(canonical) > LONGEST_TAG) return undefined;
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

function compare(deposit: Deposit, { lane, parties, amount }: DepositTerms): DepositReading {
  const { origin, destination } = lane;
  const wanted: readonly (readonly [name: string, is: Hex | bigint, must: Hex | bigint])[] = [
    ['depositor', deposit.depositor, toWord(parties.refundTo)],
    ['input token', deposit.inputToken, toWord(origin.token)],
    ['output token', deposit.outputToken, toWord(destination.token)],
    ['input amount', deposit.inputAmount, amount],
    ['destination chain', deposit.destinationChainId, BigInt(destination.chain.chainId)],
  ];
  const other = wanted.find(([, is, must]) => is !== must);
  if (other !== undefined) return flawed(`has another ${other[0]}`);
  if (deposit.outputAmount === 0n) return flawed('delivers nothing');
  if (deposit.message !== '0x') return compareMessage(deposit, { lane, parties, amount });
  if (deposit.recipient !== toWord(parties.recipient)) return flawed('has another recipient');
  return { outcome: 'fits', outputAmount: deposit.outputAmount };
}

const instructions = parseAbiParameters([
  'Instructions instructions',
  'struct Instructions { Call[] calls; address fallbackRecipient; }',
  'struct Call { address target; bytes callData; uint256 value; }',
]);
const handlerAbi = parseAbi(['function drainLeftoverTokens(address token, address destination)']);

/**
 * With a message the tokens go to the MulticallHandler. The one message that is understood has it pass on everything to
 * the recipient, so that an account gets the wrapped coin as it is, and fails the fill when it cannot.
 *
 * @see https://docs.across.to/introduction/technical-faq#what-is-the-behavior-of-eth-weth-in-transfers
 */
function compareMessage(deposit: Deposit, { lane, parties }: DepositTerms): DepositReading {
  const handler = lane.destination.across.multicallHandler;
  const unknown = foreign('its message is not known');
  if (handler === undefined || deposit.recipient !== toWord(handler) || lane.destination.isNative) return unknown;
  const calls = decodeCalls(deposit.message);
  if (calls === undefined || calls.length === 0) return unknown;
  const drain = encodeFunctionData({
    abi: handlerAbi,
    functionName: 'drainLeftoverTokens',
    args: [lane.destination.token, parties.recipient as Address],
  });
  const passesOn = calls.every(
    ({ target, callData, value }) =>
      target.toLowerCase() === handler.toLowerCase() && value === 0n && callData === drain,
  );
  return passesOn ? { outcome: 'fits', outputAmount: deposit.outputAmount } : unknown;
}

/** `undefined` when the message is another, or when what fails would end up with somebody instead of being refunded. */
function decodeCalls(message: Hex) {
  try {
    const [{ calls, fallbackRecipient }] = decodeAbiParameters(instructions, message);
    return fallbackRecipient === zeroAddress ? calls : undefined;
  } catch {
    return undefined;
  }
}
