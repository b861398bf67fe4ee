import { approvedPerson } from '../../scripts/demo/approved-person';
import {
  BANK_FIELDS,
  primaryEvidence,
  SECONDARY_DOCUMENTS,
  secondarySubmission,
} from '../../scripts/demo/person-evidence';
import type { CATALOG_TABLES } from '../../src/errors/catalog';
import type { RestResponse } from '../setup/running-service';
import { type Fields, quote, well } from './error-codes-cases';
import { type FiatCase, newAddress, newStranger, offRamp, onRamp, type Stranger, submit } from './fiat-codes-cases';
import type { FiatWorld } from './fiat-codes-world';

type Code = keyof (typeof CATALOG_TABLES)['ramps'];

/** The table "ramp providers and KYC". */
export const RAMP_CASES: Readonly<Record<Code, FiatCase>> = {
  INVALID_RAMP_PROVIDER: ({ healthy, service }) => quote(healthy, onRamp(service, { rampProvider: 'uniswapV3' })),

  RAMP_PROVIDER_NOT_ELIGIBLE: ({ other, service }) => quote(other, onRamp(service, { rampProvider: 'secondary' })),

  async RAMP_ACCOUNT_ID_MISSING(world) {
    return paidTo(world, await newStranger(world.healthy));
  },

  // The ramp has everything, and approves nobody.
  KYC_PROFILE_INCOMPLETE_FOR_RAMP: (world) =>
    world.whileRamp('primary', { autoApproveMs: null }, async () => {
      const { steered } = world;
      const person = await newStranger(steered);
      well(await submit(steered, person, primaryEvidence(person.cpf)));
      return paidTo({ ...world, healthy: steered }, person);
    }),

  KYC_PROFILE_NOT_FOUND: (world) => paidTo(world, { walletAddress: newAddress() }),

  async KYC_WALLET_ALREADY_LINKED({ healthy }) {
    const [one, another] = [await newStranger(healthy), await newStranger(healthy)];
    const { walletAddress } = one;
    return healthy(`/api/v1/kyc/${another.kycUserId}/wallets`, { body: { walletAddress } });
  },

  async KYC_WALLET_NOT_LINKED({ healthy }) {
    const { kycUserId } = await newStranger(healthy);
    return healthy(`/api/v1/kyc/${kycUserId}/wallets/${newAddress()}`, { method: 'DELETE' });
  },

  async KYC_LAST_WALLET({ healthy }) {
    const { kycUserId, walletAddress } = await newStranger(healthy);
    return healthy(`/api/v1/kyc/${kycUserId}/wallets/${walletAddress}`, { method: 'DELETE' });
  },

  // Told before anybody looks whose wallet it is.
  SECONDARY_RAMP_NOT_CONFIGURED({ unconfigured, service }) {
    const wallet = newAddress();
    const parties = { originAddress: wallet, destinationAddress: wallet };
    return quote(unconfigured, onRamp(service, { rampProvider: 'secondary', ...parties }));
  },

  SECONDARY_RAMP_API_ERROR: (world) =>
    world.whileRamp('secondary', { failWith: 503 }, () => quote(world.steered, bySecondary(world))),

  INVALID_SECONDARY_RAMP_QUOTE: (world) =>
    world.whileRamp('secondary', { incomplete: ['quote'] }, () => quote(world.steered, bySecondary(world))),

  async INVALID_SECONDARY_RAMP_TICKET(world) {
    const wallet = await walletAtSecondary(world);
    const fields = bySecondary(world, { originAddress: wallet, destinationAddress: wallet });
    return world.whileRamp('secondary', { incomplete: ['transaction'] }, () => quote(world.steered, fields));
  },

  async INVALID_SECONDARY_RAMP_CUSTOMER(world) {
    const { steered } = world;
    const person = await newStranger(steered);
    const body = secondarySubmission(person.cpf);
    return world.whileRamp('secondary', { incomplete: ['customer'] }, () => submit(steered, person, body));
  },

  async SECONDARY_RAMP_KYC_NOT_PROVISIONED(world) {
    return paidTo(world, await newStranger(world.healthy), { rampProvider: 'secondary' });
  },

  async SECONDARY_RAMP_KYC_REJECTED(world) {
    const person = await knownToSecondary(world);
    await turnDown(world, person);
    await readStatus(world, person);
    return paidTo(world, person, { rampProvider: 'secondary' });
  },

  // The review never ends.
  SECONDARY_RAMP_KYC_IN_PROGRESS: ({ steered, ...world }) =>
    world.whileRamp('secondary', { reviewMs: 0 }, async () => {
      const there = { ...world, steered, healthy: steered };
      const person = await knownToSecondary(there);
      const target = `/api/v1/kyc/sessions/${person.kycUserId}/documents`;
      for (const body of SECONDARY_DOCUMENTS) well(await steered(target, { body }));
      await readStatus(there, person);
      return paidTo(there, person, { rampProvider: 'secondary' });
    }),

  async SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING(world) {
    const fields = { rampProvider: 'secondary', tokenOut: 'USD', originAddress: await walletAtSecondary(world) };
    return quote(world.steered, offRamp(world.service, { ...fields, ...BANK_FIELDS }));
  },
};

/** An executable quote of a payment to a wallet. */
const paidTo = (
  { healthy, service }: FiatWorld,
  { walletAddress: wallet }: Pick<Stranger, 'walletAddress'>,
  fields: Fields = {},
): Promise<RestResponse> =>
  quote(healthy, onRamp(service, { originAddress: wallet, destinationAddress: wallet, ...fields }));

const bySecondary = ({ service }: FiatWorld, fields: Fields = {}): Fields =>
  onRamp(service, { rampProvider: 'secondary', ...fields });

/** The wallet of somebody whom the secondary ramp of `steered` has approved, who has no bank account there. */
async function walletAtSecondary({ steeredApi }: FiatWorld): Promise<string> {
  const walletAddress = newAddress();
  await approvedPerson(steeredApi, { walletAddress, rampProvider: 'secondary' });
  return walletAddress;
}

async function knownToSecondary({ healthy }: FiatWorld): Promise<Stranger> {
  const person = await newStranger(healthy);
  well(await submit(healthy, person, secondarySubmission(person.cpf)));
  return person;
}

const readStatus = async ({ healthy }: FiatWorld, { kycUserId }: Stranger): Promise<void> =>
  well(await healthy(`/api/v1/kyc/status?kycUserId=${kycUserId}&rampProvider=secondary`));

async function turnDown({ service: { emulators } }: FiatWorld, { cpf }: Stranger): Promise<void> {
  const url = emulators['secondaryRamp']!;
  const found = await fetch(`${url}/_control/customers?tin=${cpf}`);
  const [{ id }] = (await found.json()) as [{ readonly id: string }];
  await fetch(`${url}/__control/customers/${id}`, { method: 'POST', body: '{"status":"rejected"}' });
}
