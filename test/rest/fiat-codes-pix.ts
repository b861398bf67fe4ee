import { approvedPerson } from '../../scripts/demo/approved-person';
import type { CATALOG_TABLES } from '../../src/errors/catalog';
import { newBrCode } from '../ramps/new-br-code';
import type { RestResponse } from '../setup/running-service';
import { quote, quoteId } from './error-codes-cases';
import { execute, type FiatCase, newAddress, offRamp, PIX_KEY } from './fiat-codes-cases';
import type { FiatWorld } from './fiat-codes-world';

type Code = keyof (typeof CATALOG_TABLES)['pix'];

/** Cases for the table "Pix". */
export const PIX_CASES: Readonly<Record<Code, FiatCase>> = {
  async PIX_THIRD_PARTY_QUOTE_MISMATCH({ healthy, service }) {
    const id = await quoteId(healthy, offRamp(service));
    return execute(healthy, { quoteId: id, originAddress: newAddress(), pixKey: PIX_KEY, thirdParty: true });
  },

  async MISSING_PIX_KEY({ healthy, service }) {
    const id = await quoteId(healthy, offRamp(service));
    return execute(healthy, { quoteId: id, originAddress: newAddress() });
  },

  INVALID_PIX_KEY: ({ healthy, service }) => quote(healthy, offRamp(service, { pixKey: '123.456.789-00' })),

  PIX_KEY_LOOKUP_FAILED: (world) => world.whileRamp('primary', { pixLookupStatus: 429 }, () => payOut(world, PIX_KEY)),

  INVALID_PIX_BRCODE_FORMAT: ({ healthy, service }) =>
    quote(healthy, offRamp(service, { pixKey: newBrCode({ pixKey: PIX_KEY }).replace('ANA LIMA', 'ANA LUMA') })),

  PIX_BRCODE_EXPIRED(world) {
    const code = newBrCode({ pixKey: PIX_KEY });
    return world.whileRamp('primary', { expiredBrCodes: [code] }, () => payOut(world, code));
  },

  PIX_BRCODE_LOOKUP_FAILED: (world) =>
    world.whileRamp('primary', { brCodeStatus: 503 }, () => payOut(world, newBrCode({ pixKey: PIX_KEY }))),

  async PIX_BRCODE_REQUOTE_REQUIRED({ controlled, controlledApi, service }) {
    const originAddress = newAddress();
    await approvedPerson(controlledApi, { walletAddress: originAddress });
    const id = await quoteId(controlled, offRamp(service));
    return execute(controlled, { quoteId: id, originAddress, pixKey: newBrCode({ pixKey: PIX_KEY, cents: 12_345n }) });
  },
};

/** Requests an executable quote of a payout by Pix, for a person approved by the ramp. */
async function payOut({ controlled, controlledApi, service }: FiatWorld, pixKey: string): Promise<RestResponse> {
  const originAddress = newAddress();
  await approvedPerson(controlledApi, { walletAddress: originAddress });
  return quote(controlled, offRamp(service, { pixKey, originAddress }));
}
