import type { ChainTable } from '../chains/chain-table';
import { formatBaseUnits } from '../money/base-units';
import type { ActionFees } from '../transactions/action-plan';
import type { ActionRow } from './action-row';
import { strategyFeesIn } from './state/paid-fees';
import { type ChainView, chainView, type TransactionView, transactionUrl, transactionViews } from './transaction-views';

type Token = ActionRow['tokenIn'];

/** A token amount, or with `currency` a fiat amount. Base units as text, US dollars as decimal text. */
export interface AssetView {
  readonly token: Pick<Token, 'address' | 'symbol' | 'name' | 'decimals' | 'logoURI'> | null;
  readonly chain: ChainView | null;
  readonly currency: string | null;
  readonly amountRaw: string;
  readonly amountHumanized: string;
  readonly amountInUSD: string | null;
}

export interface BreakdownView {
  readonly type: string;
  readonly description: string;
  readonly explorerUrl: string | null;
  readonly status: 'completed' | 'pending' | 'failed';
  readonly protocol: string | null;
}

export interface LegView {
  readonly kind: string;
  readonly status: string;
  readonly operator: string;
}

export interface StepView {
  readonly stepIndex: number;
  readonly status: string;
  readonly txHash: string | null;
  readonly userOperationHash: string | null;
  readonly failureReason: string | null;
  readonly legs: readonly LegView[];
}

/** The refund, with the fields of `AssetView`; null where the amount is unknown. */
export interface RefundView {
  readonly status: string;
  readonly txHash: string | null;
  readonly txUrl: string | null;
  readonly token: AssetView['token'];
  readonly chain: ChainView | null;
  readonly currency: string | null;
  readonly amountRaw: string | null;
  readonly amountHumanized: string | null;
  readonly amountInUSD: string | null;
  /** Wallet that received the refund; null for a payment to a bank account. */
  readonly receiverAddress: string | null;
}

/** A call that completes a transfer; any account may send it. `chainId` in decimal digits, `value` in wei. */
export interface CompletionView {
  readonly chainId: string;
  readonly to: string;
  readonly data: string;
  readonly value: string;
  readonly from: string;
}

/** An action as callers see it. */
export interface ActionView {
  readonly id: string;
  readonly quoteId: string | null;
  /** The strategy of a deposit or withdrawal. */
  readonly strategyId: string | null;
  readonly strategySlug: string | null;
  readonly type: ActionRow['type'];
  readonly status: ActionRow['status'];
  readonly substatus: string | null;
  readonly provider: string | null;
  readonly originAddress: string;
  readonly receiverAddress: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly initialDate: Date | null;
  readonly finishedAt: Date | null;
  readonly failureReason: string | null;
  readonly amounts: {
    readonly assetIn: AssetView | null;
    readonly assetOut: AssetView | null;
    readonly breakdown: readonly BreakdownView[];
  };
  readonly transactions: readonly TransactionView[];
  /** Fees of the strategy, in base units of its underlying asset; "0" without any. Null without a strategy. */
  readonly underlyingAssetFeeValue: string | null;
  readonly fees: ActionFees;
  readonly steps: readonly StepView[];
  readonly refund: RefundView | null;
  /** Set while the call that completes the transfer has to be sent. */
  readonly completion: CompletionView | null;
}

export function actionView(chains: ChainTable, row: ActionRow): ActionView {
  const { id, quoteId, type, status, substatus, provider, originAddress, receiverAddress } = row;
  const { createdAt, updatedAt, initialDate, finishedAt, failureReason, fees, strategyId, strategySlug } = row;
  return {
    id,
    quoteId,
    strategyId,
    strategySlug,
    type,
    status,
    substatus,
    provider,
    originAddress,
    receiverAddress,
    createdAt,
    updatedAt,
    initialDate,
    finishedAt,
    failureReason,
    underlyingAssetFeeValue: strategyId === null ? null : strategyFeesIn(fees).toString(),
    fees,
    amounts: {
      ...assetsOf(chains, row),
      breakdown: breakdownOf(chains, row),
    },
    transactions: transactionViews(chains, row),
    steps: row.steps.map((step) => stepView(step, row)),
    refund: refundOf(chains, row),
    completion: row.completion,
  };
}

