import { setTimeout as wait } from 'node:timers/promises';
import { changeStatus } from '../../src/actions/state/change-status';
import type { OpenDatabase } from '../../src/persistence/database';
import { replayParked } from '../../src/webhooks/delivery-log';
import type { FaultyReceiver, Reaction } from './faulty-receiver';
import { type Figure, none, plain, reportFigures } from './figures';
import { createAction, WRITERS, withWebhookWorker, type WebhookWorld } from './webhook-worker';
import type { Scenario } from './scenario';

const EVENTS = 10_000;
/** The events of one action, in their order. */
const ORDER = ['action.created', 'action.pending', 'action.succeeded'];
/** Customers with one endpoint each: together they may use all places of a worker. */
const CUSTOMERS = 16;
/** Share of the webhooks, in percent, with which the receivers do this; they accept the others. */
const FAULTS: readonly (readonly [Reaction, number])[] = [
  ['fail', 20],
  ['stall', 10],
  ['reset', 5],
  ['lose', 3],
];
/** How often the next attempts of all failed deliveries become due. */
const DUE_EVERY_MS = 1000;
/** Time without any progress after which the scenario ends. */
const LIMIT_MS = 180_000;

/** Receivers that fail, against the worker of a deployment. */
export const WEBHOOK_FAULTS: Scenario = {
  name: 'webhooks reach receivers that fail, stall, break connections and lose responses',
  run: (setup, [events = EVENTS]) =>
    withWebhookWorker(setup, { customers: CUSTOMERS, react: randomReaction }, async (world) => {
      const startedAt = performance.now();
      const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
      await writeEvents(world, Math.ceil(events / ORDER.length));
      const written = seconds();
      const replayed = await deliverAll(world);
      return reportFigures([
        plain('time until all events were written', written),
        plain('time until all events were delivered', seconds()),
        ...(await deliveryFigures(world, replayed)),
      ]);
    }),
};

function randomReaction(): Reaction {
  let rest = Math.random() * 100;
  for (const [reaction, percent] of FAULTS) {
    rest -= percent;
    if (rest < 0) return reaction;
  }
  return 'accept';
}

/** Actions that are created, paid and completed: three events each. */
async function writeEvents({ opened: { database }, customers }: WebhookWorld, actions: number): Promise<void> {
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < actions) {
      const customer = customers[next % customers.length];
      next += 1;
      if (customer === undefined) return;
      const id = await createAction(database, customer.customerId);
      for (const transition of ['originSeen', 'completed'] as const)
        await database.$transaction((tx) => changeStatus(tx, id, { transition }));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

/**
 * Waits until nothing waits. The steps between attempts take days: the rows of the failed deliveries become due every second,
 * as if that time had passed, and everything else is the worker's. Returns how many were replayed after their last attempt.
 */
async function deliverAll({ opened: { database, pool }, customers }: WebhookWorld): Promise<number> {
  let [replayed, open, changedAt] = [0, -1, performance.now()];
  while (performance.now() - changedAt < LIMIT_MS) {
    await wait(DUE_EVERY_MS);
    await pool.query(`UPDATE "WebhookDelivery" SET "nextAt" = now() WHERE state = 'WAITING' AND "nextAt" > now()`);
    await pool.query(`UPDATE "WebhookEndpoint" SET "openUntil" = now() WHERE "openUntil" > now()`);
    for (const customer of customers) replayed += await replayParked({ database }, customer);
    const left = await openCount(pool);
    if (left === 0) return replayed;
    if (left !== open) changedAt = performance.now();
    open = left;
  }
  return replayed;
}

/** Events and deliveries that are not finished. */
async function openCount(pool: OpenDatabase['pool']): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`
    SELECT (SELECT count(*) FROM "WebhookEvent" WHERE "preparedAt" IS NULL)::int
         + (SELECT count(*) FROM "WebhookDelivery" WHERE state = 'WAITING')::int AS count`);
  return rows[0]?.count ?? 0;
}

async function deliveryFigures({ opened, receiver }: WebhookWorld, replayed: number): Promise<readonly Figure[]> {
  const { rows } = await opened.pool.query<{ id: string; failed: boolean }>(
    `SELECT id, failure IS NOT NULL AS failed FROM "WebhookEvent" WHERE type LIKE 'action.%'`,
  );
  const accepted = new Set(receiver.accepted.map(({ id }) => id));
  const attempts = [...receiver.reactions.values()].reduce((sum, count) => sum + count, 0);
  const shares = [...receiver.reactions].map(([name, count]) => `${((count * 100) / attempts).toFixed(1)} % ${name}`);
  return [
    plain('events', rows.length),
    none('events without a body', rows.filter(({ failed }) => failed).length),
    none('events that were not delivered', rows.filter(({ id }) => !accepted.has(id)).length),
    none('webhooks without a valid signature', receiver.unverified.length),
    plain('deliveries that failed ten times and were replayed', replayed),
    // A delivery that failed ten times frees the later ones of its action.
    none('other events of an action out of order', Math.max(0, outOfOrder(receiver) - replayed)),
    plain('attempts', `${String(attempts)} (${shares.toSorted().join(', ')})`),
    plain('webhooks that arrived again', receiver.accepted.length - accepted.size),
  ];
}

/** Events that were accepted before an earlier one of their action. */
function outOfOrder({ accepted }: FaultyReceiver): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const { subjectId, type } of accepted) {
    const place = ORDER.indexOf(type);
    const before = last.get(subjectId) ?? -1;
    if (place > before + 1) count += 1;
    last.set(subjectId, Math.max(before, place));
  }
  return count;
}
