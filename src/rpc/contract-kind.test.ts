import { serviceError } from '../errors/service-error';
import { createContractKindFinder } from './contract-kind';
import type { Rpc } from './rpc';

const ADDRESS = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

/** A chain whose contracts return these results of token0, token1, decimals and totalSupply. */
function finderOn(results: readonly unknown[] | Error) {
  let reads = 0;
  const multicall = () => {
    reads += 1;
    return results instanceof Error ? Promise.reject(results) : Promise.resolve(results);
  };
  const rpc = { serves: (chainId: number) => chainId === 1, multicall } as unknown as Pick<Rpc, 'multicall' | 'serves'>;
  return { find: createContractKindFinder({ rpc }), reads: () => reads };
}

describe('the kind of a contract', () => {
  it.each([
    ['token', [undefined, undefined, 6, 10n]],
    ['pool', [ADDRESS, ADDRESS, undefined, undefined]],
    ['pool', [ADDRESS, ADDRESS, 18, 10n]],
    [undefined, [undefined, undefined, undefined, undefined]],
    [undefined, [undefined, undefined, undefined, 10n]],
  ])('is %s for the functions that it has', async (kind, results) => {
    const { find, reads } = finderOn(results);
    expect(await find(1, ADDRESS)).toBe(kind);
    expect(await find(1, ADDRESS)).toBe(kind);
    expect(reads()).toBe(1);
  });

  it('is unknown on a chain that is not served or unavailable, and is then read again', async () => {
    const down = finderOn(serviceError('PROVIDER_UNAVAILABLE', { provider: 'a node', reason: 'it is down' }));
    expect(await down.find(2, ADDRESS)).toBeUndefined();
    expect(down.reads()).toBe(0);
    expect(await down.find(1, ADDRESS)).toBeUndefined();
    expect(await down.find(1, ADDRESS)).toBeUndefined();
    expect(down.reads()).toBe(2);
    await expect(finderOn(new TypeError('a bug')).find(1, ADDRESS)).rejects.toThrow('a bug');
  });
});
