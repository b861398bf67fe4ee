import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import type { Chain } from '../../chains/chain';
import { validationError } from '../../errors/validation';
import { plausibleUsd, usdCost, usdValue } from '../../money/usd';
import type { Database } from '../../persistence/database';
import { uuidV7 } from '../../persistence/uuid-v7';
import type { StoredFeeLine } from '../../quotes/find-quote';
import type { RawFields } from '../../errors/field-reader';
import type { QuoteClock } from '../../quotes/quote-deadline';
import type { SimulationView } from '../../quotes/quote-view';
import { findRecipientProblem, type RecipientCheckDeps } from '../../quotes/request/recipient-check';
import { type MarketData, type MarketDataDeps, readMarketData } from '../../quotes/market-data';
import type { Token } from '../../tokens/token';
import { actionFees } from '../action-fees';
import type { ActionPlan, ActionStarter, OpenLimits } from '../action-plan';
import { buildCallsOutput } from '../execution/calls/build-calls-output';
import type { ExecutableCalls, ExecutableSolanaTransaction } from '../execution/executable';
import { type ExecutionView, executionView } from '../execution/execution-view';
import { expectedCalls } from '../expected-calls';
import type { OutputBuilders } from '../execution/output-builders';
import type { TransactionItem } from '../execution/transaction-item';
import { buildEvmTransfer, type EvmTransferDeps } from './evm-transfer';
import { problemFromRevert } from './explain-transfer-revert';
import { parseTransferRequest, type TransferParseDeps, type TransferRequest } from './parse-transfer-request';
import { buildSolanaTransfer, type SolanaTransferDeps } from './solana-transfer';
import { transferError } from './transfer-problem';
import type { ResolvedTransfer } from './resolved-transfer';

export interface TransferDeps
  extends
    TransferParseDeps,
    MarketDataDeps,
    EvmTransferDeps,
    SolanaTransferDeps,
    OutputBuilders,
    ActionStarter,
    OpenLimits,
    RecipientCheckDeps {
  readonly rpc: EvmTransferDeps['rpc'];
  readonly database: Pick<Database, '$transaction'>;
  readonly blockedAddresses: ReadonlySet<string>;
  /** True when the deployment supports transfers on the chain. */
  readonly isServed: (chain: Chain) => boolean;
  readonly tokens: { find(chain: Chain, address: string): Promise<Token | undefined> };
  readonly quoteDeadline: QuoteClock;
  readonly quoteLifetimeSeconds: number;
  /** Seconds after its deadline until a transfer without a seen transaction fails. */
  readonly actionExpirySeconds: number;
}

export interface CreateTransferParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

export interface CreatedTransfer extends ExecutionView {
  /** Id of the action. */
  readonly id: string;
  readonly transactionData: readonly TransactionItem[];
  /** The same list, under the name that existing clients use. */
  readonly bytecode: readonly TransactionItem[];
  readonly simulation: SimulationView;
}

/**
 * Builds and simulates the transaction that transfers a token from one wallet to another, and creates its action. Not
 * idempotent: every call creates an action.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, TRANSFER_VALIDATION_FAILED, BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE,
 * RATE_LIMIT_EXCEEDED
 */
export async function createTransfer(
  deps: TransferDeps,
  { customerId, fields, signal }: CreateTransferParameters,
): Promise<CreatedTransfer> {
  const request = parseTransferRequest(deps, fields);
  const { sender, recipient } = request;
  assertNotBlocked(deps.blockedAddresses, [sender, recipient, request.token.address]);
  await deps.assertMayOpen(customerId, ['openActions']);
  const token = await resolveToken(deps, request);
  assertParties({ ...request, token });
  await assertRecipientIsWallet(deps, request, signal);
  const transfer = { ...request, token, customerId, actionId: uuidV7(), signal };
  const executable = await buildExecutableTransfer(deps, transfer);
  const plan = await transferPlan(deps, transfer, executable);
  await deps.database.$transaction((tx) => deps.startAction(tx, plan));
  const view = executionView(executable);
  const { transactions } = view;
  const { simulation } = executable;
  return { id: transfer.actionId, ...view, transactionData: transactions, bytecode: transactions, simulation };
}

