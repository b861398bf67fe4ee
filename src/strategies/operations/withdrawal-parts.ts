import type { Address } from 'viem';
import { maxBigInt } from '../../money/min-max';
import type { Preview, ProtocolCall, WithdrawParameters } from '../protocols/protocol';
import { depositLoss, withdrawalLoss } from '../router/router-bounds';
import { withdrawalCall } from '../router/router-calls';
import { feeParts, sumOfFees, transferPart } from './fee-parts';
import type { OperationDeps } from './operation-deps';
import type { OperationPart } from './operation-part';
import { findOperationRouter, routerDeadline } from './operation-router';
import { protocolPart } from './protocol-part';
import { routedToleranceOf, toleranceOf } from './receipt-amount';
import type { ChargedFee, Withdrawal } from './resolved-operation';
import type { SwapLeg } from './swap-leg';

export interface PreviewedAssets extends Preview {
  /** Unix seconds. */
  readonly blockTime: bigint;
}

interface PlannedWithdrawal {
  readonly withdraw: WithdrawParameters;
  readonly preview: PreviewedAssets;
  readonly fees: readonly ChargedFee[];
  /** What follows the withdrawal: a swap, or a transfer to another chain, of `remainder`. */
  readonly leg: SwapLeg | undefined;
  /** Base units of the underlying asset that the fees leave. */
  readonly remainder: bigint;
}

interface WithdrawalParts {
  readonly parts: readonly OperationPart[];
  /** Base units of the underlying asset that the withdrawal pays at least after its fees. */
  readonly minimum: bigint;
  readonly isRouted: boolean;
}

/**
 * The withdrawal, its fees, and what happens to the rest: one call of the router that enforces both the minimum and the fees or,
 * on a chain without a router, the call of the protocol, a transfer to each recipient of fees, and one of the rest when another
 * account receives it.
 *
 * @throws LENDING_SERVICE_UNAVAILABLE when the chain does not respond
 */
export async function withdrawalParts(
  deps: OperationDeps,
  withdrawal: Withdrawal,
  planned: PlannedWithdrawal,
): Promise<WithdrawalParts> {
  const { leg, preview, fees } = planned;
  const after = leg === undefined ? [] : [leg.part];
  const router = await findWithdrawalRouter(deps, withdrawal, fees);
  if (router === undefined) {
    const parts = await directParts(deps, withdrawal, planned);
    const minimum = preview.assets - sumOfFees(fees) - toleranceOf(preview.assets, withdrawal.strategy.row);
    return { parts: [...parts, ...after], minimum: maxBigInt(minimum, 0n), isRouted: false };
  }
  const minAssets = routedMinimum(withdrawal, planned);
  const part = await routedPart(deps, withdrawal, { ...planned, router, minAssets });
  return { parts: [part, ...after], minimum: minAssets, isRouted: true };
}

/**
 * Without fees only vaults need the router: the call of a lending market pays what it states or reverts, and its receipt tokens need
 * no allowance then.
 */
async function findWithdrawalRouter(
  deps: OperationDeps,
  withdrawal: Withdrawal,
  fees: readonly ChargedFee[],
): Promise<Address | undefined> {
  const isNeeded = fees.length > 0 || withdrawal.strategy.row.protocol === 'erc4626';
  return isNeeded ? findOperationRouter(deps, withdrawal) : undefined;
}

/**
 * A swap or transfer that follows is for the whole remainder: with less, it would take other tokens of the wallet, or revert after the
 * fees are paid.
 */
function routedMinimum(withdrawal: Withdrawal, planned: PlannedWithdrawal): bigint {
  const { leg, preview, fees, remainder } = planned;
  if (leg !== undefined) return remainder;
  const tolerance = routedToleranceOf(preview.assets, withdrawal.strategy.row);
  return maxBigInt(preview.assets - sumOfFees(fees) - tolerance - expectedLoss(withdrawal, planned), 0n);
}

/** A withdrawal of assets pays them or reverts. One of shares, or of everything, pays what they are worth when it is mined. */
function expectedLoss({ strategy, request }: Withdrawal, { withdraw, preview }: PlannedWithdrawal): bigint {
  if (withdraw.amount.kind === 'assets' && preview.isWhole !== true) return 0n;
  return withdrawalLoss(strategy, preview.assets, request.slippage);
}

async function routedPart(
  deps: OperationDeps,
  withdrawal: Withdrawal,
  {
    withdraw,
    preview,
    fees,
    router,
    minAssets,
  }: PlannedWithdrawal & { readonly router: Address; readonly minAssets: bigint },
): Promise<OperationPart> {
  const { strategy, request } = withdrawal;
  const { shares, blockTime } = preview;
  const maxShares = shares + routedToleranceOf(shares, strategy.row) + depositLoss(strategy, shares, request.slippage);
  const deadline = routerDeadline(deps, blockTime);
  const call = withdrawalCall(strategy, { withdraw, preview, minAssets, maxShares, router, fees, deadline });
  return { ...(await withdrawPart(deps, withdrawal, call)), isRouted: true };
}

async function directParts(
  deps: OperationDeps,
  withdrawal: Withdrawal,
  { withdraw: wanted, preview, fees, leg }: PlannedWithdrawal,
): Promise<readonly OperationPart[]> {
  const { strategy, protocol, request } = withdrawal;
  const { wallet, recipient } = request;
  const withdraw = fees.length === 0 ? wanted : { ...wanted, receiver: wallet };
  const part = await withdrawPart(deps, withdrawal, protocol.withdraw(strategy, withdraw, preview));
  const isForwarded = leg === undefined && fees.length > 0 && recipient !== wallet;
  const amount = preview.assets - sumOfFees(fees);
  const rest = isForwarded ? [transferPart(withdrawal, { protocol: 'transfer', recipient, amount })] : [];
  return [part, ...feeParts(withdrawal, fees), ...rest];
}

function withdrawPart(deps: OperationDeps, withdrawal: Withdrawal, call: ProtocolCall): Promise<OperationPart> {
  const { strategy, request, actionId, signal } = withdrawal;
  return protocolPart(deps.rpc, { kind: 'WITHDRAW', call, strategy, wallet: request.wallet, actionId, signal });
}