/**
 * A deployment moves no tokens, and a claim takes none, whether of a reward or of what was requested before. What a request brings
 * comes with its claim.
 */
function assetsOf(chains: ChainTable, row: ActionRow): Pick<ActionView['amounts'], 'assetIn' | 'assetOut'> {
  if (row.type === 'SMART_ACCOUNT_DEPLOYMENT') return { assetIn: null, assetOut: null };
  const isClaim = row.type === 'REWARD_CLAIM' || (row.strategyId !== null && row.amountIn === 0n);
  const isRequest = row.steps.some(({ kind }) => kind === 'REQUEST');
  return {
    assetIn: isClaim ? null : assetView(chains, row.tokenIn, { amount: row.amountIn, usd: row.amountInUsd }),
    assetOut: isRequest ? null : assetView(chains, row.tokenOut, { amount: row.amountOut, usd: row.amountOutUsd }),
  };
}

function assetView(
  chains: ChainTable,
  { chainId, address, symbol, name, decimals, logoURI }: Token,
  { amount, usd }: { readonly amount: bigint; readonly usd: string | null },
): AssetView {
  const amounts = {
    amountRaw: amount.toString(),
    amountHumanized: formatBaseUnits(amount, decimals),
    amountInUSD: usd,
  };
  if (isFiat(chains, chainId)) return { token: null, chain: null, currency: symbol, ...amounts };
  const token = { address, symbol, name, decimals, logoURI };
  return { token, chain: chainView(chains, chainId), currency: null, ...amounts };
}

const VERBS: Readonly<Record<string, string>> = {
  APPROVAL: 'Approve',
  SWAP: 'Swap',
  DEPOSIT: 'Deposit',
  WITHDRAW: 'Withdraw',
  REQUEST: 'Request',
  TRANSFER: 'Transfer',
  ORDER: 'Order',
  REFUND: 'Refund',
  DEPLOYMENT: 'Deploy',
  CLAIM: 'Claim',
};

/** Sentences about steps at a bank, by kind. */
const AT_A_BANK: Readonly<Record<string, (currency: string) => string>> = {
  FIAT_IN: (currency) => `Receive ${currency} from the bank.`,
  FIAT_OUT: (currency) => `Pay out ${currency} to the bank.`,
  REFUND: (currency) => `Refund ${currency} to the bank.`,
};

function breakdownOf(chains: ChainTable, row: ActionRow): readonly BreakdownView[] {
  const approvals = row.approvals.map(({ stepIndex, chainId, status, txHash }) => ({
    type: 'APPROVAL',
    description: sentenceAbout({ kind: 'APPROVAL', stepIndex, chainId }, { chains, row }),
    explorerUrl: transactionUrl(chains, chainId, txHash),
    status: progressOf(status),
    protocol: null,
  }));
  const steps = row.steps.map(({ kind, stepIndex, chainId, status, txHash, protocol }) => ({
    type: kind,
    description: sentenceAbout({ kind, stepIndex, chainId }, { chains, row }),
    explorerUrl: transactionUrl(chains, chainId, txHash),
    status: progressOf(status),
    protocol,
  }));
  return [...approvals, ...steps];
}

/** Chain of the strategy, by the type of an action that moves tokens between chains. */
const SIDE_OF_STRATEGY: Readonly<Partial<Record<ActionRow['type'], 'chainIdIn' | 'chainIdOut'>>> = {
  CROSSCHAIN_INVESTMENT_DEPOSIT: 'chainIdOut',
  CROSSCHAIN_INVESTMENT_WITHDRAW: 'chainIdIn',
};

const OUTPUT_KINDS: ReadonlySet<string> = new Set(['BRIDGE', 'TRANSFER', 'FIAT_OUT']);

interface DescribedStep {
  readonly kind: string;
  readonly stepIndex: number;
  readonly chainId: number;
}

