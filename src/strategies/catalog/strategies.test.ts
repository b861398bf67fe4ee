import {
  addressOf,
  ASSET,
  base,
  chains,
  ethereum,
  rowOf,
  type ScriptedNodes,
  scriptedNodes,
  scriptedProtocol,
} from '../../../test/strategies/scripted-catalog';
import { until } from '../../../test/resilience/until';
import { isServiceError } from '../../errors/service-error';
import type { StrategyRow } from '../strategy-row';
import { createStrategies, type Strategies } from './strategies';

const opened: Strategies[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.stop()));
});

function open(rows: readonly StrategyRow[], nodes: ScriptedNodes, renewMs = 60_000) {
  const log = { warn: jest.fn() };
  const strategies = createStrategies({
    rpc: nodes.rpc,
    log,
    chains,
    rows,
    protocols: { erc4626: scriptedProtocol() },
    times: { retryMs: 5, maxRetryMs: 20, confirmMs: 5, refusedMs: 10, renewMs },
  });
  opened.push(strategies);
  return { strategies, log };
}

const codeOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return isServiceError(error) ? [error.code, error.details] : error;
  }
  return 'none';
};
const idsOf = (strategies: Strategies) => strategies.all().map(({ row }) => row.id);

describe('the strategies of a deployment', () => {
  it('are found by id, slug and alias in any case, with the tokens that the chain states', async () => {
    const { strategies } = open([rowOf(1, { aliases: ['First-One'] })], scriptedNodes());
    strategies.start();
    await strategies.firstPass(1);
    for (const name of ['Vault-1-ethereum', 'vault-1-ethereum', 'VAULT-1-ETHEREUM', 'first-one', 'FIRST-ONE'])
      expect(strategies.get(name).row.id).toBe('Vault-1-ethereum');
    expect(strategies.get('first-one')).toMatchObject({
      chain: { slug: 'ethereum' },
      underlying: { address: ASSET, symbol: 'TKN', decimals: 6 },
      receipt: { address: addressOf(1), chainId: 1 },
    });
    expect(codeOf(() => strategies.get('x'.repeat(9999)))).toEqual(['STRATEGY_NOT_FOUND', undefined]);
  });

  it('of a thousand rows are read with few calls', async () => {
    const nodes = scriptedNodes();
    const { strategies } = open(
      Array.from({ length: 1000 }, (_, index) => rowOf(index)),
      nodes,
    );
    strategies.start();
    await strategies.firstPass(1);
    expect(strategies.all()).toHaveLength(1000);
    // Two reads of each vault, and four of each of 1,001 tokens.
    expect(nodes.calls).toBeLessThanOrEqual(14);
  });

  it('keep the order of the catalog, whichever chain responds first', async () => {
    const nodes = scriptedNodes([ethereum, base]);
    nodes.down.add(1);
    const rows = [rowOf(1), rowOf(2, { id: 'on-base', chainId: 8453 }), rowOf(3)];
    const { strategies } = open(rows, nodes);
    strategies.start();
    await strategies.firstPass(8453);
    expect(idsOf(strategies)).toEqual(['on-base']);
    nodes.down.clear();
    await until('the chain is read again', () => strategies.all().length === 3);
    expect(idsOf(strategies)).toEqual(rows.map(({ id }) => id));
    expect(strategies.all()).toBe(strategies.all());
  });

  it('of a chain that does not respond are unavailable with a reason, until it responds', async () => {
    const nodes = scriptedNodes();
    nodes.down.add(1);
    const { strategies, log } = open([rowOf(1)], nodes);
    const unavailable = (reason: string) => ['LENDING_SERVICE_UNAVAILABLE', { network: 'ethereum', reason }];
    expect(codeOf(() => strategies.get('vault-1-ethereum'))).toEqual(
      unavailable('the strategies are being read from the chain'),
    );
    expect(strategies.states()).toEqual([]);
    strategies.start();
    await strategies.firstPass(1);
    expect(codeOf(() => strategies.get('vault-1-ethereum'))).toEqual(unavailable('the chain does not respond'));
    expect(strategies.states()).toMatchObject([
      { status: 'unavailable', resolved: 0, waiting: new Set([rowOf(1).id]) },
    ]);
    nodes.down.clear();
    await until('the chain is read again', () => strategies.all().length === 1);
    expect(strategies.states()).toMatchObject([{ status: 'ok', reason: undefined, resolved: 1, waiting: new Set() }]);
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  it('leave out rows that contradict the chain, which are logged once, counted, and read again', async () => {
    const nodes = scriptedNodes();
    nodes.values.set(addressOf(2), { asset: addressOf(5) });
    nodes.values.set(addressOf(3), { asset: 'revert' });
    nodes.values.set(addressOf(4), { decimals: 'revert' });
    const rows = [rowOf(1), rowOf(2), rowOf(3), rowOf(4), rowOf(6, { protocol: 'aave-v3' })];
    const { strategies, log } = open(rows, nodes);
    strategies.start();
    await strategies.firstPass(1);
    expect(idsOf(strategies)).toEqual(['Vault-1-ethereum']);
    const [{ refused } = { refused: new Map<string, string>() }] = strategies.states();
    expect([...refused]).toEqual([
      ['Vault-2-ethereum', `the vault has the asset ${addressOf(5)}`],
      ['Vault-3-ethereum', 'its contracts do not respond like those of its protocol'],
      ['Vault-4-ethereum', `its receipt token ${addressOf(4)} is not a token`],
      ['Vault-6-ethereum', 'the protocol aave-v3 is not served'],
    ]);
    const missing = () => codeOf(() => strategies.get('Vault-2-ethereum'));
    // One node alone may be wrong.
    expect(missing()).toEqual(['LENDING_SERVICE_UNAVAILABLE', expect.anything()]);
    await until('the refusal is confirmed', () => JSON.stringify(missing()) === '["STRATEGY_NOT_FOUND",null]');
    expect(strategies.states()[0]).toMatchObject({ status: 'ok', doubtful: new Set() });
    nodes.values.clear();
    await until('the rows are read again', () => strategies.all().length === 4);
    expect(log.warn).toHaveBeenCalledTimes(4);
  });

  it('that the chain had before and refuses again and again are unavailable, and not unknown', async () => {
    const nodes = scriptedNodes();
    const { strategies, log } = open([rowOf(1), rowOf(2)], nodes, 5);
    strategies.start();
    await strategies.firstPass(1);
    nodes.values.set(addressOf(2), { asset: 'revert' });
    await until('the chain refuses it', () => strategies.all().length === 1);
    expect(codeOf(() => strategies.get('vault-2-ethereum'))).toEqual([
      'LENDING_SERVICE_UNAVAILABLE',
      {
        network: 'ethereum',
        reason: 'the chain refuses the strategy: its contracts do not respond like those of its protocol',
      },
    ]);
    expect(strategies.states()).toMatchObject([
      { status: 'unavailable', reason: 'the chain refuses 1 of them that it had before' },
    ]);
    expect([...strategies.states()[0]!.doubtful]).toEqual(['Vault-2-ethereum']);
    expect(log.warn).toHaveBeenCalledTimes(2);
    nodes.values.clear();
    await until('the chain has it again', () => strategies.all().length === 2);
    expect(strategies.states()).toMatchObject([{ status: 'ok', reason: undefined }]);
  });

  it('are awaited right after the start, and not for a chain that does not respond', async () => {
    const nodes = scriptedNodes([ethereum, base]);
    nodes.down.add(8453);
    const { strategies } = open([rowOf(1), rowOf(2, { id: 'on-base', chainId: 8453 })], nodes);
    await strategies.ready();
    expect(strategies.all()).toEqual([]);
    strategies.start();
    await strategies.ready();
    expect(idsOf(strategies)).toEqual(['Vault-1-ethereum']);
  });

  it('stay known while the chain does not respond later', async () => {
    const nodes = scriptedNodes();
    nodes.values.set(addressOf(2), { asset: 'revert' });
    const { strategies } = open([rowOf(1), rowOf(2)], nodes);
    strategies.start();
    await strategies.firstPass(1);
    nodes.down.add(1);
    await until('the chain is unavailable', () => strategies.states()[0]?.status === 'unavailable');
    expect(strategies.get('vault-1-ethereum').row.id).toBe('Vault-1-ethereum');
  });

  it('of chains that are not served are left out', async () => {
    const { strategies } = open([rowOf(1), rowOf(2, { id: 'on-base', chainId: 8453 })], scriptedNodes());
    strategies.start();
    await strategies.firstPass(8453);
    await strategies.firstPass(1);
    expect(idsOf(strategies)).toEqual(['Vault-1-ethereum']);
    expect(codeOf(() => strategies.get('on-base'))).toEqual(['STRATEGY_NOT_FOUND', undefined]);
    expect(strategies.chains.map(({ slug }) => slug)).toEqual(['ethereum']);
  });
});
