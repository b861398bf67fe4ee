import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../bench-quotes/report';
import type { FaultyReceiver } from './faulty-receiver';
import { atMost, none, plain, reportFigures } from './figures';
import { createAction, withWebhookWorker, type WebhookWorld } from './webhook-worker';
import type { Scenario } from './scenario';

/** Rounds with and without the receiver that never responds, in turns. */
const ROUNDS = 3;
const ROUND_SECONDS = 20;
/** Events of the other customers. */
const PER_SECOND = 20;
const CUSTOMERS = 8;
/** The receiver that never responds, and the webhooks that wait for it in its rounds. */
const TAR_PIT_NUMBER = 0;
const WAITING = 200;
/** How much slower the 99th percentile may be. */
const MAX_PERCENT = 10;
const LIMIT_MS = 30_000;

/** A receiver that accepts connections and never responds, beside receivers that work. */
export const TAR_PIT: Scenario = {
  name: 'a receiver that never responds does not delay the webhooks of others',
  run: (setup, [, rounds = ROUNDS]) =>
    withWebhookWorker(
      setup,
      { customers: CUSTOMERS + 1, react: (number) => (number === TAR_PIT_NUMBER ? 'stall' : 'accept') },
      async (world) => {
        await measureRound(world); // all code is compiled
        const [without, beside]: [number[], number[]] = [[], []];
        for (let round = 0; round < rounds; round += 1) {
          without.push(...(await measureRound(world)));
          await fillTarPit(world);
          beside.push(...(await measureRound(world)));
          await emptyTarPit(world);
        }
        const [p99, p99Beside] = [percentile(without, 99), percentile(beside, 99)];
        const lost = [...without, ...beside].filter((time) => !Number.isFinite(time)).length;
        return reportFigures([
          plain(
            'webhooks of others, without and beside the receiver',
            `${String(without.length)}, ${String(beside.length)}`,
          ),
          none('webhooks of others that were late by more than 30 seconds', lost),
          plain('median time from the commit to the receiver', milliseconds(without, beside, 50)),
          plain('99th percentile', milliseconds(without, beside, 99)),
          plain('webhooks that the receiver kept', world.receiver.reactions.get('stall') ?? 0),
          atMost('increase of the 99th percentile', {
            value: (p99Beside / p99 - 1) * 100,
            bound: MAX_PERCENT,
            unit: '%',
          }),
        ]);
      },
    ),
};

const milliseconds = (without: readonly number[], beside: readonly number[], percent: number): string =>
  [without, beside].map((times) => `${percentile(times, percent).toFixed(0)} ms`).join(', ');

/** Milliseconds from the commit of each event to its arrival. */
async function measureRound({ opened: { database }, receiver, customers }: WebhookWorld): Promise<readonly number[]> {
  const others = customers.filter((_, number) => number !== TAR_PIT_NUMBER);
  const [committed, writing] = [new Map<string, number>(), [] as Promise<void>[]];
  const first = receiver.accepted.length;
  for (let count = 0; count < ROUND_SECONDS * PER_SECOND; count += 1) {
    const customer = others[count % others.length];
    if (customer !== undefined)
      writing.push(createAction(database, customer.customerId).then((id) => void committed.set(id, performance.now())));
    await wait(1000 / PER_SECOND);
  }
  await Promise.all(writing);
  const deadline = performance.now() + LIMIT_MS;
  while (arrivals(receiver, first).size < committed.size && performance.now() < deadline) await wait(50);
  const arrived = arrivals(receiver, first);
  return [...committed].map(([id, at]) => (arrived.get(id) ?? Infinity) - at);
}

/** When the event of each action arrived, by the id of the action. */
const arrivals = ({ accepted }: FaultyReceiver, first: number): ReadonlyMap<string, number> =>
  new Map(accepted.slice(first).map(({ subjectId, at }) => [subjectId, at]));

/** Gives the receiver more than it gets in a round, and waits until it keeps some. */
async function fillTarPit({ opened: { database }, receiver, customers }: WebhookWorld): Promise<void> {
  const before = receiver.reactions.get('stall') ?? 0;
  const customer = customers[TAR_PIT_NUMBER];
  if (customer === undefined) return;
  for (let count = 0; count < WAITING; count += 1) await createAction(database, customer.customerId);
  while ((receiver.reactions.get('stall') ?? 0) === before) await wait(50);
}

/** Takes back what waits, and waits until the worker sends nothing to the receiver. */
async function emptyTarPit({ opened: { pool }, customers }: WebhookWorld): Promise<void> {
  const values = [customers[TAR_PIT_NUMBER]?.endpointId];
  for (;;) {
    await pool.query(
      `DELETE FROM "WebhookDelivery" WHERE "endpointId" = $1::uuid AND state = 'WAITING'
          AND ("leasedUntil" IS NULL OR "leasedUntil" <= now())`,
      values,
    );
    const { rowCount } = await pool.query(
      `SELECT 1 FROM "WebhookDelivery" WHERE "endpointId" = $1::uuid AND state = 'WAITING'`,
      values,
    );
    if (rowCount === 0) break;
    await wait(200);
  }
  await pool.query(
    `UPDATE "WebhookEndpoint" SET "openUntil" = NULL, openings = 0, "failingSince" = NULL,
                           "windowAttempts" = 0, "windowFailures" = 0 WHERE id = $1::uuid`,
    values,
  );
}
