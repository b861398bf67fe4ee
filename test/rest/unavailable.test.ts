import { setImmediate as nextTurn } from 'node:timers/promises';
import { serviceError } from '../../src/errors/service-error';
import { DatabaseConnectionError } from '../../src/persistence/database-outage';
import { type Edge, startEdge, WALLET } from './edge';

describe('an unavailable service', () => {
  const lost = new DatabaseConnectionError('no database connection: refused');
  const fails = (): never => {
    throw serviceError('SERVICE_UNAVAILABLE', { reason: 'the database does not respond' });
  };
  /** Requests that were charged and not refunded. */
  const balance = ({ charges }: Edge) => charges.reduce((sum, { cost }) => sum + cost, 0);

  it('charges neither a key nor an address when credentials cannot be verified', async () => {
    const unavailable = await startEdge({ authenticator: { authenticate: () => Promise.reject(lost) } });
    for (const path of [`/actions?walletAddress=${WALLET}`, '/graphql?query={ping}']) {
      const response = await unavailable.fetch(path);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    }
    expect(unavailable.charges).toEqual([]);
    await unavailable.close();
  });

  it('refunds requests that it could not serve, over REST and over GraphQL', async () => {
    const roots = { 'Query.actions': fails, 'Query.ping': fails };
    const unavailable = await startEdge({ roots });
    const path = `/actions?walletAddress=${WALLET}`;
    const response = await unavailable.fetch(path);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
    await unavailable.fetch('/graphql?query={a:ping b:ping}');
    while (balance(unavailable) > 0) await nextTurn();
    expect(unavailable.charges.map(({ cost }) => cost)).toEqual([1, -1, 1, 1, -1, -1]);
    await unavailable.close();
  });

  it('charges requests that ran until the deadline, over REST and over GraphQL', async () => {
    const never = () => new Promise(() => undefined);
    const roots = { 'Query.actions': never, 'Query.ping': never };
    const slow = await startEdge({ roots, config: { REQUEST_TIMEOUT_MS: 50 } });
    for (const path of [`/actions?walletAddress=${WALLET}`, '/graphql?query={ping}']) {
      const response = await slow.fetch(path);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('"counted":true');
    }
    await slow.close();
    expect(slow.charges.map(({ cost }) => cost)).toEqual([1, 1]);
  });

  it('charges requests that it served in part', async () => {
    const partial = await startEdge({ roots: { 'Query.ping': fails } });
    await (await partial.fetch('/graphql?query={ping __typename}')).text();
    expect(balance(partial)).toBe(2);
    await partial.close();
  });
});
