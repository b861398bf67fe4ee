import { CATALOG_TABLES, type ErrorCode } from '../../src/errors/catalog';
import { expectFailure } from './expect-failure';
import type { FiatCase } from './fiat-codes-cases';
import { PIX_CASES } from './fiat-codes-pix';
import { RAMP_CASES } from './fiat-codes-ramps';
import { type FiatWorld, openFiatWorld } from './fiat-codes-world';
import { expectNothingSaid, recorded, type Said } from './recorded-ask';

const { pix, ramps } = CATALOG_TABLES;
const TABLES: Readonly<Record<string, object>> = { Pix: pix, 'ramp providers and KYC': ramps };
const CASES: Partial<Record<ErrorCode, FiatCase>> = { ...PIX_CASES, ...RAMP_CASES };

let world: FiatWorld;
beforeAll(async () => {
  world = await openFiatWorld();
}, 60_000);
afterAll(() => world.stop());

const listening = (said: Said): FiatWorld => ({
  ...world,
  healthy: recorded(world.healthy, said),
  other: recorded(world.other, said),
  steered: recorded(world.steered, said),
  unconfigured: recorded(world.unconfigured, said),
});

describe.each(Object.entries(TABLES))('the table "%s"', (_, table) => {
  it.each(Object.keys(table) as ErrorCode[])('has %s, which a request is answered with', async (code) => {
    const produce = CASES[code];
    if (produce === undefined) throw new Error('no case produces it');
    const said: Said = new Set();
    const answer = await produce(listening(said));
    expectFailure(answer, code);
    expectNothingSaid(answer, said);
  });
});
