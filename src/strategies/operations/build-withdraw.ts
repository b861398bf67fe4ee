import type { Chain } from '../../chains/chain';
import type { Preview, WithdrawRequest } from '../protocols/protocol';
import { lendingProblemError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import { protocolPart } from './protocol-part';
import { readProtocol } from './read-protocol';
import { receiptAmount, toleranceOf } from './receipt-amount';
import type { BuiltOperation, MovedToken, Withdrawal } from './resolved-operation';
import { type ExpectedGain, simulateOperation } from './simulate-operation';
import { buildSwapLeg, findBoughtToken, type SwapLeg } from './swap-leg';

/**
 * Builds and simulates a withdrawal, and the swap of what it pays, or its transfer to another chain, if that is wanted.
 *
 * @throws LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE, VALIDATION_ERROR, the errors of quotes
 */
export async function buildWithdraw(deps: OperationDeps, withdrawal: Withdrawal): Promise<BuiltOperation> {
  const { strategy, protocol, request, actionId, signal } = withdrawal;
  const { chain, row, receipt } = strategy;
  const { wallet, recipient, to, amount } = request;
  const withdraw: WithdrawRequest = { wallet, receiver: to === undefined ? recipient : wallet, amount };
  const preview = await previewWithdraw(deps, withdrawal, withdraw);
  const leg = await buildLegAfter(deps, withdrawal, preview);
  const call = protocol.withdraw(strategy, withdraw, preview);
  const part = await protocolPart(deps.rpc, { kind: 'WITHDRAW', call, strategy, wallet, actionId, signal });
  const redeemed = receiptAmount(row, preview);
  const received = receivedBy(withdrawal, { preview, leg });
  const simulated = await simulateOperation(deps.rpc, {
    chainId: chain.chainId,
    sender: wallet,
    parts: [part, ...(leg === undefined ? [] : [leg.part])],
    expected: [
      { token: receipt, owner: wallet, atLeast: -redeemed - toleranceOf(redeemed, row) },
      ...leftovers(withdrawal, { preview, leg }),
      ...(isElsewhere(received, chain) ? [] : [{ token: received.token, owner: recipient, atLeast: received.minimum }]),
    ],
    stateOverrides: leg?.stateOverrides,
    explainRevert: protocol.explainRevert,
    signal,
  });
  const paid = { token: receipt, amount: redeemed };
  return { ...simulated, paid, received, assets: preview.assets, feeCharged: 0n, swap: leg?.swap };
}

/** @throws LENDING_BAD_REQUEST for a problem that the protocol reports */
async function previewWithdraw(
  deps: OperationDeps,
  { strategy, protocol, signal }: Withdrawal,
  withdraw: WithdrawRequest,
): Promise<Preview> {
  const read = protocol.withdrawPreview(strategy, withdraw);
  const preview = await readProtocol(deps.rpc, { strategy, read }, signal);
  if (preview.problem !== undefined) throw lendingProblemError(preview.problem);
  return preview;
}

/** The swap of what a withdrawal pays. A withdrawal by shares may pay slightly more than previewed, which stays in the wallet. */
async function buildLegAfter(
  deps: OperationDeps,
  { customerId, actionId, strategy, request, signal }: Withdrawal,
  { assets }: Preview,
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
    tokenOut: to.token.address,
    amountIn: assets,
    slippage,
    wallet,
    recipient,
    signal,
  });
}

/** What another chain receives is not in the simulation. */
const isElsewhere = ({ token }: MovedToken, { chainId }: Chain): boolean => token.chainId !== chainId;

interface WithdrawnAmounts {
  readonly preview: Preview;
  readonly leg: SwapLeg | undefined;
}

function receivedBy({ strategy }: Withdrawal, { preview, leg }: WithdrawnAmounts): MovedToken {
  if (leg !== undefined) {
    const { request, offer } = leg.swap;
    return { token: request.tokenOut, amount: offer.expectedAmountOut, minimum: offer.minAmountOut };
  }
  const { assets } = preview;
  return { token: strategy.underlying, amount: assets, minimum: assets - toleranceOf(assets, strategy.row) };
}

/** The swap takes no more of the underlying asset than the withdrawal has paid. */
function leftovers({ strategy, request }: Withdrawal, { preview, leg }: WithdrawnAmounts): readonly ExpectedGain[] {
  if (leg === undefined) return [];
  const { underlying, row } = strategy;
  return [{ token: underlying, owner: request.wallet, atLeast: -toleranceOf(preview.assets, row) }];
}
