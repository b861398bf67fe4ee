import type { Hex } from 'viem';
import type { Logger } from 'pino';
import { backoffMs } from '../../async/backoff';
import type { ChainTable } from '../../chains/chain-table';
import { describeFailure } from '../../errors/describe-failure';
import type { MicroUsd } from '../../money/usd';
import type { Database, Transaction } from '../../persistence/database';
import type { Rpc } from '../../rpc/rpc';
import { requestReceipt } from '../../rpc/search-logs';
import type { ServiceSending, ServiceWallet } from '../../rpc/service-wallet';
import { deriveSafeAccount } from '../../smart-accounts/safe-account';
import { changeStatus } from '../state/change-status';
import { type ClaimedDeployment, type DeploymentUpdate, finishDeploymentAttempt, takeTurn } from './claim-deployments';

export interface DeployDeps {
  readonly database: Database;
  readonly rpc: Rpc;
  readonly chains: ChainTable;
  readonly serviceWallet: ServiceWallet;
  /** Maximum cost of the gas of one deployment. */
  readonly maxGasUsd: MicroUsd;
  readonly log: Pick<Logger, 'warn'>;
  /** Interval of the first polls of a deployment that was sent; later polls are further apart. */
  readonly pollMs: number;
}

const PURPOSE = 'deployment';
const MAX_POLL_MS = 30_000;
const RETRY = { baseMs: 5000, maxMs: 600_000 };
/**
 * Time that the deployments of a customer wait together: all of them where its budget is exhausted; those on the chain where
 * gas costs too much, or where many transactions of the wallet are pending, which pay out money that the service holds.
 */
const TOGETHER_MS: Readonly<Partial<Record<Unsent, number>>> = {
  exhausted: 600_000,
  unaffordable: 600_000,
  busy: 15_000,
};
/** Pending transactions of the wallet on a chain while no further deployment is sent there. */
const MAX_PENDING = 16;
/** Attempts that the factory refuses until the deployment fails. */
const MAX_REFUSALS = 5;

type Unsent = Exclude<ServiceSending, { readonly txHash: Hex }>;

const REASONS: Readonly<Record<Unsent, string>> = {
  unfunded: 'The wallet of the service has too little of the native coin',
  refused: 'The deployment would revert, or has reverted repeatedly',
  unaffordable: 'The gas costs more than the service pays for one deployment',
  exhausted: 'The budget of the customer is exhausted',
  busy: 'The wallet of the service has many pending transactions on the chain',
  unpriced: 'The native coin has no price at the moment',
};

/** One attempt to carry on a deployment. Failures of the chain postpone it, and never affect another deployment. */
export async function deployAccount(deps: DeployDeps, claimed: ClaimedDeployment, signal: AbortSignal): Promise<void> {
  try {
    await attempt(deps, claimed, signal);
  } catch (error) {
    if (signal.aborted) await wait(deps, claimed);
    else await postpone(deps, claimed, error);
  }
}

async function attempt(deps: DeployDeps, claimed: ClaimedDeployment, signal: AbortSignal): Promise<void> {
  const { actionStatus, chainId } = claimed;
  if (actionStatus !== 'INITIAL' && actionStatus !== 'PENDING') return end(deps, claimed, 'its action has ended');
  const code = await readCode(deps, claimed);
  if (code === 'final') return succeed(deps, claimed, signal);
  if (code === 'recent') return see(deps, claimed, signal);
  if (claimed.isLate && claimed.state === 'WAITING') return end(deps, claimed, claimed.lastFailure ?? 'Time ran out');
  if (!(await takeTurn(deps, claimed))) return wait(deps, claimed);
  const { factory, factoryData } = await deriveSafeAccount(claimed.owner);
  const { customerId, actionId } = claimed;
  const sending = await deps.serviceWallet.send({
    customerId,
    actionId,
    purpose: PURPOSE,
    call: { chainId, to: factory, data: factoryData, value: 0n },
    maxGasMicroUsd: deps.maxGasUsd,
    budget: 'deployment',
    maxPending: MAX_PENDING,
    signal,
  });
  if (typeof sending === 'string') return giveBack(deps, claimed, sending);
  return follow(deps, claimed, sending.txHash);
}

