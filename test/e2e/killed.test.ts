import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { type KillableService, startKillableService } from './killed-service';
import {
  SENT_AMOUNT,
  readBalances,
  awaitOutcome,
  INITIAL_BALANCE,
  prepareTransfer,
  requestAndSendTransfer,
  type SentTransfer,
} from './killed-transfers';

/** Number of kills, and the seed of their moments: `KILLS=20 SEED=7 npx jest …`. */
const KILLS = Number.parseInt(process.env['KILLS'] ?? '4', 10);
const SEED = Number.parseInt(process.env['SEED'] ?? '20260131', 10);
/** Approximate duration of a transfer, from the first request to its end. */
const WINDOW_MS = 6000;
/** Lifetime of a deposit that expires, so that kills fall before and after its deadline. One that is sent later is refunded as well. */
const EXPIRY_SECONDS = 5;
/** Ends what hangs: how fast the service recovers is no guarantee of this test. */
const TIMEOUT_MS = 300_000;

/** One moment in every part of the window, so that few kills cover all phases of a transfer. */
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
}, TIMEOUT_MS);
afterAll(() => service.end());

type AcrossMode = 'normal' | 'expire';

/** Makes Across fill the deposits of the next quotes, or let them expire and refund them. */
async function steerAcross(mode: AcrossMode): Promise<void> {
  const url = `${service.described.emulators['across']!}/_control/relayer`;
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ mode, expirySeconds: EXPIRY_SECONDS }),
  });
  if (!response.ok) throw new Error(await response.text());
}

describe(`a service that is killed ${String(KILLS)} times during transfers, with the seed ${String(SEED)}`, () => {
  const sent: SentTransfer[] = [];

  it.each(moments.map((moment, round) => ({ moment, round })))(
    'restarts after a kill at $moment ms, and its customers continue',
    async ({ moment, round }) => {
      const mode = round % 2 === 0 ? 'normal' : 'expire';
      await steerAcross(mode);
      const transfers = [await prepareTransfer(service, 'across'), await prepareTransfer(service, 'cctp')];
      const allSent = Promise.all(transfers.map((transfer) => requestAndSendTransfer(service, transfer)));
      await wait(moment);
      await service.kill();
      await service.restart();
      await steerAcross(mode); // its emulator has restarted as well
      sent.push(...(await allSent));
    },
    TIMEOUT_MS + 30_000,
  );

  it(
    'ends every transfer, and no money is lost or duplicated',
    async () => {
      // For a deposit whose quote came from the restarted emulator before its mode was set again.
      await steerAcross('normal');
      const outcomes = await Promise.all(
        sent.map(async (transfer) => ({ transfer, action: await awaitOutcome(service, transfer, TIMEOUT_MS) })),
      );
      expect(outcomes).toHaveLength(2 * KILLS);
      for (const { transfer, action } of outcomes) {
        const { received, remaining } = await readBalances(service, transfer);
        const { bridge, id } = transfer;
        if (action?.status === 'REFUNDED')
          expect({ bridge, id, received, remaining }).toMatchObject({ received: [], remaining: INITIAL_BALANCE });
        else {
          expect({ bridge, id, status: action?.status, remaining }).toMatchObject({
            status: 'SUCCESS',
            remaining: INITIAL_BALANCE - SENT_AMOUNT,
          });
          expect(received.map(String)).toEqual([action.amounts.assetOut.amountRaw]);
        }
      }
    },
    TIMEOUT_MS + 30_000,
  );

  it('recorded exactly one end of each transfer, and no other', async () => {
    const events = await service.query<Event>(
      `SELECT "actionId", "fromStatus", "toStatus" FROM "ActionEvent" WHERE "fromStatus" IS DISTINCT FROM "toStatus"`,
    );
    const ends = events.filter(({ toStatus }) => toStatus !== 'INITIAL' && toStatus !== 'PENDING');
    expect(ends.map(({ actionId }) => actionId).sort()).toEqual(sent.map(({ id }) => id).sort());
  });
});