/**
 * What a step moves: both tokens in a swap, the bought one in the last step of a bridge or ramp, the reward in a claim, else the sold
 * one. Between a strategy and a bridge it is a third token.
 */
function movedBy({ kind, stepIndex, chainId }: DescribedStep, row: ActionRow): string {
  const { type, tokenIn, tokenOut } = row;
  if (kind === 'DEPLOYMENT') return 'the smart account';
  const side = SIDE_OF_STRATEGY[type];
  if (kind === 'BRIDGE' && side !== undefined && chainId === row[side]) return 'the tokens';
  const isSwap = kind === 'SWAP' && tokenIn.symbol !== tokenOut.symbol;
  if (isSwap) return `${tokenIn.symbol} for ${tokenOut.symbol}`;
  const isOutput = kind === 'CLAIM' || (stepIndex > 0 && OUTPUT_KINDS.has(kind));
  return isOutput ? tokenOut.symbol : tokenIn.symbol;
}

interface StepContext {
  readonly chains: ChainTable;
  readonly row: ActionRow;
}

function sentenceAbout(step: DescribedStep, { chains, row }: StepContext): string {
  const { kind, stepIndex, chainId } = step;
  const moved = movedBy(step, row);
  if (isFiat(chains, chainId)) return AT_A_BANK[kind]?.(moved) ?? `${VERBS[kind] ?? kind} ${moved}.`;
  const nameOf = (id: number): string => chains.byId(id)?.name ?? `chain ${String(id)}`;
  if (kind !== 'BRIDGE') return `${VERBS[kind] ?? kind} ${moved} on ${nameOf(chainId)}.`;
  if (stepIndex > 0 && chainId !== row.chainIdIn) return `Receive ${moved} on ${nameOf(chainId)}.`;
  const target = isFiat(chains, row.chainIdOut) ? '' : ` to ${nameOf(row.chainIdOut)}`;
  return `Bridge ${moved} from ${nameOf(chainId)}${target}.`;
}

/** A step is skipped when an earlier one failed. */
function progressOf(status: string): BreakdownView['status'] {
  if (status === 'CONFIRMED') return 'completed';
  return status === 'FAILED' || status === 'SKIPPED' ? 'failed' : 'pending';
}

/** The legs of a step are its approvals and the step itself. */
export function stepView(step: ActionRow['steps'][number], { approvals }: ActionRow): StepView {
  const { stepIndex, status, txHash, userOperationHash, failureReason, kind, operator } = step;
  const own = { kind, status, operator };
  const needed = approvals.filter((approval) => approval.stepIndex === stepIndex);
  const legs = needed.map((approval) => ({ kind: 'APPROVAL', status: approval.status, operator: 'USER' }));
  return { stepIndex, status, txHash, userOperationHash, failureReason, legs: [...legs, own] };
}

const UNKNOWN_AMOUNT = {
  token: null,
  currency: null,
  amountRaw: null,
  amountHumanized: null,
  amountInUSD: null,
  receiverAddress: null,
} as const;

/** A bank account is not on a chain. */
const chainOf = (chains: ChainTable, chainId: number): ChainView | null =>
  isFiat(chains, chainId) ? null : chainView(chains, chainId);

const isFiat = (chains: ChainTable, chainId: number): boolean => chains.byId(chainId)?.kind === 'fiat';

function refundOf(chains: ChainTable, row: ActionRow): RefundView | null {
  const step = row.steps.find(({ kind }) => kind === 'REFUND');
  if (step === undefined) return null;
  const { status, txHash, chainId } = step;
  const place = { status, txHash, txUrl: transactionUrl(chains, chainId, txHash) };
  if (row.refund === null) return { ...place, ...UNKNOWN_AMOUNT, chain: chainOf(chains, chainId) };
  const { token: address, symbol, name, decimals, logoURI, amount, amountInUsd = null, owner = null } = row.refund;
  const token = { chainId, address, symbol, name, decimals, logoURI };
  return { ...place, ...assetView(chains, token, { amount, usd: amountInUsd }), receiverAddress: owner };
}
