import { approvedPerson } from '../../scripts/demo/approved-person';
import type { CATALOG_TABLES } from '../../src/errors/catalog';
import { newBrCode } from '../ramps/new-br-code';
import type { RestResponse } from '../setup/running-service';
import { quote, quoteId } from './error-codes-cases';
import { execute, type FiatCase, newAddress, offRamp, PIX_KEY } from './fiat-codes-cases';
import type { FiatWorld } from './fiat-codes-world';

type Code = keyof (typeof CATALOG_TABLES)['pix'];

/** The table "Pix". */
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

  async PIX_BRCODE_REQUOTE_REQUIRED({ steered, steeredApi, service }) {
    const originAddress = newAddress();
    await approvedPerson(steeredApi, { walletAddress: originAddress });
    const id = await quoteId(steered, offRamp(service));
    return execute(steered, { quoteId: id, originAddress, pixKey: newBrCode({ pixKey: PIX_KEY, cents: 12_345n }) });
  },
};

/** An executable quote of a payout by Pix, for somebody whom the ramp has approved. */
async function payOut({ steered, steeredApi, service }: FiatWorld, pixKey: string): Promise<RestResponse> {
  const originAddress = newAddress();
  await approvedPerson(steeredApi, { walletAddress: originAddress });
  return quote(steered, offRamp(service, { pixKey, originAddress }));
}
