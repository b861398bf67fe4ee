import { type Hex, keccak256 } from 'viem';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import {
  STRATEGY_ROUTER_ADDRESS,
  STRATEGY_ROUTER_CODE_HASH,
  STRATEGY_ROUTER_DEPLOYMENT,
} from '../../chains/strategy-router';
import { serviceError } from '../../errors/service-error';
import { checkRouters, createStrategyRouterFinder } from './find-router';

const known = KNOWN_CHAINS[0]!;
const configured = { ...known, strategyRouter: STRATEGY_ROUTER_ADDRESS };

/** A finder on a chain that has this code at each address, or does not respond. */
function finderOn(code: Hex | undefined | Error) {
  const getCode = jest.fn(() => (code instanceof Error ? Promise.reject(code) : Promise.resolve(code)));
  const log = { info: jest.fn(), warn: jest.fn() };
  const request = (_: number, run: (client: never) => Promise<unknown>) => run({ getCode } as never);
  const deps = { rpc: { request, serves: () => true } as never, log };
  return { deps, find: createStrategyRouterFinder(deps), getCode, log };
}

/** The code that the deployment leaves: it is copied after a short constructor. */
const routerCode = (): Hex => {
  const initCode = STRATEGY_ROUTER_DEPLOYMENT.slice(66);
  const start = Array.from({ length: 100 }, (_, bytes) => bytes * 2).find(
    (offset) => keccak256(`0x${initCode.slice(offset)}`) === STRATEGY_ROUTER_CODE_HASH,
  );
  return `0x${initCode.slice(start)}`;
};

describe('the router of a chain', () => {
  it('is the configured one when its code is that of the router, which is read once', async () => {
    const { find, getCode, log } = finderOn(routerCode());
    expect([await find(configured), await find(configured)]).toEqual([
      STRATEGY_ROUTER_ADDRESS,
      STRATEGY_ROUTER_ADDRESS,
    ]);
    expect(getCode).toHaveBeenCalledTimes(1);
    expect(log.warn).not.toHaveBeenCalled();
  });

  it.each([
    ['there is no code at its address', undefined],
    ['other code is at its address', '0x6001'],
  ] as const)('is unavailable when %s, and the log warns of it once', async (_, code) => {
    const { find, getCode, log } = finderOn(code);
    for (let request = 0; request < 2; request += 1)
      await expect(find(configured)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(getCode).toHaveBeenCalledTimes(1);
    expect(log.warn.mock.calls).toMatchObject([
      [{ router: STRATEGY_ROUTER_ADDRESS, hasCode: code !== undefined }, expect.any(String)],
    ]);
  });

  it('is none where none is configured, without a request', async () => {
    const { find, getCode } = finderOn(routerCode());
    expect(await find(known)).toBeUndefined();
    expect(getCode).not.toHaveBeenCalled();
  });

  it('is unknown while the chain does not respond: that is an error, and no reason to start', async () => {
    const failure = serviceError('PROVIDER_UNAVAILABLE', { provider: 'ethereum', reason: 'down' });
    const { find, deps, log } = finderOn(failure);
    await expect(find(configured)).rejects.toThrow(failure);
    await checkRouters(find, [configured], deps);
    expect(log.warn).toHaveBeenCalledTimes(1);
  });
});
