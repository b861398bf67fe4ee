import { universeOfTests } from '../test/setup/universe-of-tests';
import { type JsonRpc, createJsonRpc } from './json-rpc';

let rpc: JsonRpc;
beforeAll(async () => {
  rpc = createJsonRpc((await universeOfTests()).chains[0]!.rpcUrl);
});

it('answers a batch in the order of its calls, however long it is', async () => {
  const calls = Array.from({ length: 250 }, (_, index) => ({
    method: index % 2 === 0 ? 'eth_chainId' : 'net_version',
  }));
  const results = await rpc.batch(calls);
  expect(results).toEqual(calls.map(({ method }) => (method === 'eth_chainId' ? '0x7a69' : '31337')));
});

it('says which call failed and what the chain said', async () => {
  await expect(rpc.batch([{ method: 'eth_chainId' }, { method: 'eth_nonsense' }])).rejects.toThrow(/^eth_nonsense: .+/);
});
