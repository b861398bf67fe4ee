import { toBaseUnits } from '../../money/base-units';
import { type MicroUsd, plausibleUsd, usdCost, usdValue } from '../../money/usd';
import type { StoredFeeLine } from '../../quotes/find-quote';
import { type MarketData, type MarketPrice, readMarketData } from '../../quotes/market-data';
import type { PricedSwap } from '../../quotes/quote-swap';
import type { Token } from '../../tokens/token';
import { actionFees } from '../../transactions/action-fees';
import {
  type ActionFees,
  type ActionPlan,
  type ExpectedCall,
  FEE_PROTOCOL,
  type PlannedStep,
} from '../../transactions/action-plan';
import type { ExecutableCalls } from '../../transactions/execution/executable';
import { expectedCalls } from '../../transactions/expected-calls';
import { deliveryOperator } from '../../transactions/start-swap-action';
import type { UnsignedCall } from '../../venues/quote-provider';
import { slugOf } from '../catalog/merge-rows';
import type { OperationDeps } from './operation-deps';
import type { OperationPart } from './operation-part';
import { isLend } from './operation-request';
import { type BuiltOperation, type Operation, operationType, operationRoute, transferOf } from './resolved-operation';

interface PlannedOperation {
  readonly operation: Operation;
  readonly built: BuiltOperation;
  readonly executable: ExecutableCalls;
}

/**
 * The action of an operation: a step for each transaction, or one step when a smart account sends all calls at once. Between
 * chains also a step for the delivery and, before a deposit, the steps that the wallet sends when its tokens have arrived.
 */
export async function operationPlan(deps: OperationDeps, planned: PlannedOperation): Promise<ActionPlan> {
  const { operation, built } = planned;
  const { actionId: id, customerId, strategy, request } = operation;
  const { row } = strategy;
  const { paid, received, swap } = built;
  const isInflow = isDeposit(operation);
  const route = operationRoute(operation, built);
  const { origin, destination } = route;
  const [market, deadline] = await Promise.all([
    readMarketData(deps, { origin, tokenIn: strategy.underlying, tokenOut: swappedOf(planned).token }),
    swap?.deadline ?? deps.quoteDeadline(deps.quoteLifetimeSeconds),
  ]);
  const values = valuesOf(planned, market);
  return {
    id,
    customerId,
    quoteId: transferOf(built)?.quoteId,
    strategy: { id: row.id, slug: slugOf(row.id) },
    type: operationType(request, route),
    isDraft: false,
    provider: row.protocol,
    webhookUrl: request.webhookUrl,
    originAddress: request.wallet,
    receiverAddress: request.recipient,
    refundAddress: undefined,
    chainIdIn: origin.chainId,
    chainIdOut: destination.chainId,
    tokenIn: paid.token,
    tokenOut: received.token,
    amountIn: toBaseUnits(paid.amount),
    amountOut: toBaseUnits(received.amount),
    minAmountOut: toBaseUnits(received.minimum),
    amountInUsd: isInflow ? values.swapped : values.assets,
    amountOutUsd: isInflow ? values.assets : values.swapped,
    fees: actionFees(feeLines(planned, market)),
    expiresAt: new Date(deadline.getTime() + deps.actionExpirySeconds * 1000),
    ...stepsAndCalls(deps, planned, values.transferred),
  };
}

/** What the wallet pays, its entry fee included, or what it receives: the underlying asset, or what a swap turns from or into it. */
const swappedOf = ({ operation, built }: PlannedOperation): { readonly token: Token; readonly amount: bigint } =>
  isDeposit(operation) ? built.paid : built.received;

/** A claim of a deposit pays nothing. */
const isDeposit = ({ request }: Pick<Operation, 'request'>): boolean =>
  isLend(request) || request.action === 'claim-lend';

/** Values in US dollars. A receipt has no price of its own: it counts as the assets behind it. */
function valuesOf(planned: PlannedOperation, { tokenIn, tokenOut }: MarketData) {
  const { token, amount } = swappedOf(planned);
  const { operation, built } = planned;
  const { underlying } = operation.strategy;
  const swapped = usdOf(amount, token, tokenOut);
  const sold = usdOf(built.swap?.offer.amountIn ?? 0n, underlying, tokenIn);
  return {
    assets: usdOf(built.assets, underlying, tokenIn),
    swapped,
    /** What a transfer to another chain takes: all that a deposit costs, and what the fees of a withdrawal leave. */
    transferred: isLend(operation.request) ? swapped : sold,
  };
}

/** The fees of the strategy that an operation pays, at current prices. */
export async function strategyFeesOf(deps: OperationDeps, planned: PlannedOperation): Promise<ActionFees['breakdown']> {
  const { operation, built } = planned;
  const { chain: origin, underlying: tokenIn } = operation.strategy;
  const market = await readMarketData(deps, { origin, tokenIn, tokenOut: built.received.token });
  return actionFees(feeLines(planned, { ...market, feePerGas: undefined })).breakdown;
}

const usdOf = (amount: bigint, { decimals }: Token, price: MarketPrice | undefined): MicroUsd | undefined =>
  price && plausibleUsd(usdValue(amount, decimals, price.usd));