/** Whether the account has code: finally, only in recent blocks, or not at all. */
async function readCode(
  { rpc, chains }: DeployDeps,
  { chainId, address }: ClaimedDeployment,
): Promise<'none' | 'recent' | 'final'> {
  const head = await rpc.blockNumber(chainId);
  const depth = BigInt(chains.get(chainId).confirmations);
  return rpc.request(chainId, async (client) => {
    if ((await client.getCode({ address })) === undefined) return 'none';
    const past = await client.getCode({ address, blockNumber: head > depth ? head - depth : 0n });
    return past === undefined ? 'recent' : 'final';
  });
}

/** The transaction was sent. Its action goes on once the chain has a receipt. */
async function follow(deps: DeployDeps, claimed: ClaimedDeployment, txHash: Hex): Promise<void> {
  const nextInMs = nextPollMs(deps, claimed);
  await finishDeploymentAttempt(deps.database, claimed, {
    state: 'SENDING',
    failures: 0,
    lastFailure: null,
    txHash,
    nextInMs,
  });
}

/** The account has code in recent blocks: the action of the transaction that deployed it waits for confirmations. */
async function see(deps: DeployDeps, claimed: ClaimedDeployment, signal: AbortSignal): Promise<void> {
  const { actionId, actionStatus, failures, lastFailure } = claimed;
  const own = actionStatus === 'INITIAL' ? await findOwnTransaction(deps, claimed, signal) : undefined;
  if (own === undefined) return wait(deps, claimed);
  const { txHash } = own;
  await deps.database.$transaction(async (tx) => {
    const update = { failures, lastFailure, txHash, nextInMs: nextPollMs(deps, claimed) };
    if (!(await finishDeploymentAttempt(tx, claimed, update))) return;
    const detail = { txHash };
    await changeStatus(tx, actionId, { transition: 'originSeen', substatus: 'WAITING_CONFIRMATIONS', detail });
  });
}

/** Nothing was sent: other customers may deploy the same account meanwhile. */
async function giveBack(deps: DeployDeps, claimed: ClaimedDeployment, unsent: Unsent): Promise<void> {
  const failures = claimed.failures + (unsent === 'busy' ? 0 : 1);
  const [lastFailure, { database, log }] = [REASONS[unsent], deps];
  const { actionId, chainId, address, customerId } = claimed;
  log.warn({ actionId, chainId, address, customerId, reason: unsent }, 'a smart account could not be deployed');
  if (unsent === 'refused' && failures >= MAX_REFUSALS) return end(deps, claimed, lastFailure);
  const togetherMs = TOGETHER_MS[unsent];
  const nextInMs = togetherMs ?? backoffMs({ ...RETRY, failures });
  await database.$transaction(async (tx) => {
    const update: DeploymentUpdate = { state: 'WAITING', failures, lastFailure, nextInMs };
    if (!(await finishDeploymentAttempt(tx, claimed, update)) || togetherMs === undefined) return;
    await tx.$executeRaw`
      UPDATE "SmartAccountDeployment" SET "nextAt" = now() + make_interval(secs => ${togetherMs / 1000}::float8)
       WHERE "customerId" = ${customerId}::uuid AND state = 'WAITING' AND "nextAt" <= now()
         AND (${unsent === 'exhausted'} OR "chainId" = ${chainId})
         AND ("leasedUntil" IS NULL OR "leasedUntil" <= now())`;
  });
}

/** The deployment goes on later, unchanged. */
async function wait(deps: DeployDeps, claimed: ClaimedDeployment): Promise<void> {
  const { failures, lastFailure } = claimed;
  await finishDeploymentAttempt(deps.database, claimed, { failures, lastFailure, nextInMs: nextPollMs(deps, claimed) });
}

const nextPollMs = ({ pollMs }: DeployDeps, { ageMs }: ClaimedDeployment): number =>
  Math.min(MAX_POLL_MS, Math.max(pollMs, ageMs / 20));

