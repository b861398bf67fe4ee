import { addressOf, ethereum, rowOf, scriptedNodes, scriptedProtocol } from '../../../test/strategies/scripted-catalog';
import type { ProtocolReader } from '../protocols/protocol';
import { resolveRows } from './resolve-rows';

const REWARD = addressOf(50);
const BROKEN = addressOf(51);

async function resolved(
  rewardTokens: ReturnType<typeof addressOf>[],
  slow: readonly ReturnType<typeof addressOf>[] = [],
) {
  const resolution: ProtocolReader['resolution'] = ({ market }) => ({
    kind: 'resolved',
    contracts: { rewards: addressOf(52) },
    receipt: market,
    rewardTokens,
  });
  const nodes = scriptedNodes();
  nodes.values.set(BROKEN, { symbol: 'revert', name: 'revert', decimals: 'revert', totalSupply: 'revert' });
  for (const each of slow) nodes.slow.add(each);
  const deps = { rpc: nodes.rpc, protocols: { erc4626: { ...scriptedProtocol(), resolution } } };
  const { rows } = await resolveRows(deps, { chain: ethereum, rows: [rowOf(1)], signal: AbortSignal.timeout(5000) });
  return rows[0];
}

it('a strategy has the tokens of its rewards; one that is no token is left out and leaves the strategy as it is', async () => {
  expect(await resolved([REWARD, BROKEN])).toMatchObject({
    kind: 'resolved',
    strategy: { receipt: { address: addressOf(1) }, rewardTokens: [{ address: REWARD, symbol: 'TKN', decimals: 6 }] },
  });
});

it('a strategy without a readable reward has none', async () => {
  const reading = await resolved([BROKEN]);
  expect(reading).toMatchObject({ kind: 'resolved', strategy: { receipt: { address: addressOf(1) } } });
  expect(reading).not.toHaveProperty('strategy.rewardTokens');
});

it('a strategy is not read while the node does not return one of its rewards: it keeps those that it had', async () => {
  // More tokens than one call reads.
  const many = Array.from({ length: 120 }, (_, index) => addressOf(100 + index));
  expect(await resolved([...many, REWARD], [REWARD])).toEqual({ kind: 'unread' });
  expect(await resolved([...many, REWARD])).toMatchObject({ kind: 'resolved' });
});

it('of two strategies whose contracts share a receipt token, the second one is refused: its balance would count twice', async () => {
  const resolution: ProtocolReader['resolution'] = () => ({
    kind: 'resolved',
    contracts: {},
    receipt: addressOf(60),
  });
  const deps = { rpc: scriptedNodes().rpc, protocols: { erc4626: { ...scriptedProtocol(), resolution } } };
  const request = { chain: ethereum, rows: [rowOf(1), rowOf(2)], signal: AbortSignal.timeout(5000) };
  const { rows } = await resolveRows(deps, request);
  expect(rows).toMatchObject([
    { kind: 'resolved' },
    { kind: 'refused', reason: expect.stringMatching(`is that of ${rowOf(1).id}`) },
  ]);
});
