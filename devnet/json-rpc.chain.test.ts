import { universeOfTests } from '../test/setup/universe-of-tests';
import { type JsonRpc, createJsonRpc } from './json-rpc';

let rpc: JsonRpc;
beforeAll(async () => {
  rpc = createJsonRpc((await universeOfTests()).chains[0]!.rpcUrl);
});

it('returns the results of a batch in the order of its calls, whatever its length', async () => {
  const calls = Array.from({ length: 250 }, (_, index) => ({
    method: index % 2 === 0 ? 'eth_chainId' : 'net_version',
  }));
  const results = await rpc.batch(calls);
  expect(results).toEqual(calls.map(({ method }) => (method === 'eth_chainId' ? '0x7a69' : '31337')));
});

it('names the failed call and the message of the chain', async () => {
  await expect(rpc.batch([{ method: 'eth_chainId' }, { method: 'eth_nonsense' }])).rejects.toThrow(/^eth_nonsense: .+/);
});
