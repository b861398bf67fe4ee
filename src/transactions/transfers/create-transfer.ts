import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import type { Chain } from '../../chains/chain';
import { validationError } from '../../errors/validation';
import { toUsd } from '../../money/usd';
import type { Database } from '../../persistence/database';
import { uuidV7 } from '../../persistence/uuid-v7';
import type { StoredFeeLine } from '../../quotes/find-quote';
import type { RawFields } from '../../errors/field-reader';
import type { QuoteClock } from '../../quotes/quote-deadline';
import type { SimulationView } from '../../quotes/quote-view';
import { type Market, type MarketDeps, readMarket } from '../../quotes/market-data';
import type { Token } from '../../tokens/token';
import { actionFees, plausibleUsd } from '../action-fees';
import type { ActionPlan, ActionStarter } from '../action-plan';
import { callsOutput } from '../execution/calls/build-calls-output';
import type { ExecutableCalls, ExecutableProgram } from '../execution/executable';
import { type ExecutionAnswer, executionAnswer } from '../execution/execution-view';
import { handedOutCalls } from '../expected-calls';
import type { OutputBuilders } from '../execution/output-builders';
import type { TransactionItem } from '../execution/transaction-item';
import { evmTransfer, type EvmTransferDeps } from './evm-transfer';
import { flawInWords } from './explain-revert';
import { parseTransferRequest, type TransferParseDeps, type TransferRequest } from './parse-transfer-request';
import { solanaTransfer, type SolanaTransferDeps } from './solana-transfer';
import { invalidTransfer } from './transfer-problem';
import type { TransferOrder } from './transfer-order';

export interface TransferDeps
  extends TransferParseDeps, MarketDeps, EvmTransferDeps, SolanaTransferDeps, OutputBuilders, ActionStarter {
  readonly rpc: EvmTransferDeps['rpc'];
  readonly database: Pick<Database, '$transaction'>;
  readonly blockedAddresses: ReadonlySet<string>;
  /** True when the deployment can look at the chain, or need not. */
  readonly isServed: (chain: Chain) => boolean;
  readonly tokens: { find(chain: Chain, address: string): Promise<Token | undefined> };
  readonly quoteDeadline: QuoteClock;
  readonly quoteLifetimeSeconds: number;
  /** How long after its deadline a transfer of which nothing was seen is given up. */
  readonly actionExpirySeconds: number;
}

export interface TransferParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

export interface Transfer extends ExecutionAnswer {
  /** Id of the action. */
  readonly id: string;
  readonly transactionData: readonly TransactionItem[];
  /** The same list, under the name that existing clients read. */
  readonly bytecode: readonly TransactionItem[];
  readonly simulation: SimulationView;
}

/**
 * The transaction that transfers a token from one wallet to another, tried on chain before it is handed out, and the
 * action that follows it. Every call makes an action of its own.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, TRANSFER_VALIDATION_FAILED, BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE
 */
export async function createTransfer(
  deps: TransferDeps,
  { customerId, fields, signal }: TransferParameters,
): Promise<Transfer> {
  const request = parseTransferRequest(deps, fields);
  const { sender, recipient } = request;
  assertNotBlocked(deps.blockedAddresses, [sender, recipient, request.token.address]);
  const token = await transferredToken(deps, request);
  assertParties({ ...request, token });
  const order = { ...request, token, customerId, actionId: uuidV7(), signal };
  const executable = await executableTransfer(deps, order);
  const plan = await transferPlan(deps, order, executable);
  await deps.database.$transaction((tx) => deps.startAction(tx, plan));
  const answer = executionAnswer(executable);
  const { transactions } = answer;
  const { simulation } = executable;
  return { id: order.actionId, ...answer, transactionData: transactions, bytecode: transactions, simulation };
}

async function transferredToken(deps: TransferDeps, { chain, token }: TransferRequest): Promise<Token> {
  if (!deps.isServed(chain)) throw validationError([{ path: 'chainId', message: 'is not served by this deployment' }]);
  const found = await deps.tokens.find(chain, token.address);
  if (found !== undefined) return found;
  throw validationError([{ path: 'token', message: 'is not a token of its chain' }]);
}

type Parties = Pick<TransferOrder, 'sender' | 'recipient' | 'token'>;

/** A token cannot leave its own contract again, and a transfer to oneself moves nothing. */
function assertParties({ sender, recipient, token }: Parties): void {
  if (recipient === token.address) {
    throw invalidTransfer({ kind: 'RECIPIENT_IS_TOKEN', reason: 'the recipient is the contract of the token itself' });
  }
  if (recipient === sender) {
    throw invalidTransfer({ kind: 'RECIPIENT_IS_SENDER', reason: 'the recipient is the sender' });
  }
}

/** A transfer is paid by its sender, and good until it is sent. */
const UNSPONSORED = { sponsored: false, deadline: undefined };

async function executableTransfer(
  deps: TransferDeps,
  order: TransferOrder,
): Promise<ExecutableCalls | ExecutableProgram> {
  if (order.chain.kind === 'solana') return solanaTransfer(deps, order);
  const calls = await callsOutput(deps, { ...order, ...UNSPONSORED }, await evmTransfer(deps, order));
  const { status, reason = 'without a reason' } = calls.simulation;
  if (status === 'REVERTED') throw invalidTransfer(flawInWords(reason));
  return calls;
}

async function transferPlan(
  deps: TransferDeps,
  order: TransferOrder,
  executable: ExecutableCalls | ExecutableProgram,
): Promise<ActionPlan> {
  const { actionId: id, customerId, chain, token, amount, sender, recipient, webhookUrl } = order;
  const [market, deadline] = await Promise.all([
    readMarket(deps, { origin: chain, tokenIn: token, tokenOut: token }),
    deps.quoteDeadline(deps.quoteLifetimeSeconds),
  ]);
  const worth = market.tokenIn === undefined ? undefined : toUsd(amount, token.decimals, market.tokenIn.usd);
  const { chainId } = chain;
  return {
    id,
    customerId,
    quoteId: undefined,
    type: 'TRANSFER_OUT',
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
    amountInUsd: plausibleUsd(worth),
    amountOutUsd: plausibleUsd(worth),
    fees: actionFees(gasLine(chain, market, executable.gasLimit)),
    expiresAt: new Date(deadline.getTime() + deps.actionExpirySeconds * 1000),
    steps: [{ kind: 'TRANSFER', operator: 'USER', protocol: 'transfer', chainId }],
    calls: handedOutCalls(executable),
    delivery: undefined,
  };
}

/** What the network takes, as far as it is known. */
function gasLine(
  { nativeCurrency: { symbol, decimals } }: Chain,
  { feePerGas, native }: Market,
  gasLimit: bigint | undefined,
): readonly StoredFeeLine[] {
  if (feePerGas === undefined || gasLimit === undefined) return [];
  const spent = feePerGas * gasLimit;
  const amountInUSD = native === undefined ? undefined : toUsd(spent, decimals, native.usd);
  return [{ kind: 'gas', amountRaw: spent.toString(), decimals, symbol, amountInUSD }];
}
