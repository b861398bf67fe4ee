import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { isServiceError } from '../../errors/service-error';
import { formatBaseUnits } from '../../money/base-units';
import type { UnsignedCall } from '../../venues/quote-provider';
import type { SimulationView } from '../../quotes/quote-view';
import { readHoldings } from '../../rpc/erc20';
import type { Rpc } from '../../rpc/rpc';
import { type CallBundle } from '../execution/calls/build-calls-output';
import { type CallEffects, simulateEffects } from '../execution/calls/simulate-effects';
import { tagCall } from '../execution/calls/tag-call';
import { withGasMargin } from '../execution/calls/simulate-swap';
import { explainTransferRevert } from './explain-transfer-revert';
import type { ResolvedTransfer } from './resolved-transfer';
import { transferError, type TransferProblem } from './transfer-problem';

export interface EvmTransferDeps {
  readonly rpc: Pick<Rpc, 'multicall' | 'simulate' | 'request'> & {
    feeData(chainId: number): Promise<{ readonly expectedFeePerGas: bigint }>;
  };
}

/**
 * Builds and simulates the call of a transfer on an EVM chain. Exactly the amount must leave the sender and reach the
 * recipient.
 *
 * @throws TRANSFER_VALIDATION_FAILED, PROVIDER_UNAVAILABLE
 */
export async function buildEvmTransfer({ rpc }: EvmTransferDeps, transfer: ResolvedTransfer): Promise<CallBundle> {
  const { chain, token, sender, signal } = transfer;
  const [held] = await readHoldings({ rpc, chainId: chain.chainId }, [{ token: token.address, owner: sender }], {
    signal,
  });
  const balance = held?.balance ?? 0n;
  if (balance < transfer.amount) throw transferError(shortage(transfer, balance, transfer.amount));
  const { call, effects, isTagged } = await simulateTransfer(rpc, transfer);
  if (typeof effects === 'string') return callBundle(call, { status: 'UNAVAILABLE', reason: effects }, undefined);
  const problem = await findProblem(rpc, transfer, effects);
  if (problem !== undefined) throw transferError(problem);
  const gasLimit = withGasMargin(effects.calls.at(-1)?.gasUsed);
  await assertGasIsLeft(rpc, transfer, { balance, gasLimit: gasLimit ?? 0n });
  const bundle = callBundle(call, { status: 'SUCCESS', reason: undefined }, gasLimit);
  return isTagged ? bundle : { ...bundle, minNonce: await readNonce(rpc, transfer) };
}

/** The first free nonce of the sender: the transaction of a call without a tag has this nonce or a higher one. */
async function readNonce(rpc: EvmTransferDeps['rpc'], { chain, sender }: ResolvedTransfer): Promise<bigint> {
  const address = sender as Address;
  return BigInt(await rpc.request(chain.chainId, (client) => client.getTransactionCount({ address })));
}

const callBundle = (swap: UnsignedCall, simulation: SimulationView, gasLimit: bigint | undefined): CallBundle => ({
  approvals: [],
  swap,
  simulation,
  gasLimit,
});

interface TransferSimulation {
  readonly call: UnsignedCall;
  readonly effects: CallEffects | string;
  /** True when the call carries the id of its action. */
  readonly isTagged: boolean;
}

/** A contract may accept native coin but not calldata. The call then has no tag. */
async function simulateTransfer(rpc: EvmTransferDeps['rpc'], transfer: ResolvedTransfer): Promise<TransferSimulation> {
  const bare = transferCall(transfer);
  const tagged = await simulateCall(rpc, transfer, tagCall(bare, transfer.actionId));
  if (succeeded(tagged) || !isNativeToken(transfer.token.address)) return { ...tagged, isTagged: true };
  const untagged = await simulateCall(rpc, transfer, bare);
  return succeeded(untagged) ? { ...untagged, isTagged: false } : { ...tagged, isTagged: true };
}

type SimulatedTransfer = Pick<TransferSimulation, 'call' | 'effects'>;

const succeeded = ({ effects }: SimulatedTransfer): boolean =>
  typeof effects !== 'string' && effects.calls.every(({ ok }) => ok);

async function simulateCall(
  rpc: EvmTransferDeps['rpc'],
  transfer: ResolvedTransfer,
  call: UnsignedCall,
): Promise<SimulatedTransfer> {
  const { chain, token, sender, recipient, signal } = transfer;
  const watched = [sender, recipient].map((owner) => ({ token: token.address, owner }));
  const request = { chainId: chain.chainId, sender, calls: [call], watched, signal };
  return { call, effects: await simulateEffects(rpc, request) };
}

function transferCall({ chain, token, sender, recipient, amount }: ResolvedTransfer): UnsignedCall {
  const common = { chainId: chain.chainId, from: sender };
  if (isNativeToken(token.address)) return { ...common, to: recipient, data: '0x', value: amount };
  const args = [recipient as Address, amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  return { ...common, to: token.address, data, value: 0n };
}

async function findProblem(
  rpc: EvmTransferDeps['rpc'],
  transfer: ResolvedTransfer,
  { calls: [call], gains }: CallEffects,
): Promise<TransferProblem | undefined> {
  const { chain, token, sender, recipient, signal } = transfer;
  if (call?.ok === true) return effectProblem(transfer, gains);
  const reason = call?.revertReason ?? 'failed';
  return explainTransferRevert(rpc, {
    chainId: chain.chainId,
    token: token.address,
    sender,
    recipient,
    reason,
    signal,
  });
}

/** Return values and events of tokens are unreliable, so only the balances count. */
function effectProblem({ token, amount }: ResolvedTransfer, [gained = 0n, received = 0n]: CallEffects['gains']) {
  const spent = -gained;
  if (received <= 0n)
    return { kind: 'NOT_TRANSFERRED' as const, reason: 'the token reports success but transfers nothing' };
  if (received === amount && spent === amount) return undefined;
  const formatToken = (units: bigint) => `${formatBaseUnits(units, token.decimals)} ${token.symbol}`;
  const outcome = `the sender would lose ${formatToken(spent)} and the recipient would receive ${formatToken(received)}`;
  return { kind: 'FEE_ON_TRANSFER' as const, reason: `${outcome} of ${formatToken(amount)}` };
}

/** A transfer of native coin must leave enough for gas, except for user operations, whose gas a paymaster may pay. */
async function assertGasIsLeft(
  rpc: EvmTransferDeps['rpc'],
  transfer: ResolvedTransfer,
  { balance, gasLimit }: { readonly balance: bigint; readonly gasLimit: bigint },
): Promise<void> {
  const { chain, token, amount, output } = transfer;
  if (!isNativeToken(token.address) || output === 'userOperation') return;
  const fees = await rpc.feeData(chain.chainId).catch(unknownFees);
  const needed = amount + gasLimit * (fees?.expectedFeePerGas ?? 0n);
  if (balance < needed) throw transferError(shortage(transfer, balance, needed));
}

function unknownFees(error: unknown): undefined {
  if (!isServiceError(error)) throw error;
}

function shortage(
  { token: { decimals, symbol }, amount }: ResolvedTransfer,
  balance: bigint,
  needed: bigint,
): TransferProblem {
  const holdings = `${formatBaseUnits(balance, decimals)} ${symbol} of ${formatBaseUnits(needed, decimals)} needed`;
  const gas = needed > amount ? ', gas included' : '';
  return { kind: 'INSUFFICIENT_BALANCE', reason: `the sender holds ${holdings}${gas}` };
}
