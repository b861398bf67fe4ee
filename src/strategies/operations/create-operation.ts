import { assertNotBlocked } from '../../auth/sanctions';
import { invariant } from '../../errors/invariant-error';
import { canonicalHash } from '../../persistence/canonical-hash';
import { uuidV7 } from '../../persistence/uuid-v7';
import { saveQuote } from '../../quotes/quote-store';
import { quoteView } from '../../quotes/quote-view';
import { assertRecipients } from '../../quotes/request/recipient-check';
import type { OpenResource } from '../../transactions/action-plan';
import { createStockOrder } from '../stocks/create-stock-order';
import { isRequested, type Strategy } from '../strategy';
import { STOCKS } from '../strategy-row';
import { assertWorkersSupport } from './assert-workers-support';
import { buildExecutableOperation, type ExecutableOperation } from './build-executable-operation';
import { continueDeposit, type ContinueDepositParameters } from './continue-deposit';
import { lendingProblemError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import { operationPlan } from './operation-plan';
import { withOperationParameters } from './operation-parameters';
import { isLend, type OperationRequest, type TokenOnChain } from './operation-request';
import { type OperationView, operationView } from './operation-view';
import { isContinuation } from './parse-continuation';
import { parseOperationRequest } from './parse-operation-request';
import { type Operation, operationRoute, transferOf } from './resolved-operation';

export interface CreateOperationParameters extends ContinueDepositParameters {
  /** Id, slug or alias. */
  readonly strategyId: string;
}

/**
 * Builds and simulates the transactions of a deposit into a strategy, of a withdrawal from it or of a claim of its rewards, or of
 * an order of a tokenized stock, and creates the action. Not idempotent: every call creates an action, except that one with
 * `actionId` continues a deposit whose tokens have arrived from another chain.
 *
 * @throws STRATEGY_NOT_FOUND, ACTION_NOT_FOUND, VALIDATION_ERROR, PRICE_IN_USD_NOT_SUPPORTED, EXPIRE_AT_NOT_SUPPORTED, INVALID_SLIPPAGE,
 * FORBIDDEN, FROM_TOKEN_NOT_SUPPORTED, LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE, RATE_LIMIT_EXCEEDED; the errors of
 * quotes, of orders (`createStockOrder`) and of user operations
 */
export async function createOperation(
  deps: OperationDeps,
  { customerId, strategyId, fields, signal }: CreateOperationParameters,
): Promise<OperationView> {
  await deps.strategies.ready();
  const strategy = deps.strategies.get(strategyId);
  const { protocol: name } = strategy.row;
  if (name === STOCKS) return orderStock(deps, { customerId, strategy, fields, signal });
  const protocol = deps.protocols[name];
  if (isContinuation(fields)) return continueDeposit(deps, { strategy, protocol }, { customerId, fields, signal });
  const request = parseOperationRequest(deps, strategy, fields);
  assertNotBlocked(deps.blockedAddresses, addressesOf(request));
  assertChain(strategy, request);
  await deps.assertMayOpen(customerId, resourcesOf(strategy, request));
  if (isBetweenChains(strategy, request)) await assertWorkersSupport(deps.database, 'transfersWithinActions');
  if (request.action === 'claim') await assertWorkersSupport(deps.database, 'claims');
  if (isOfRequest(strategy, request)) await assertWorkersSupport(deps.database, 'requests');
  await assertRecipient(deps, { strategy, request }, signal);
  const fees = await deps.readFees(customerId);
  const context = { customerId, actionId: uuidV7(), strategy, protocol, fees, signal };
  const operation = operationOf(context, request);
  const { built, executable } = await buildExecutableOperation(deps, operation);
  if (request.action === 'withdraw' && built.fees.length > 0)
    await assertWorkersSupport(deps.database, 'feesOfWithdrawals');
  await start(deps, operation, { built, executable });
  return operationView({ operation, built, executable, route: operationRoute(operation, built) });
}

async function orderStock(deps: OperationDeps, order: Parameters<typeof createStockOrder>[1]): Promise<OperationView> {
  try {
    return await createStockOrder(deps, order);
  } catch (error) {
    throw withOperationParameters(error, 'request-lend');
  }
}

function operationOf(context: Omit<Operation, 'request'>, request: OperationRequest): Operation {
  switch (request.action) {
    case 'lend':
    case 'request-lend':
      return { ...context, request };
    case 'claim-lend':
      return { ...context, request };
    case 'withdraw':
      return { ...context, request };
    case 'request-withdraw':
      return { ...context, request };
    case 'claim':
      return { ...context, request };
  }
}

/** A request, or the claim of one. */
const isOfRequest = (strategy: Strategy, { action }: OperationRequest): boolean =>
  action === 'request-lend' ||
  action === 'claim-lend' ||
  action === 'request-withdraw' ||
  (action === 'withdraw' && isRequested(strategy, 'withdraw'));

const addressesOf = (request: OperationRequest): readonly (string | undefined)[] => [
  request.wallet,
  request.recipient,
  otherSide(request)?.token.address,
];

/** @throws LENDING_BAD_REQUEST when the other token is on a chain where the wallet has no address, or from which no deposit is requested */
function assertChain({ chain }: Strategy, request: OperationRequest): void {
  const other = otherSide(request)?.chain ?? chain;
  const isElsewhere = request.action === 'request-lend' && other.chainId !== chain.chainId;
  if (other.kind === 'evm' && !isElsewhere) return;
  const direction = isLend(request) ? 'deposits from' : 'withdrawals to';
  const supported = isElsewhere
    ? `are requested on ${chain.slug} only`
    : 'are not supported, only from and to EVM chains';
  const message = `${direction} ${other.slug} ${supported}: move the tokens with /v2/swap/quote`;
  throw lendingProblemError({ kind: 'CROSS_CHAIN_NOT_SUPPORTED', message });
}

function otherSide(request: OperationRequest): TokenOnChain | undefined {
  if (isLend(request)) return request.from;
  return request.action === 'withdraw' ? request.to : undefined;
}

const isBetweenChains = ({ chain }: Strategy, request: OperationRequest): boolean =>
  (otherSide(request)?.chain ?? chain).chainId !== chain.chainId;

/** What the operation counts against. */
const resourcesOf = (strategy: Strategy, request: OperationRequest): readonly OpenResource[] =>
  isBetweenChains(strategy, request) ? ['openActions', 'openDeliveries'] : ['openActions'];

/** Refuses a recipient where the tokens would be lost. @throws VALIDATION_ERROR */
async function assertRecipient(
  deps: OperationDeps,
  { strategy, request }: { readonly strategy: Strategy; readonly request: OperationRequest },
  signal: AbortSignal,
): Promise<void> {
  if (request.recipient === request.wallet) return;
  const chain = (request.action === 'withdraw' ? request.to?.chain : undefined) ?? strategy.chain;
  await assertRecipients(deps, [{ path: 'destinationAddress', chain, address: request.recipient }], signal);
}

/** Creates the action and, for a transfer between chains, stores the quote that its provider carries out. */
async function start(
  deps: OperationDeps,
  operation: Operation,
  { built, executable }: ExecutableOperation,
): Promise<void> {
  const plan = await operationPlan(deps, { operation, built, executable });
  const transfer = transferOf(built);
  const { customerId, actionId } = operation;
  await deps.database.$transaction(async (tx) => {
    if (transfer !== undefined) {
      // Only the action executes the quote: no request for its transactions has this hash.
      const bytecodeHash = canonicalHash({ actionId });
      invariant(bytecodeHash, 'the id of an action is hashed');
      const quote = { customerId, swap: transfer, view: quoteView(transfer, executable), bytecodeHash };
      await saveQuote({ tx, vault: deps.fiat.vault }, quote);
    }
    await deps.startAction(tx, plan);
  });
}
