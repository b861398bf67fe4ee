import { serviceError } from '../../src/errors/service-error';
import { KEY, QUOTE_ID, startEdge } from './edge';

it('an Idempotency-Key returns 409 while its first request runs, and can be used again after an error of the service', async () => {
  const running: (() => void)[] = [];
  const fail = async (): Promise<void> => {
    while (running.length === 0) await new Promise(setImmediate);
    running.pop()!();
  };
  const slow = await startEdge({
    roots: {
      'Mutation.createSwapTransaction': () =>
        new Promise((_, reject) => {
          running.push(() => reject(serviceError('BYTECODE_GENERATION_FAILED', { reason: '' })));
        }),
    },
  });
  const call = () =>
    fetch(`${slow.url}/v2/swap/bytecode`, {
      method: 'POST',
      body: JSON.stringify({ quoteId: QUOTE_ID }),
      headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'idempotency-key': 'key-2' },
    });
  const first = call();
  while (running.length === 0) await new Promise(setImmediate);
  const second = await call();
  expect([second.status, await second.json()]).toMatchObject([409, { error: { code: 'IDEMPOTENCY_KEY_IN_USE' } }]);
  await fail();
  expect((await first).status).toBe(500);
  const third = call();
  await fail();
  expect((await third).status).toBe(500);
  await slow.close();
});