/** A transaction may have been stored before the failure: the turn is kept. */
async function postpone(deps: DeployDeps, claimed: ClaimedDeployment, error: unknown): Promise<void> {
  const { database, log } = deps;
  const { actionId, chainId, address } = claimed;
  const failures = claimed.failures + 1;
  const cause = describeFailure(error);
  log.warn({ actionId, chainId, address, failures, cause }, 'an attempt to deploy a smart account failed');
  const lastFailure = 'The chain or the wallet of the service is unavailable';
  const mayEnd = claimed.isLate && claimed.state === 'WAITING' && failures > MAX_REFUSALS;
  if (mayEnd) return end(deps, claimed, lastFailure);
  await finishDeploymentAttempt(database, claimed, {
    failures,
    lastFailure,
    nextInMs: backoffMs({ ...RETRY, failures }),
  });
}

/** The account is deployed, by the service or by another sender. */
async function succeed(deps: DeployDeps, claimed: ClaimedDeployment, signal: AbortSignal): Promise<void> {
  const { database } = deps;
  const { actionId } = claimed;
  const own = await findOwnTransaction(deps, claimed, signal);
  await database.$transaction(async (tx) => {
    const txHash = own?.txHash;
    const update: DeploymentUpdate = { state: 'DEPLOYED', failures: 0, lastFailure: null, txHash, nextInMs: 0 };
    if (!(await finishDeploymentAttempt(tx, claimed, update))) return;
    await confirmStep(tx, actionId, own);
    const detail = txHash === undefined ? { deployedBy: 'another transaction' } : { txHash };
    await changeStatus(tx, actionId, { transition: 'originSeen', substatus: 'WAITING_CONFIRMATIONS', detail });
    await changeStatus(tx, actionId, { transition: 'completed', detail });
  });
}

interface OwnTransaction {
  readonly txHash: string;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  /** Unix seconds. */
  readonly timestamp: bigint;
}

/** The transaction of the service that deployed the account; `undefined` when another one did. */
async function findOwnTransaction(
  { serviceWallet, rpc }: DeployDeps,
  { customerId, actionId, chainId, state }: ClaimedDeployment,
  signal: AbortSignal,
): Promise<OwnTransaction | undefined> {
  if (state === 'WAITING') return undefined;
  const { call } = await serviceWallet.sentFor({ customerId, actionId, purpose: PURPOSE, chainId, signal });
  if (call === undefined) return undefined;
  const { txHash } = call;
  const receipt = await requestReceipt(rpc, { chainId, txHash });
  if (receipt?.status !== 'success') return undefined;
  const { blockNumber, blockHash } = receipt;
  const { timestamp } = await rpc.request(chainId, (client) =>
    client.getBlock({ blockHash, includeTransactions: false }),
  );
  return { txHash, blockNumber, blockHash, timestamp };
}

async function confirmStep(tx: Transaction, actionId: string, own: OwnTransaction | undefined): Promise<void> {
  const minedAt = own === undefined ? null : Number.parseInt(own.timestamp.toString(), 10);
  await tx.$executeRaw`
    UPDATE "ActionStep"
       SET status = 'CONFIRMED', "txHash" = ${own?.txHash ?? null}, "blockNumber" = ${own?.blockNumber ?? null},
           "blockHash" = ${own?.blockHash ?? null}, "minedAt" = to_timestamp(${minedAt}::float8), "updatedAt" = now()
     WHERE "actionId" = ${actionId}::uuid AND "stepIndex" = 0`;
}

/** The deployment has failed. A later request for the account repeats it. */
async function end({ database }: DeployDeps, claimed: ClaimedDeployment, failureReason: string): Promise<void> {
  const { actionId, actionStatus, failures } = claimed;
  await database.$transaction(async (tx) => {
    const update: DeploymentUpdate = { state: 'FAILED', failures, lastFailure: failureReason, nextInMs: 0 };
    if (!(await finishDeploymentAttempt(tx, claimed, update))) return;
    const transition = actionStatus === 'PENDING' ? 'failed' : 'failedBeforeOrigin';
    await changeStatus(tx, actionId, { transition, failureReason });
  });
}
