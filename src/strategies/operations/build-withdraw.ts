import type { Chain } from '../../chains/chain';
import type { WithdrawParameters } from '../protocols/protocol';
import { withBlockTime } from '../router/block-time';
import { chargeProfit } from './charge-profit';
import { sumOfFees } from './fee-parts';
import { protocolProblemError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import { buildPayable, screenFees } from './payable-fees';
import { readProtocol } from './read-protocol';
import { receiptAmount, toleranceOf } from './receipt-amount';
import type { BuiltOperation, Charge, ChargedFee, MovedToken, Withdrawal } from './resolved-operation';
import { type ExpectedGain, simulateStrategyOperation } from './simulate-strategy-operation';
import { buildSwapLeg, findBoughtToken, type SwapLeg } from './swap-leg';
import { type PreviewedAssets, withdrawalParts } from './withdrawal-parts';

/**
 * Builds and simulates a withdrawal with the fees on its gain (`withdrawalParts`), and the swap of the remainder or its transfer to
 * another chain, if that is wanted.
 *
 * @throws LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE, VALIDATION_ERROR, the errors of quotes
 */
export async function buildWithdraw(deps: OperationDeps, withdrawal: Withdrawal): Promise<BuiltOperation> {
  const { wallet, recipient, to, amount } = withdrawal.request;
  const direct: WithdrawParameters = { wallet, receiver: to === undefined ? recipient : wallet, amount };
  const preview = await previewWithdraw(deps, withdrawal, direct);
  const charge = await screenFees(deps, withdrawal, await chargeProfit(deps, withdrawal, preview));
  return buildPayable({ deps, operation: withdrawal }, charge, (payable) =>
    buildCharged(deps, withdrawal, { direct, preview, charge: payable }),
  );
}

interface PreviewedWithdrawal {
  /** As it is without fees. */
  readonly direct: WithdrawParameters;
  readonly preview: PreviewedAssets;
  readonly charge: Charge;
}

async function buildCharged(
  deps: OperationDeps,
  withdrawal: Withdrawal,
  { direct, preview, charge }: PreviewedWithdrawal,
): Promise<BuiltOperation> {
  const { strategy, protocol, request, signal } = withdrawal;
  const { chain, row, receipt } = strategy;
  const { wallet, recipient } = request;
  const { fees } = charge;
  const remainder = remainderOf(withdrawal, { preview, fees });
  const leg = await buildLegAfter(deps, withdrawal, remainder);
  const planned = { withdraw: direct, preview, fees, leg, remainder };
  const { parts, minimum, isRouted } = await withdrawalParts(deps, withdrawal, planned);
  // A claim takes no shares: the vault has them since the request.
  const redeemed = preview.isClaim === true ? 0n : receiptAmount(row, preview);
  const withdrawn = { preview, leg, fees };
  const received = receivedBy(withdrawal, withdrawn);
  const simulated = await simulateStrategyOperation(deps.rpc, {
    chainId: chain.chainId,
    sender: wallet,
    parts,
    expected: [
      { token: receipt, owner: wallet, atLeast: redeemed === 0n ? 0n : -redeemed - toleranceOf(redeemed, row) },
      ...leftovers(withdrawal, withdrawn),
      ...(isElsewhere(received, chain) ? [] : [{ token: received.token, owner: recipient, atLeast: received.minimum }]),
    ],
    stateOverrides: leg?.stateOverrides,
    explainRevert: protocol.explainRevert,
    signal,
  });
  const paid = { token: receipt, amount: redeemed };
  const { assets } = preview;
  return {
    ...simulated,
    paid,
    received: leg === undefined ? { ...received, minimum } : received,
    assets,
    statedAssets: statedAssets(request, preview),
    ...charge,
    isRouted,
    swap: leg?.swap,
  };
}

/** Shares, and everything, are worth what the block of the withdrawal decides. A claim also changes what can be claimed. */
const statedAssets = ({ amount }: Withdrawal['request'], { isWhole, isClaim }: PreviewedAssets): bigint | undefined =>
  amount.kind === 'assets' && isWhole !== true && isClaim !== true ? amount.assets : undefined;

/** @throws LENDING_BAD_REQUEST for a problem that the protocol reports */
async function previewWithdraw(
  deps: OperationDeps,
  { strategy, protocol, signal }: Withdrawal,
  withdraw: WithdrawParameters,
): Promise<PreviewedAssets> {
  const read = withBlockTime(protocol.withdrawPreview(strategy, withdraw));
  const preview = await readProtocol(deps.rpc, { strategy, read }, signal);
  if (preview.problem !== undefined) throw protocolProblemError(strategy, preview.problem);
  return preview;
}

/** The swap of what a withdrawal pays after fees. A withdrawal by shares may pay slightly more than previewed, which stays in the wallet. */
async function buildLegAfter(
  deps: OperationDeps,
  { customerId, actionId, strategy, request, signal }: Withdrawal,
  amountIn: bigint,
): Promise<SwapLeg | undefined> {
  const { to, wallet, recipient, slippage } = request;
  if (to === undefined) return undefined;
  await findBoughtToken(deps, to);
  return buildSwapLeg(deps, {
    customerId,
    actionId,
    chainIdIn: strategy.chain.chainId,
    chainIdOut: to.chain.chainId,
    tokenIn: strategy.underlying.address,
    tokenOut: to.token.requestedAddress,
    amountIn,
    slippage,
    wallet,
    recipient,
    signal,
  });
}

/**
 * What the fees leave for a swap or transfer. A part of a deposit in Aave may pay one unit less when the router takes it, which it does
 * to pay fees: scaled tokens are moved.
 */
function remainderOf({ strategy }: Withdrawal, { preview, fees }: Pick<WithdrawnAmounts, 'preview' | 'fees'>): bigint {
  const isRounded = strategy.row.protocol === 'aave-v3' && fees.length > 0 && preview.isWhole !== true;
  return preview.assets - sumOfFees(fees) - (isRounded ? 1n : 0n);
}

/** What another chain receives is not in the simulation. */
const isElsewhere = ({ token }: MovedToken, { chainId }: Chain): boolean => token.chainId !== chainId;

interface WithdrawnAmounts {
  readonly preview: PreviewedAssets;
  readonly leg: SwapLeg | undefined;
  readonly fees: readonly ChargedFee[];
}

function receivedBy({ strategy }: Withdrawal, { preview, leg, fees }: WithdrawnAmounts): MovedToken {
  if (leg !== undefined) {
    const { request, offer } = leg.swap;
    return { token: request.tokenOut, amount: offer.expectedAmountOut, minimum: offer.minAmountOut };
  }
  const { assets } = preview;
  const amount = assets - sumOfFees(fees);
  const minimum = amount - toleranceOf(assets, strategy.row);
  return { token: strategy.underlying, amount, minimum: minimum > 0n ? minimum : 0n };
}

/** What follows the withdrawal takes no more of the underlying asset than it has paid. */
function leftovers({ strategy, request }: Withdrawal, { preview, leg }: WithdrawnAmounts): readonly ExpectedGain[] {
  if (leg === undefined && request.recipient === request.wallet) return [];
  const { underlying, row } = strategy;
  return [{ token: underlying, owner: request.wallet, atLeast: -toleranceOf(preview.assets, row) }];
}