async function resolveToken(deps: TransferDeps, { chain, token }: TransferRequest): Promise<Token> {
  if (!deps.isServed(chain))
    throw validationError([{ path: 'chainId', message: 'is not supported by this deployment' }]);
  const found = await deps.tokens.find(chain, token.address);
  if (found !== undefined) return found;
  throw validationError([{ path: 'token', message: 'is not a token of its chain' }]);
}

/** Tokens sent to their own contract are lost, and a transfer to the sender has no effect. */
function assertParties({ sender, recipient, token }: Pick<ResolvedTransfer, 'sender' | 'recipient' | 'token'>): void {
  if (recipient === token.address) {
    throw transferError({ kind: 'RECIPIENT_IS_TOKEN', reason: 'the recipient is the contract of the token itself' });
  }
  if (recipient === sender) {
    throw transferError({ kind: 'RECIPIENT_IS_SENDER', reason: 'the recipient is the sender' });
  }
}

/** Tokens that are sent to another contract are lost as well. */
async function assertRecipientIsWallet(
  deps: RecipientCheckDeps,
  { chain, recipient: address }: Pick<TransferRequest, 'chain' | 'recipient'>,
  signal: AbortSignal,
): Promise<void> {
  const problem = await findRecipientProblem(deps, { chain, address }, signal);
  if (problem === undefined) return;
  throw transferError({ kind: 'RECIPIENT_IS_NOT_A_WALLET', reason: `the recipient ${problem}` });
}

/** The sender pays for a transfer, and it does not expire. */
const UNSPONSORED = { sponsored: false, deadline: undefined };

async function buildExecutableTransfer(
  deps: TransferDeps,
  transfer: ResolvedTransfer,
): Promise<ExecutableCalls | ExecutableSolanaTransaction> {
  if (transfer.chain.kind === 'solana') return buildSolanaTransfer(deps, transfer);
  const calls = await buildCallsOutput(deps, { ...transfer, ...UNSPONSORED }, await buildEvmTransfer(deps, transfer));
  const { status, reason = 'without a reason' } = calls.simulation;
  if (status === 'REVERTED') throw transferError(problemFromRevert(reason));
  return calls;
}

async function transferPlan(
  deps: TransferDeps,
  transfer: ResolvedTransfer,
  executable: ExecutableCalls | ExecutableSolanaTransaction,
): Promise<ActionPlan> {
  const { actionId: id, customerId, chain, token, amount, sender, recipient, webhookUrl } = transfer;
  const [market, deadline] = await Promise.all([
    readMarketData(deps, { origin: chain, tokenIn: token, tokenOut: token }),
    deps.quoteDeadline(deps.quoteLifetimeSeconds),
  ]);
  const amountUsd = market.tokenIn && plausibleUsd(usdValue(amount, token.decimals, market.tokenIn.usd));
  const { chainId } = chain;
  return {
    id,
    customerId,
    quoteId: undefined,
    type: 'TRANSFER_OUT',
    isDraft: false,
    provider: 'transfer',
    webhookUrl,
    originAddress: sender,
    receiverAddress: recipient,
    refundAddress: undefined,
    chainIdIn: chainId,
    chainIdOut: chainId,
    tokenIn: token,
    tokenOut: token,
    amountIn: amount,
    amountOut: amount,
    minAmountOut: amount,
    amountInUsd: amountUsd,
    amountOutUsd: amountUsd,
    fees: actionFees(gasLine(chain, market, executable.gasLimit)),
    expiresAt: new Date(deadline.getTime() + deps.actionExpirySeconds * 1000),
    steps: [{ kind: 'TRANSFER', operator: 'USER', protocol: 'transfer', chainId }],
    calls: expectedCalls(executable),
    delivery: undefined,
  };
}

/** The gas fee; empty when it is unknown. */
function gasLine(
  { nativeCurrency: { symbol, decimals } }: Chain,
  { feePerGas, native }: MarketData,
  gasLimit: bigint | undefined,
): readonly StoredFeeLine[] {
  if (feePerGas === undefined || gasLimit === undefined) return [];
  const spent = feePerGas * gasLimit;
  const amountInUSD = native && usdCost(spent, decimals, native.usd);
  return [{ kind: 'gas', amountRaw: spent.toString(), decimals, symbol, amountInUSD }];
}
