import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { isServiceError } from '../../errors/service-error';
import { formatBaseUnits } from '../../money/base-units';
import type { UnsignedCall } from '../../venues/quote-provider';
import type { SimulationView } from '../../quotes/quote-view';
import { readHoldings } from '../../rpc/erc20';
import type { Rpc } from '../../rpc/rpc';
import { type TriedCalls } from '../execution/calls/build-calls-output';
import { type Effects, simulateEffects } from '../execution/calls/simulate-effects';
import { tagCall } from '../execution/calls/tag-call';
import { withMargin } from '../execution/calls/simulate-swap';
import { explainRefusal } from './explain-revert';
import type { TransferOrder } from './transfer-order';
import { invalidTransfer, type TransferFlaw } from './transfer-problem';

export interface EvmTransferDeps {
  readonly rpc: Pick<Rpc, 'multicall' | 'simulate'> & {
    feeData(chainId: number): Promise<{ readonly expectedFeePerGas: bigint }>;
  };
}

/**
 * The call of a transfer on an EVM chain, tried: exactly the amount has to leave the sender and to reach the recipient.
 *
 * @throws TRANSFER_VALIDATION_FAILED, PROVIDER_UNAVAILABLE
 */
export async function evmTransfer({ rpc }: EvmTransferDeps, order: TransferOrder): Promise<TriedCalls> {
  const { chain, token, sender, signal } = order;
  const [held] = await readHoldings({ rpc, chainId: chain.chainId }, [{ token: token.address, owner: sender }], {
    signal,
  });
  const balance = held?.balance ?? 0n;
  if (balance < order.amount) throw invalidTransfer(shortage(order, balance, order.amount));
  const { call, effects } = await attempt(rpc, order);
  if (typeof effects === 'string') return tried(call, { status: 'UNAVAILABLE', reason: effects }, undefined);
  const flaw = await flawOf(rpc, order, effects);
  if (flaw !== undefined) throw invalidTransfer(flaw);
  const gasLimit = withMargin(effects.calls.at(-1)?.gasUsed);
  await assertGasIsLeft(rpc, order, { balance, gasLimit: gasLimit ?? 0n });
  return tried(call, { status: 'SUCCESS', reason: undefined }, gasLimit);
}

const tried = (swap: UnsignedCall, simulation: SimulationView, gasLimit: bigint | undefined): TriedCalls => ({
  approvals: [],
  swap,
  simulation,
  gasLimit,
});

interface Attempt {
  readonly call: UnsignedCall;
  readonly effects: Effects | string;
}

/** A contract may take native coin and yet refuse calldata: then the call goes without its tag. */
async function attempt(rpc: EvmTransferDeps['rpc'], order: TransferOrder): Promise<Attempt> {
  const bare = transferCall(order);
  const tagged = await attemptOf(rpc, order, tagCall(bare, order.actionId));
  if (succeeded(tagged) || !isNativeToken(order.token.address)) return tagged;
  const untagged = await attemptOf(rpc, order, bare);
  return succeeded(untagged) ? untagged : tagged;
}

const succeeded = ({ effects }: Attempt): boolean => typeof effects !== 'string' && effects.calls.every(({ ok }) => ok);

async function attemptOf(rpc: EvmTransferDeps['rpc'], order: TransferOrder, call: UnsignedCall): Promise<Attempt> {
  const { chain, token, sender, recipient, signal } = order;
  const watched = [sender, recipient].map((owner) => ({ token: token.address, owner }));
  const trial = { chainId: chain.chainId, sender, calls: [call], watched, signal };
  return { call, effects: await simulateEffects(rpc, trial) };
}

function transferCall({ chain, token, sender, recipient, amount }: TransferOrder): UnsignedCall {
  const common = { chainId: chain.chainId, from: sender };
  if (isNativeToken(token.address)) return { ...common, to: recipient, data: '0x', value: amount };
  const args = [recipient as Address, amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  return { ...common, to: token.address, data, value: 0n };
}

async function flawOf(
  rpc: EvmTransferDeps['rpc'],
  order: TransferOrder,
  { calls: [call], gains }: Effects,
): Promise<TransferFlaw | undefined> {
  const { chain, token, sender, recipient, signal } = order;
  if (call?.ok === true) return effectFlaw(order, gains);
  const reason = call?.revertReason ?? 'failed';
  return explainRefusal(rpc, { chainId: chain.chainId, token: token.address, sender, recipient, reason, signal });
}

/** Tokens lie about their transfers in many ways, and some say nothing: only the balances count. */
function effectFlaw({ token, amount }: TransferOrder, [gained = 0n, received = 0n]: Effects['gains']) {
  const spent = -gained;
  if (received <= 0n)
    return { kind: 'NOT_TRANSFERRED' as const, reason: 'the token reports success and moves nothing' };
  if (received === amount && spent === amount) return undefined;
  const inWords = (units: bigint) => `${formatBaseUnits(units, token.decimals)} ${token.symbol}`;
  const outcome = `the sender would lose ${inWords(spent)} and the recipient get ${inWords(received)}`;
  return { kind: 'FEE_ON_TRANSFER' as const, reason: `${outcome} of ${inWords(amount)}` };
}

/** Whoever sends the last of the native coin cannot pay for sending it; an account may have others pay. */
async function assertGasIsLeft(
  rpc: EvmTransferDeps['rpc'],
  order: TransferOrder,
  { balance, gasLimit }: { readonly balance: bigint; readonly gasLimit: bigint },
): Promise<void> {
  const { chain, token, amount, output } = order;
  if (!isNativeToken(token.address) || output === 'userOperation') return;
  const fees = await rpc.feeData(chain.chainId).catch(unknownFees);
  const needed = amount + gasLimit * (fees?.expectedFeePerGas ?? 0n);
  if (balance < needed) throw invalidTransfer(shortage(order, balance, needed));
}

function unknownFees(error: unknown): undefined {
  if (!isServiceError(error)) throw error;
}

function shortage(
  { token: { decimals, symbol }, amount }: TransferOrder,
  balance: bigint,
  needed: bigint,
): TransferFlaw {
  const inWords = `${formatBaseUnits(balance, decimals)} ${symbol} of ${formatBaseUnits(needed, decimals)} needed`;
  const gas = needed > amount ? ', gas included' : '';
  return { kind: 'INSUFFICIENT_BALANCE', reason: `the sender holds ${inWords}${gas}` };
}
