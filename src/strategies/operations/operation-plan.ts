import { toBaseUnits } from '../../money/base-units';
import { type MicroUsd, plausibleUsd, usdCost, usdValue } from '../../money/usd';
import type { StoredFeeLine } from '../../quotes/find-quote';
import { type MarketData, type MarketPrice, readMarketData } from '../../quotes/market-data';
import type { Token } from '../../tokens/token';
import { actionFees } from '../../transactions/action-fees';
import type { ActionPlan, ExpectedCall } from '../../transactions/action-plan';
import type { ExecutableCalls } from '../../transactions/execution/executable';
import { expectedCalls } from '../../transactions/expected-calls';
import type { UnsignedCall } from '../../venues/quote-provider';
import { slugOf } from '../catalog/merge-rows';
import type { OperationDeps } from './operation-deps';
import type { OperationPart } from './operation-part';
import type { BuiltOperation, Lending, Withdrawal } from './resolved-operation';

interface PlannedOperation {
  readonly operation: Lending | Withdrawal;
  readonly built: BuiltOperation;
  readonly executable: ExecutableCalls;
}

/** The action of an operation: a step for each transaction, or one step when a smart account sends all calls at once. */
export async function operationPlan(deps: OperationDeps, planned: PlannedOperation): Promise<ActionPlan> {
  const { operation, built } = planned;
  const { actionId: id, customerId, strategy, request } = operation;
  const { chain, row } = strategy;
  const { paid, received, swap } = built;
  const isLend = request.action === 'lend';
  const { chainId } = chain;
  const [market, deadline] = await Promise.all([
    readMarketData(deps, { origin: chain, tokenIn: strategy.underlying, tokenOut: swappedOf(planned).token }),
    swap?.deadline ?? deps.quoteDeadline(deps.quoteLifetimeSeconds),
  ]);
  const values = valuesOf(planned, market);
  return {
    id,
    customerId,
    quoteId: undefined,
    strategy: { id: row.id, slug: slugOf(row.id) },
    type: isLend ? 'SAMECHAIN_INVESTMENT_DEPOSIT' : 'SAMECHAIN_INVESTMENT_WITHDRAW',
    isDraft: false,
    provider: row.protocol,
    webhookUrl: request.webhookUrl,
    originAddress: request.wallet,
    receiverAddress: request.recipient,
    refundAddress: undefined,
    chainIdIn: chainId,
    chainIdOut: chainId,
    tokenIn: paid.token,
    tokenOut: received.token,
    amountIn: toBaseUnits(paid.amount),
    amountOut: toBaseUnits(received.amount),
    minAmountOut: toBaseUnits(received.minimum),
    amountInUsd: isLend ? values.swapped : values.assets,
    amountOutUsd: isLend ? values.assets : values.swapped,
    fees: actionFees(feeLines(planned, market)),
    expiresAt: new Date(deadline.getTime() + deps.actionExpirySeconds * 1000),
    ...stepsAndCalls(planned),
    delivery: undefined,
  };
}

/** What the wallet pays, its entry fee included, or what it receives: the underlying asset, or what a swap turns from or into it. */
const swappedOf = ({ operation, built }: PlannedOperation): { readonly token: Token; readonly amount: bigint } =>
  operation.request.action === 'lend' ? built.paid : built.received;

/** Values in US dollars. A receipt has no price of its own: it counts as the assets behind it. */
function valuesOf(planned: PlannedOperation, { tokenIn, tokenOut }: MarketData) {
  const { token, amount } = swappedOf(planned);
  return {
    assets: usdOf(planned.built.assets, planned.operation.strategy.underlying, tokenIn),
    swapped: usdOf(amount, token, tokenOut),
  };
}

const usdOf = (amount: bigint, { decimals }: Token, price: MarketPrice | undefined): MicroUsd | undefined =>
  price && plausibleUsd(usdValue(amount, decimals, price.usd));

/** The gas, unless its price or amount is missing, and the fees of the strategy. */
function feeLines({ operation, built, executable }: PlannedOperation, market: MarketData): readonly StoredFeeLine[] {
  const { chain, underlying } = operation.strategy;
  const { gasLimit } = executable;
  const lines: {
    readonly kind: string;
    readonly coin: Pick<Token, 'decimals' | 'symbol'>;
    readonly amount: bigint;
    readonly price: MarketPrice | undefined;
  }[] = [];
  if (market.feePerGas !== undefined && gasLimit !== undefined)
    lines.push({ kind: 'gas', coin: chain.nativeCurrency, amount: market.feePerGas * gasLimit, price: market.native });
  for (const { kind, amount } of built.fees) lines.push({ kind, coin: underlying, amount, price: market.tokenIn });
  return lines.map(({ kind, coin: { decimals, symbol }, amount, price }) => {
    const amountInUSD = price && usdCost(amount, decimals, price.usd);
    return { kind, amountRaw: amount.toString(), decimals, symbol, amountInUSD };
  });
}

function stepsAndCalls({
  operation,
  built: { parts },
  executable,
}: PlannedOperation): Pick<ActionPlan, 'steps' | 'calls'> {
  const { chain, row } = operation.strategy;
  const own = { operator: 'USER' as const, chainId: chain.chainId };
  if (executable.userOperation !== undefined) {
    const kind = operation.request.action === 'lend' ? 'DEPOSIT' : 'WITHDRAW';
    return { steps: [{ ...own, kind, protocol: row.protocol }], calls: expectedCalls(executable) };
  }
  return {
    steps: parts.map(({ kind, protocol }) => ({ ...own, kind, protocol })),
    calls: parts.flatMap(callsOfStep),
  };
}

const callsOfStep = ({ approvals, call }: OperationPart, stepIndex: number): readonly ExpectedCall[] =>
  [...approvals, call].map(({ chainId, from, to, data, value }: UnsignedCall) => ({
    stepIndex,
    form: 'CALL' as const,
    chainId,
    sender: from,
    target: to,
    data,
    value,
  }));
