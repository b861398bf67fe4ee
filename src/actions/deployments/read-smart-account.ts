import { z } from 'zod';
import { serviceError } from '../../errors/service-error';
import type { Database } from '../../persistence/database';
import { findSmartAccount, type SmartAccount, type SmartAccountKey } from '../../smart-accounts/smart-account';

export const DEPLOYMENT_STATES = ['WAITING', 'SENDING', 'DEPLOYED', 'FAILED'] as const;

/** The deployment of a smart account by the service. */
export interface SmartAccountDeployment {
  readonly state: (typeof DEPLOYMENT_STATES)[number];
  /** The action that lists show. */
  readonly actionId: string;
  readonly txHash: string | null;
  /** Why the last attempt failed; null without a failure. */
  readonly lastFailure: string | null;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
}

export interface SmartAccountStatus extends SmartAccount {
  /** Null where the service does not deploy the account: its first user operation does. */
  readonly deployment: SmartAccountDeployment | null;
}

const stateSchema = z.enum(DEPLOYMENT_STATES);

export interface ReadSmartAccountDeps {
  readonly database: Pick<Database, 'smartAccount' | 'smartAccountDeployment'>;
}

/** A smart account of a customer, with its deployment. @throws SMART_ACCOUNT_NOT_FOUND */
export async function readSmartAccount(
  { database }: ReadSmartAccountDeps,
  given: Omit<SmartAccountKey, 'address'> & { readonly address: string },
): Promise<SmartAccountStatus> {
  const key = { ...given, address: given.address as SmartAccountKey['address'] };
  const [account, row] = await Promise.all([
    findSmartAccount({ database }, key),
    database.smartAccountDeployment.findUnique({ where: { customerId_chainId_address: { ...key } } }),
  ]);
  if (account === undefined) throw serviceError('SMART_ACCOUNT_NOT_FOUND');
  if (row === null) return { ...account, deployment: null };
  const { actionId, txHash, lastFailure, createdAt: requestedAt, finishedAt } = row;
  const state = stateSchema.parse(row.state);
  return { ...account, deployment: { state, actionId, txHash, lastFailure, requestedAt, finishedAt } };
}
