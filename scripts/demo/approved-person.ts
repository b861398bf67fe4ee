import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { ApiClient } from './api-client';
import {
  BANK_FIELDS,
  cpfOf,
  emailOf,
  primaryEvidence,
  SECONDARY_DOCUMENTS,
  secondarySubmission,
} from './person-evidence';

type RampName = 'primary' | 'secondary';

export interface NewPerson {
  /** Checksummed EVM address, or a Solana public key. */
  readonly walletAddress: string;
  /** Seed of the person. Default: derived from the wallet, so that the same wallet is the same person. */
  readonly cpf?: string;
  /** The ramp that verifies the person. Default: the primary ramp. */
  readonly rampProvider?: RampName;
}

export interface Dollars {
  readonly kycUserId: string;
  readonly rampProvider?: RampName;
}

const statusSchema = z.object({
  kycUserId: z.string(),
  status: z.string(),
  ramps: z.record(z.string(), z.object({ status: z.string() })),
});
const unlockedSchema = z.object({ usdEnabled: z.boolean(), externalAccountId: z.string() });

const POLL_MS = 500;
/** The ramp decides within seconds, except on a machine that is busy with other work. */
const TIMEOUT_MS = 300_000;

/**
 * Opens the session of a person, submits the evidence that the ramp requires, and polls the status until it is
 * `approved`. An approved person is returned at once. For both ramps, call it once for each.
 *
 * Resolves to the `kycUserId`. @throws InvariantError when the ramp rejects the person, or does not decide in time
 */
export async function approvedPerson(api: ApiClient, person: NewPerson): Promise<string> {
  const { walletAddress, cpf = cpfOf(walletAddress), rampProvider = 'primary' } = person;
  const session = { cpf, email: emailOf(cpf), walletAddress };
  const { kycUserId } = statusSchema.parse(await api.post('/api/v1/kyc/sessions', session));
  const question = { kycUserId, rampProvider };
  const status = await statusAt(api, question);
  if (status === 'created' || status === undefined) await submitTo(api, question, cpf);
  await untilApproved(api, question);
  return kycUserId;
}

/**
 * Requests US dollars for an approved person, with `BANK_FIELDS` as the account for wire payouts. Resolves to the id of
 * that account.
 */
export async function unlockedDollars(api: ApiClient, { kycUserId, rampProvider }: Dollars): Promise<string> {
  const body = { kycUserId, currency: 'USD', rampProvider: rampProvider ?? 'primary', ...BANK_FIELDS };
  const { usdEnabled, externalAccountId } = unlockedSchema.parse(await api.post('/api/v1/kyc/currency-unlock', body));
  if (!usdEnabled) throw new InvariantError('the ramp does not allow US dollars for this person');
  return externalAccountId;
}

type Question = Required<Dollars>;

async function submitTo(api: ApiClient, { kycUserId, rampProvider }: Question, cpf: string): Promise<void> {
  const session = `/api/v1/kyc/sessions/${kycUserId}`;
  if (rampProvider === 'primary') {
    await api.post(`${session}/submit`, primaryEvidence(cpf));
    return;
  }
  await api.post(`${session}/submit`, secondarySubmission(cpf));
  for (const document of SECONDARY_DOCUMENTS) await api.post(`${session}/documents`, document);
}

async function untilApproved(api: ApiClient, question: Question): Promise<void> {
  const { rampProvider: ramp } = question;
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    const status = await statusAt(api, question);
    if (status === 'approved') return;
    const isRefused = status?.includes('rejected') === true || status === 'blocked';
    if (isRefused) throw new InvariantError(`the ${ramp} ramp reports the status ${status}`);
    if (Date.now() > end) throw new InvariantError(`the ${ramp} ramp decides nothing about the person`);
    await delay(POLL_MS);
  }
}

/** Returns the status of a person at a ramp; `undefined` when the ramp has no record of the person. */
async function statusAt(api: ApiClient, { kycUserId, rampProvider }: Question): Promise<string | undefined> {
  const status = statusSchema.parse(await api.get('/api/v1/kyc/status', { kycUserId, rampProvider }));
  return rampProvider === 'primary' ? status.status : status.ramps[rampProvider]?.status;
}
