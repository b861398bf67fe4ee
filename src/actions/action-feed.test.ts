import { setTimeout as wait } from 'node:timers/promises';
import type { CustomerId } from '../auth/principal';
import { currentScope, runForCustomer } from '../persistence/customer-scope';
import { createActionFeed } from './action-feed';

const [FIRST, SECOND] = ['first', 'second'] as [CustomerId, CustomerId];

it('actions of each customer are read, whichever of them has opened the first subscription', async () => {
  const scopes: string[] = [];
  const $queryRaw = jest.fn(() => {
    scopes.push(currentScope().kind);
    return Promise.resolve([{ id: 'b', version: String(scopes.length) }]);
  });
  const feed = createActionFeed({ database: { $queryRaw } as never, pollMs: 5 });
  const first = runForCustomer(FIRST, () => feed.watch({ customerId: FIRST, actionId: 'a' }));
  const second = runForCustomer(SECOND, () => feed.watch({ customerId: SECOND, actionId: 'b' }));
  await second.changed(AbortSignal.timeout(20_000));
  first.close();
  second.close();
  await wait(10);
  expect(new Set(scopes)).toEqual(new Set(['service']));
});
