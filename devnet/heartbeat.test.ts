import { startHeartbeat } from './heartbeat';
import type { JsonRpc } from './json-rpc';

/** A chain that only counts its blocks. */
function countingChain() {
  const chain = { head: 0, mined: 0 };
  const call = (method: string): Promise<unknown> => {
    if (method === 'eth_blockNumber') return Promise.resolve(`0x${chain.head.toString(16)}`);
    chain.head += 1;
    chain.mined += 1;
    return Promise.resolve('0x0');
  };
  const rpc: JsonRpc = { url: 'http://127.0.0.1', call, batch: () => Promise.resolve([]) };
  return { chain, rpc };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('mines the configured number of blocks after each transaction, then stays idle', async () => {
  const { chain, rpc } = countingChain();
  const heartbeat = startHeartbeat({ rpc, blockTimeSeconds: 1, settlingBlocks: 3 });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(chain.mined).toBe(3);
  chain.head += 1; // a transaction was mined
  await jest.advanceTimersByTimeAsync(10_000);
  expect(chain.mined).toBe(6);
  await heartbeat.stop();
});

it('mines seldom on an idle chain, and nothing once it was stopped', async () => {
  const { chain, rpc } = countingChain();
  const heartbeat = startHeartbeat({ rpc, blockTimeSeconds: 1, settlingBlocks: 3 });
  await jest.advanceTimersByTimeAsync(3 * 60_000);
  const idle = chain.mined;
  expect(idle).toBeGreaterThan(5);
  expect(idle).toBeLessThan(20);
  await heartbeat.stop();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(chain.mined).toBe(idle);
});

it('goes on after a call that failed', async () => {
  const { chain, rpc } = countingChain();
  let failures = 2;
  const failing: JsonRpc = {
    ...rpc,
    call: (method) => (failures-- > 0 ? Promise.reject(new Error('busy')) : rpc.call(method)),
  };
  const heartbeat = startHeartbeat({ rpc: failing, blockTimeSeconds: 1, settlingBlocks: 3 });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(chain.mined).toBe(3);
  await heartbeat.stop();
});

it('mines nothing while it is held, whatever becomes of the work, and goes on afterwards', async () => {
  const { chain, rpc } = countingChain();
  const heartbeat = startHeartbeat({ rpc, blockTimeSeconds: 1, settlingBlocks: 3 });
  const held = heartbeat.hold(async () => {
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const { mined } = chain;
    throw new Error(`${String(mined)} blocks`);
  });
  const failure = expect(held).rejects.toThrow('0 blocks');
  await jest.advanceTimersByTimeAsync(10_000);
  await failure;
  await jest.advanceTimersByTimeAsync(10_000);
  expect(chain.mined).toBe(3);
  await heartbeat.stop();
});

it('settles a transaction after the chain went back, also in a block with the number of its own last one', async () => {
  const { chain, rpc } = countingChain();
  const heartbeat = startHeartbeat({ rpc, blockTimeSeconds: 1, settlingBlocks: 3 });
  await jest.advanceTimersByTimeAsync(5000);
  await heartbeat.hold(() => {
    chain.head -= 1; // back to a snapshot
    return Promise.resolve();
  });
  chain.head += 1; // a transaction was mined
  await jest.advanceTimersByTimeAsync(5000);
  expect(chain.mined).toBe(6);
  await heartbeat.stop();
});
