import { approvedPerson } from '../../scripts/demo/approved-person';
import {
  BANK_FIELDS,
  primaryEvidence,
  SECONDARY_DOCUMENTS,
  secondarySubmission,
} from '../../scripts/demo/person-evidence';
import type { CATALOG_TABLES } from '../../src/errors/catalog';
import type { RestResponse } from '../setup/running-service';
import { type Fields, quote, successBody } from './error-codes-cases';
import { type FiatCase, newAddress, newPerson, offRamp, onRamp, type NewPerson, submit } from './fiat-codes-cases';
import type { FiatWorld } from './fiat-codes-world';

type Code = keyof (typeof CATALOG_TABLES)['ramps'];

/** Cases for the table "ramp providers and KYC". */
export const RAMP_CASES: Readonly<Record<Code, FiatCase>> = {
  INVALID_RAMP_PROVIDER: ({ healthy, service }) => quote(healthy, onRamp(service, { rampProvider: 'uniswapV3' })),

  RAMP_PROVIDER_NOT_ELIGIBLE: ({ other, service }) => quote(other, onRamp(service, { rampProvider: 'secondary' })),

  async RAMP_ACCOUNT_ID_MISSING(world) {
    return quotePaymentTo(world, await newPerson(world.healthy));
  },

  // The ramp has all evidence and approves no profile.
  KYC_PROFILE_INCOMPLETE_FOR_RAMP: (world) =>
    world.whileRamp('primary', { autoApproveMs: null }, async () => {
      const { controlled } = world;
      const person = await newPerson(controlled);
      successBody(await submit(controlled, person, primaryEvidence(person.cpf)));
      return quotePaymentTo({ ...world, healthy: controlled }, person);
    }),

  KYC_PROFILE_NOT_FOUND: (world) => quotePaymentTo(world, { walletAddress: newAddress() }),

  async KYC_WALLET_ALREADY_LINKED({ healthy }) {
    const [first, second] = [await newPerson(healthy), await newPerson(healthy)];
    const { walletAddress } = first;
    return healthy(`/api/v1/kyc/${second.kycUserId}/wallets`, { body: { walletAddress } });
  },

  async KYC_WALLET_NOT_LINKED({ healthy }) {
    const { kycUserId } = await newPerson(healthy);
    return healthy(`/api/v1/kyc/${kycUserId}/wallets/${newAddress()}`, { method: 'DELETE' });
  },

  async KYC_LAST_WALLET({ healthy }) {
    const { kycUserId, walletAddress } = await newPerson(healthy);
    return healthy(`/api/v1/kyc/${kycUserId}/wallets/${walletAddress}`, { method: 'DELETE' });
  },

  // This error precedes the check of the wallet.
  SECONDARY_RAMP_NOT_CONFIGURED({ unconfigured, service }) {
    const wallet = newAddress();
    const parties = { originAddress: wallet, destinationAddress: wallet };
    return quote(unconfigured, onRamp(service, { rampProvider: 'secondary', ...parties }));
  },

  SECONDARY_RAMP_API_ERROR: (world) =>
    world.whileRamp('secondary', { failWith: 503 }, () => quote(world.controlled, bySecondary(world))),

  INVALID_SECONDARY_RAMP_QUOTE: (world) =>
    world.whileRamp('secondary', { incomplete: ['quote'] }, () => quote(world.controlled, bySecondary(world))),

  async INVALID_SECONDARY_RAMP_TICKET(world) {
    const wallet = await walletAtSecondary(world);
    const fields = bySecondary(world, { originAddress: wallet, destinationAddress: wallet });
    return world.whileRamp('secondary', { incomplete: ['transaction'] }, () => quote(world.controlled, fields));
  },

  async INVALID_SECONDARY_RAMP_CUSTOMER(world) {
    const { controlled } = world;
    const person = await newPerson(controlled);
    const body = secondarySubmission(person.cpf);
    return world.whileRamp('secondary', { incomplete: ['customer'] }, () => submit(controlled, person, body));
  },

  async SECONDARY_RAMP_KYC_NOT_PROVISIONED(world) {
    return quotePaymentTo(world, await newPerson(world.healthy), { rampProvider: 'secondary' });
  },

  async SECONDARY_RAMP_KYC_REJECTED(world) {
    const person = await submittedToSecondary(world);
    await rejectAtSecondary(world, person);
    await readStatus(world, person);
    return quotePaymentTo(world, person, { rampProvider: 'secondary' });
  },

  // With this setting, the review does not end.
  SECONDARY_RAMP_KYC_IN_PROGRESS: ({ controlled, ...world }) =>
    world.whileRamp('secondary', { reviewMs: 0 }, async () => {
      const controlledWorld = { ...world, controlled, healthy: controlled };
      const person = await submittedToSecondary(controlledWorld);
      const target = `/api/v1/kyc/sessions/${person.kycUserId}/documents`;
      for (const body of SECONDARY_DOCUMENTS) successBody(await controlled(target, { body }));
      await readStatus(controlledWorld, person);
      return quotePaymentTo(controlledWorld, person, { rampProvider: 'secondary' });
    }),

  async SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING(world) {
    const fields = { rampProvider: 'secondary', tokenOut: 'USD', originAddress: await walletAtSecondary(world) };
    return quote(world.controlled, offRamp(world.service, { ...fields, ...BANK_FIELDS }));
  },
};

/** Requests an executable quote of an on-ramp payment to the wallet. */
const quotePaymentTo = (
  { healthy, service }: FiatWorld,
  { walletAddress: wallet }: Pick<NewPerson, 'walletAddress'>,
  fields: Fields = {},
): Promise<RestResponse> =>
  quote(healthy, onRamp(service, { originAddress: wallet, destinationAddress: wallet, ...fields }));

const bySecondary = ({ service }: FiatWorld, fields: Fields = {}): Fields =>
  onRamp(service, { rampProvider: 'secondary', ...fields });

/** The wallet of a person approved by the secondary ramp of `controlled`, without a bank account there. */
async function walletAtSecondary({ controlledApi }: FiatWorld): Promise<string> {
  const walletAddress = newAddress();
  await approvedPerson(controlledApi, { walletAddress, rampProvider: 'secondary' });
  return walletAddress;
}

async function submittedToSecondary({ healthy }: FiatWorld): Promise<NewPerson> {
  const person = await newPerson(healthy);
  successBody(await submit(healthy, person, secondarySubmission(person.cpf)));
  return person;
}

const readStatus = async ({ healthy }: FiatWorld, { kycUserId }: NewPerson): Promise<void> =>
  successBody(await healthy(`/api/v1/kyc/status?kycUserId=${kycUserId}&rampProvider=secondary`));

async function rejectAtSecondary({ service: { emulators } }: FiatWorld, { cpf }: NewPerson): Promise<void> {
  const url = emulators['secondaryRamp']!;
  const found = await fetch(`${url}/_control/customers?tin=${cpf}`);
  const [{ id }] = (await found.json()) as [{ readonly id: string }];
  await fetch(`${url}/__control/customers/${id}`, { method: 'POST', body: '{"status":"rejected"}' });
}