/** The gas, unless its price or amount is missing, and the fees of the strategy. */
function feeLines({ operation, built, executable }: PlannedOperation, market: MarketData): readonly StoredFeeLine[] {
  const { underlying } = operation.strategy;
  const { origin } = operationRoute(operation, built);
  const { gasLimit } = executable;
  const lines: {
    readonly kind: string;
    readonly coin: Pick<Token, 'decimals' | 'symbol'>;
    readonly amount: bigint;
    readonly price: MarketPrice | undefined;
  }[] = [];
  if (market.feePerGas !== undefined && gasLimit !== undefined)
    lines.push({ kind: 'gas', coin: origin.nativeCurrency, amount: market.feePerGas * gasLimit, price: market.native });
  for (const { kind, amount } of built.fees) lines.push({ kind, coin: underlying, amount, price: market.tokenIn });
  return lines.map(({ kind, coin: { decimals, symbol }, amount, price }) => {
    const amountInUSD = price && usdCost(amount, decimals, price.usd);
    return { kind, amountRaw: amount.toString(), decimals, symbol, amountInUSD };
  });
}

type StepsAndCalls = Pick<ActionPlan, 'steps' | 'calls' | 'delivery'>;

/** `amountInUsd`: value of what a transfer to another chain takes. */
function stepsAndCalls(
  deps: OperationDeps,
  planned: PlannedOperation,
  amountInUsd: MicroUsd | undefined,
): StepsAndCalls {
  const own = { steps: ownSteps(planned), calls: operationCalls(planned), delivery: undefined };
  const transfer = transferOf(planned.built);
  return transfer === undefined ? own : withTransfer(deps, planned, { ...own, transfer, amountInUsd });
}

/** Parts after which the only step of a user operation is named. */
const MAIN_KINDS: ReadonlySet<OperationPart['kind']> = new Set(['DEPOSIT', 'WITHDRAW', 'REQUEST']);

/** The steps of the transactions that were built. */
function ownSteps({ operation, built, executable }: PlannedOperation): readonly PlannedStep[] {
  const own = { operator: 'USER' as const, chainId: operationRoute(operation, built).origin.chainId };
  if (executable.userOperation === undefined)
    return built.parts.map(({ kind, protocol }) => ({ ...own, kind, protocol }));
  const main = built.parts.find(({ kind }) => MAIN_KINDS.has(kind)) ?? built.parts[0];
  return main === undefined ? [] : [{ ...own, kind: main.kind, protocol: main.protocol }];
}

/** Calls that were built. `firstStep` is the index of their first step. */
export function operationCalls(
  { built, executable }: Pick<PlannedOperation, 'built' | 'executable'>,
  firstStep = 0,
): readonly ExpectedCall[] {
  if (executable.userOperation !== undefined)
    return expectedCalls(executable).map((call) => ({ ...call, stepIndex: firstStep, assets: built.statedAssets }));
  return built.parts.flatMap((part, index) =>
    callsOfStep(part, {
      stepIndex: firstStep + index,
      assets: MOVES_ASSETS.has(part.kind) ? built.statedAssets : undefined,
    }),
  );
}

interface TransferPlan extends StepsAndCalls {
  readonly transfer: PricedSwap;
  readonly amountInUsd: MicroUsd | undefined;
}

function withTransfer(
  deps: OperationDeps,
  { operation, built }: PlannedOperation,
  { steps, calls, transfer, amountInUsd }: TransferPlan,
): StepsAndCalls {
  const { offer, request } = transfer;
  const { wallet, recipient } = operation.request;
  const { provider } = offer;
  const arrival: PlannedStep = {
    kind: 'BRIDGE',
    operator: deliveryOperator(deps.providers, offer),
    protocol: provider,
    chainId: request.destination.chainId,
  };
  const part = {
    originStep: steps.length - 1,
    destinationStep: steps.length,
    terms: {
      tokenIn: request.tokenIn,
      tokenOut: request.tokenOut,
      amountIn: offer.amountIn,
      amountInUsd,
      amountOut: offer.expectedAmountOut,
      minAmountOut: offer.minAmountOut,
      receiverAddress: isLend(operation.request) ? wallet : recipient,
      entryFeeBps: entryFeeBpsOf(operation),
    },
  };
  return { steps: [...steps, arrival, ...laterSteps(operation, built)], calls, delivery: { provider, part } };
}

const entryFeeBpsOf = ({ request, strategy, fees }: Operation): number | undefined =>
  isLend(request) ? fees.of(strategy).entryBps : undefined;

/** The deposit of the delivered tokens, and its fee. */
function laterSteps({ strategy, request }: Operation, { fees }: BuiltOperation): readonly PlannedStep[] {
  if (!isLend(request)) return [];
  const own = { operator: 'USER' as const, chainId: strategy.chain.chainId };
  const deposit = { ...own, kind: 'DEPOSIT' as const, protocol: strategy.row.protocol };
  return fees.length === 0 ? [deposit] : [deposit, { ...own, kind: 'TRANSFER' as const, protocol: FEE_PROTOCOL }];
}

/** Parts that move the underlying asset into or out of the strategy. */
const MOVES_ASSETS: ReadonlySet<OperationPart['kind']> = new Set(['DEPOSIT', 'WITHDRAW']);

const callsOfStep = (
  { approvals, call }: OperationPart,
  { stepIndex, assets }: Pick<ExpectedCall, 'stepIndex' | 'assets'>,
): readonly ExpectedCall[] =>
  [...approvals, call].map(({ chainId, from, to, data, value }: UnsignedCall) => ({
    stepIndex,
    assets,
    form: 'CALL' as const,
    chainId,
    sender: from,
    target: to,
    data,
    value,
  }));
