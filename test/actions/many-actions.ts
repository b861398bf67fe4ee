import type { Pool, PoolClient } from 'pg';
import type { Database } from '../../src/persistence/database';

/** Adds copies of an action with its steps and calls; they are younger than the action. */
export async function multiplyAction(database: Database, id: string, count: number): Promise<void> {
  const copies = await database.$queryRaw<{ id: string }[]>`
    INSERT INTO "Action" (id, "customerId", type, status, substatus, provider, "originAddress", "receiverAddress",
                          "chainIdIn", "chainIdOut", "tokenIn", "tokenOut", "amountIn", "amountOut", "minAmountOut", fees,
                          "expiresAt")
    SELECT ('ffffffff-ffff-4fff-8fff-' || lpad(to_hex(number), 12, '0'))::uuid, "customerId", type, status, substatus, provider,
           "originAddress", "receiverAddress", "chainIdIn", "chainIdOut", "tokenIn", "tokenOut", "amountIn", "amountOut",
           "minAmountOut", fees, "expiresAt"
      FROM "Action", generate_series(1, ${count}) AS number WHERE id = ${id}::uuid
    RETURNING id`;
  const ids = copies.map((copy) => copy.id);
  await database.$executeRaw`
    INSERT INTO "ActionStep" ("actionId", "stepIndex", "customerId", kind, operator, protocol, "chainId")
    SELECT copy, "stepIndex", "customerId", kind, operator, protocol, "chainId"
      FROM "ActionStep", unnest(${ids}::uuid[]) AS copy WHERE "actionId" = ${id}::uuid`;
  await database.$executeRaw`
    INSERT INTO "ActionCall" (id, "actionId", "customerId", "stepIndex", kind, form, "chainId", sender, target, "dataHash", value)
    SELECT gen_random_uuid(), copy, "customerId", "stepIndex", kind, form, "chainId", sender, target, "dataHash", value
      FROM "ActionCall", unnest(${ids}::uuid[]) AS copy WHERE "actionId" = ${id}::uuid`;
  await database.$executeRaw`ANALYZE "Action", "ActionStep", "ActionCall"`;
}

/** Counts the statements that are sent from now on; the returned function counts those that match a pattern. */
export function countStatements(pool: Pool): (pattern: RegExp) => number {
  const statements: string[] = [];
  const watched = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query.bind(client) as (...given: readonly unknown[]) => unknown;
    const counted = (...given: readonly unknown[]): unknown => {
      const [first] = given;
      statements.push(typeof first === 'string' ? first : (first as { text: string }).text);
      return query(...given);
    };
    Object.assign(client, { query: counted });
  });
  return (pattern) => statements.filter((statement) => pattern.test(statement)).length;
}
