import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { type KillableService, startKillableService } from './killed-service';
import { AMOUNT, counted, outcome, OWNED, prepareSending, send, type Sent } from './killed-transfers';

/** How often it is killed, and the seed of the moments: `KILLS=20 SEED=7 npx jest …`. */
const KILLS = Number.parseInt(process.env['KILLS'] ?? '4', 10);
const SEED = Number.parseInt(process.env['SEED'] ?? '20260131', 10);
/** About as long as a transfer takes, from the first request to its end. */
const WINDOW_MS = 6000;
const PATIENCE_MS = 60_000;

/** One in every part of the window, so that a few meet everything that happens in it. */
const moments = fc
  .sample(fc.noBias(fc.integer({ min: 0, max: WINDOW_MS })), { seed: SEED, numRuns: KILLS })
  .map((offset, round) => Math.floor((round * WINDOW_MS + offset) / KILLS));

interface Event {
  readonly actionId: string;
  readonly fromStatus: string | null;
  readonly toStatus: string;
}

let service: KillableService;
beforeAll(async () => {
  service = await startKillableService();
}, 120_000);
afterAll(() => service.end(), 30_000);

/** From now on Across fills deposits, or lets them expire soon and pays them back. */
const steerAcross = (mode: 'normal' | 'expire') =>
  fetch(`${service.described.emulators['across']!}/_control/relayer`, {
    method: 'POST',
    body: JSON.stringify({ mode, expirySeconds: 5 }),
  });

describe(`a service that is killed ${String(KILLS)} times during transfers, with the seed ${String(SEED)}`, () => {
  const sent: Sent[] = [];

  it.each(moments.map((moment, round) => ({ moment, round })))(
    'comes back after $moment ms, and its customers go on',
    async ({ moment, round }) => {
      await steerAcross(round % 2 === 0 ? 'normal' : 'expire');
      const sendings = [await prepareSending(service, 'across'), await prepareSending(service, 'cctp')];
      const sendingAll = Promise.all(sendings.map((sending) => send(service, sending)));
      await wait(moment);
      await service.kill();
      await service.restart();
      sent.push(...(await sendingAll));
    },
    90_000,
  );

  it(
    'ends every transfer, and nothing of the money is lost or there twice',
    async () => {
      const outcomes = await Promise.all(
        sent.map(async (sending) => ({ sending, action: await outcome(service, sending, PATIENCE_MS) })),
      );
      expect(outcomes).toHaveLength(2 * KILLS);
      for (const { sending, action } of outcomes) {
        const { arrived, left } = await counted(service, sending);
        const { bridge, id } = sending;
        if (action?.status === 'REFUNDED')
          expect({ bridge, id, arrived, left }).toMatchObject({ arrived: [], left: OWNED });
        else {
          expect({ bridge, id, status: action?.status, left }).toMatchObject({
            status: 'SUCCESS',
            left: OWNED - AMOUNT,
          });
          expect(arrived.map(String)).toEqual([action.amounts.assetOut.amountRaw]);
        }
      }
    },
    PATIENCE_MS + 30_000,
  );

  it('has written down one end of each, and none of what was never sent', async () => {
    const events = await service.query<Event>(
      `SELECT "actionId", "fromStatus", "toStatus" FROM "ActionEvent" WHERE "fromStatus" IS DISTINCT FROM "toStatus"`,
    );
    const ends = events.filter(({ toStatus }) => toStatus !== 'INITIAL' && toStatus !== 'PENDING');
    expect(ends.map(({ actionId }) => actionId).sort()).toEqual(sent.map(({ id }) => id).sort());
  });
});
