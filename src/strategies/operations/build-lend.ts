import { formatBaseUnits } from '../../money/base-units';
import { isNativeToken } from '../../chains/addresses';
import { readHoldings } from '../../rpc/erc20';
import type { LendParameters, Preview } from '../protocols/protocol';
import { withBlockTime } from '../router/block-time';
import { entryFeeOf } from '../strategy-fees';
import { depositParts } from './deposit-parts';
import { sumOfFees } from './fee-parts';
import { lendingProblemError, protocolProblemError, readingChain, unreadableError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import { buildPayable, screenFees } from './payable-fees';
import { readProtocol } from './read-protocol';
import { receiptAmount, toleranceOf } from './receipt-amount';
import {
  type BuiltOperation,
  type Charge,
  type ChargedFee,
  type Lending,
  type MovedToken,
  requestsOf,
} from './resolved-operation';
import { type ExpectedGain, simulateStrategyOperation } from './simulate-strategy-operation';
import { buildSwapBefore, findSoldToken, type SwapLeg } from './swap-leg';

/**
 * Builds and simulates a deposit, or the request of one: a swap into the underlying asset if needed, then the deposit with its
 * entry fee (`depositParts`). After a swap, its minimum is deposited; what it brings on top stays in the wallet. For tokens of another
 * chain only their transfer is built.
 *
 * @throws LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE, FROM_TOKEN_NOT_SUPPORTED, the errors of quotes
 */
export async function buildLend(deps: OperationDeps, lending: Lending): Promise<BuiltOperation> {
  const { strategy, request } = lending;
  if (strategy.row.paused)
    throw lendingProblemError({ kind: 'DEPOSITS_PAUSED', message: 'deposits into the strategy are paused' });
  const leg = await buildLegBefore(deps, lending);
  const available = leg?.swap.offer.minAmountOut ?? request.amount;
  if (leg === undefined) await assertFunded(deps, lending);
  const charge = await screenFees(deps, lending, { fees: entryFees(lending, available), waiver: undefined });
  if (leg?.part.kind === 'BRIDGE') return buildTransfer(deps, lending, { leg, available, charge });
  return buildPayable({ deps, operation: lending }, charge, (payable) =>
    buildDeposit(deps, lending, { leg, available, charge: payable }),
  );
}

interface Payment {
  /** The swap before the deposit, or the transfer to the chain of the strategy. */
  readonly leg: SwapLeg | undefined;
  /** The deposit and its fee together, in base units of the underlying asset. */
  readonly available: bigint;
  readonly charge: Charge;
}

async function buildDeposit(
  deps: OperationDeps,
  lending: Lending,
  { leg, available, charge }: Payment,
): Promise<BuiltOperation> {
  const { strategy, protocol, request, signal } = lending;
  const { chain, underlying } = strategy;
  const { fees } = charge;
  const lend = { wallet: request.wallet, receiver: request.recipient, assets: available - sumOfFees(fees) };
  const preview = await previewLend(deps, lending, lend);
  const created = receiptAmount(strategy.row, preview);
  const planned = { lend, created, blockTime: preview.blockTime, fees };
  const { parts, minimum, isRouted } = await depositParts(deps, lending, planned);
  const received = receivedBy(lending, preview);
  const simulated = await simulateStrategyOperation(deps.rpc, {
    chainId: chain.chainId,
    sender: request.wallet,
    parts: [...(leg === undefined ? [] : [leg.part]), ...parts],
    expected: [...paymentsOf(lending, leg), received.expected],
    stateOverrides: leg?.stateOverrides,
    explainRevert: protocol.explainRevert,
    signal,
  });
  return {
    ...simulated,
    paid: { token: leg?.swap.request.tokenIn ?? underlying, amount: request.amount },
    received: isRouted ? { ...received.moved, minimum } : received.moved,
    assets: lend.assets,
    statedAssets: request.action === 'request-lend' ? undefined : lend.assets,
    ...charge,
    isRouted,
    swap: leg?.swap,
  };
}

interface ReceivedTokens {
  readonly moved: MovedToken;
  readonly expected: ExpectedGain;
}

/** The receipt of a deposit, or the assets that the vault records for a request: its shares are unknown until it is fulfilled. */
function receivedBy({ strategy, protocol, request }: Lending, preview: Preview): ReceivedTokens {
  const { row, underlying, receipt } = strategy;
  const { wallet, recipient } = request;
  if (request.action === 'request-lend') {
    const { assets: amount } = preview;
    const records = requestsOf(protocol).recorded(strategy, { side: 'lend', wallet });
    return {
      moved: { token: underlying, amount, minimum: amount },
      expected: { token: underlying, owner: wallet, atLeast: amount, records },
    };
  }
  const amount = receiptAmount(row, preview);
  const minimum = amount - toleranceOf(amount, row);
  return {
    moved: { token: receipt, amount, minimum },
    expected: { token: receipt, owner: recipient, atLeast: minimum },
  };
}

/**
 * The transfer of the tokens to the chain of the strategy. The deposit is built when they have arrived: here the protocol only
 * has to accept the minimum.
 */
async function buildTransfer(
  deps: OperationDeps,
  lending: Lending,
  { leg, available, charge }: Payment & { readonly leg: SwapLeg },
): Promise<BuiltOperation> {
  const { strategy, request } = lending;
  const { swap, part, simulation, gasLimit } = leg;
  const { status, reason = 'without a reason' } = simulation;
  if (status === 'REVERTED')
    throw lendingProblemError({ kind: 'REVERTED', message: `the transfer to the other chain would revert: ${reason}` });
  const lend = { wallet: request.wallet, receiver: request.recipient, assets: available - sumOfFees(charge.fees) };
  const created = receiptAmount(strategy.row, await previewLend(deps, lending, lend));
  return {
    parts: [part],
    simulation,
    gasLimit,
    paid: { token: swap.request.tokenIn, amount: request.amount },
    received: { token: strategy.receipt, amount: created, minimum: created - toleranceOf(created, strategy.row) },
    assets: lend.assets,
    statedAssets: undefined,
    ...charge,
    isRouted: false,
    swap,
  };
}

/** The swap into the underlying asset, or the transfer of the tokens from another chain. @throws LENDING_BAD_REQUEST when the wallet cannot pay */
async function buildLegBefore(deps: OperationDeps, lending: Lending): Promise<SwapLeg | undefined> {
  const { customerId, actionId, strategy, request, signal } = lending;
  const { from, amount, wallet, slippage } = request;
  if (from === undefined) return undefined;
  await findSoldToken(deps, from);
  const leg = await buildSwapBefore(deps, from, {
    customerId,
    actionId,
    chainIdIn: from.chain.chainId,
    chainIdOut: strategy.chain.chainId,
    tokenIn: from.token.requestedAddress,
    tokenOut: strategy.underlying.address,
    amountIn: amount,
    slippage,
    wallet,
    recipient: wallet,
    signal,
  });
  if (leg.shortage !== undefined) throw lendingProblemError({ kind: 'BALANCE', message: leg.shortage });
  return leg;
}

/** The wallet pays the fee as well, which the preview of the protocol does not include. */
async function assertFunded(deps: OperationDeps, { strategy, request, signal }: Lending): Promise<void> {
  const { chain, underlying } = strategy;
  const { wallet, amount } = request;
  const held = readHoldings({ rpc: deps.rpc, chainId: chain.chainId }, [{ token: underlying.address, owner: wallet }], {
    signal,
  });
  const [{ balance } = { balance: undefined }] = await readingChain(held);
  if (balance === undefined) throw unreadableError(`the ${underlying.symbol} of the wallet`);
  if (balance >= amount) return;
  const [has, needs] = [balance, amount].map((units) => formatBaseUnits(units, underlying.decimals));
  const message = `the wallet holds ${has ?? ''} ${underlying.symbol} of ${needs ?? ''} needed`;
  throw protocolProblemError(strategy, { kind: 'BALANCE', message, maximum: balance });
}

/** @throws LENDING_BAD_REQUEST for a problem that the protocol reports */
async function previewLend(deps: OperationDeps, lending: Lending, lend: LendParameters) {
  const { strategy, protocol, request, signal } = lending;
  const requested = request.action === 'request-lend' ? requestsOf(protocol) : protocol;
  const read = withBlockTime(requested.lendPreview(strategy, lend));
  const preview = await readProtocol(deps.rpc, { strategy, read }, signal);
  const { problem } = preview;
  // The swap before a deposit brings what the wallet does not hold yet.
  const isBrought = problem?.kind === 'BALANCE' && request.from !== undefined;
  if (problem !== undefined && !isBrought) throw protocolProblemError(strategy, problem);
  return preview;
}

/** The fee of a deposit, unless it is zero or has no collector. */
function entryFees({ strategy, fees }: Lending, assets: bigint): readonly ChargedFee[] {
  const own = fees.of(strategy);
  const amount = entryFeeOf(assets, own);
  if (amount === 0n || own.collector === undefined) return [];
  return [{ kind: 'platform', amount, recipient: own.collector }];
}

/** What may leave the wallet at most. A swap brings what the deposit and the fee take. */
function paymentsOf({ strategy, request }: Lending, leg: SwapLeg | undefined): readonly ExpectedGain[] {
  const { underlying } = strategy;
  const owner = request.wallet;
  const atLeast = 0n - request.amount;
  if (leg === undefined) return [{ token: underlying, owner, atLeast: atLeast - 1n }];
  const { tokenIn } = leg.swap.request;
  const coinFee = isNativeToken(tokenIn.address) ? (leg.swap.offer.nativeFee ?? 0n) : 0n;
  return [
    { token: tokenIn, owner, atLeast: atLeast - coinFee },
    { token: underlying, owner, atLeast: -1n },
  ];
}
