import { NATIVE_TOKEN } from '../../chains/addresses';
import type { ChainTable } from '../../chains/chain-table';
import { toBaseUnits } from '../../money/base-units';
import type { Database, Transaction } from '../../persistence/database';
import { uuidV7 } from '../../persistence/uuid-v7';
import type { DeploymentRequester } from '../../smart-accounts/create-smart-account';
import type { OwnedAccount, SmartAccount } from '../../smart-accounts/smart-account';
import type { ActionPlan, ActionStarter } from '../../transactions/action-plan';

export interface RequestDeploymentDeps extends ActionStarter {
  readonly database: Pick<Database, 'smartAccountDeployment' | '$transaction'>;
  readonly chains: ChainTable;
}

/** Time until a deployment that could not be sent fails. */
const LIFETIME_MS = 24 * 3_600_000;
/** A failed deployment is repeated by a request after this time. */
const REPEAT_AFTER_MS = 60_000;

/** Requests deployments: one for each account of a customer, with an action that lists show. A worker carries them out. */
export const createDeploymentRequester = (deps: RequestDeploymentDeps): DeploymentRequester => ({
  async isOpen({ customerId, chainId, address }) {
    const where = { customerId_chainId_address: { customerId, chainId, address } };
    const select = { state: true, finishedAt: true } as const;
    const row = await deps.database.smartAccountDeployment.findUnique({ where, select });
    if (row === null) return true;
    return row.state === 'FAILED' && (row.finishedAt?.getTime() ?? 0) < Date.now() - REPEAT_AFTER_MS;
  },
  request: (tx, account) => requestDeployment(deps, tx, account),
});

/**
 * Deployments of one customer that are not finished. Each is also an open action: they take a small part of those that a
 * customer may have. Above it the first user operation deploys the account, or a later request does.
 */
export const MAX_OPEN_DEPLOYMENTS = 500;

/** The lock lets concurrent requests of a customer count one after the other. */
async function isAtLimit(tx: Transaction, { customerId }: OwnedAccount): Promise<boolean> {
  await tx.$queryRaw`
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`smart account deployments of ${customerId}`}, 0))`;
  const [open] = await tx.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM "SmartAccountDeployment" WHERE "customerId" = ${customerId}::uuid AND state IN ('WAITING', 'SENDING')
       LIMIT ${MAX_OPEN_DEPLOYMENTS}) AS open`;
  return open.count >= MAX_OPEN_DEPLOYMENTS;
}

/** Creates the deployment and its action, unless another request was first or the customer has too many of them. */
async function requestDeployment(deps: RequestDeploymentDeps, tx: Transaction, owned: OwnedAccount): Promise<void> {
  if (await isAtLimit(tx, owned)) return;
  const { customerId, ...account } = owned;
  const { chainId, address } = account;
  const actionId = uuidV7();
  const created = await tx.$executeRaw`
    INSERT INTO "SmartAccountDeployment" AS deployment ("customerId", "chainId", address, "actionId")
    VALUES (${customerId}::uuid, ${chainId}, ${address}, ${actionId}::uuid)
    ON CONFLICT ("customerId", "chainId", address) DO UPDATE
       SET "actionId" = excluded."actionId", state = 'WAITING', failures = 0, "lastFailure" = NULL, "txHash" = NULL,
           "nextAt" = now(), "leasedUntil" = NULL, "createdAt" = now(), "finishedAt" = NULL
     WHERE deployment.state = 'FAILED'`;
  if (created === 0) return;
  await deps.startAction(tx, planOf(deps, { id: actionId, customerId, account }));
}

function planOf(
  { chains }: RequestDeploymentDeps,
  { id, customerId, account }: Pick<ActionPlan, 'id' | 'customerId'> & { readonly account: SmartAccount },
): ActionPlan {
  const { owner, address, chainId } = account;
  const { nativeCurrency } = chains.get(chainId);
  // A deployment moves no tokens: its amounts are shown as absent.
  const coin = { chainId, address: NATIVE_TOKEN, logoURI: undefined, ...nativeCurrency };
  const none = toBaseUnits(0n);
  return {
    id,
    customerId,
    quoteId: undefined,
    type: 'SMART_ACCOUNT_DEPLOYMENT',
    isDraft: false,
    provider: 'smart-accounts',
    originAddress: owner,
    receiverAddress: address,
    refundAddress: undefined,
    chainIdIn: chainId,
    chainIdOut: chainId,
    tokenIn: coin,
    tokenOut: coin,
    amountIn: none,
    amountOut: none,
    minAmountOut: none,
    amountInUsd: undefined,
    amountOutUsd: undefined,
    fees: { total: '0', currency: 'USD', breakdown: [] },
    webhookUrl: undefined,
    expiresAt: new Date(Date.now() + LIFETIME_MS),
    steps: [{ kind: 'DEPLOYMENT', operator: 'SERVICE', protocol: 'safe', chainId }],
    calls: [],
    delivery: undefined,
  };
}
