import { createChainTable } from '../../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../../src/chains/known-chains';
import type { Token } from '../../../src/tokens/token';
import { createHistoryLoader, type TokenPriceDeps } from './loaders';

const chains = createChainTable(KNOWN_CHAINS);
const [one, other] = chains.get(1).tokens.map((token): Token => ({ logoURI: undefined, ...token, chainId: 1 }));
const MINUTE = 60_000;

describe('the price histories of a request', () => {
  afterEach(() => jest.restoreAllMocks());

  it('that end now are one query, also when a minute ends meanwhile', async () => {
    const query = jest.fn(() => Promise.resolve({ rows: [] }));
    const deps: Pick<TokenPriceDeps, 'pool' | 'chains'> = {
      pool: { query } as unknown as TokenPriceDeps['pool'],
      chains,
    };
    const beforeTurn = Math.ceil(Date.now() / MINUTE) * MINUTE - 1;
    const now = jest.spyOn(Date, 'now').mockReturnValue(beforeTurn);
    const { load } = createHistoryLoader(deps);
    const range = { from: new Date(beforeTurn - 60 * MINUTE).toISOString() };
    const first = load(one!, range, undefined);
    now.mockReturnValue(beforeTurn + 2);
    await Promise.all([first, load(other!, range, undefined)]);
    expect(query).toHaveBeenCalledTimes(1);
  });
});
