import { proveSwaps } from '../../scripts/prove-swaps/prove-swaps';
import { TEST_SEED } from '../setup/seed';
import { type KillableService, startKillableService } from './killed-service';

let service: KillableService;
beforeAll(async () => {
  service = await startKillableService();
});
afterAll(() => service.end());

it('shows impacts, fees, dollars and amounts as the chain has them, for every provider and output', async () => {
  const { swaps, failures } = await proveSwaps(service.described, { count: 20, seed: TEST_SEED });
  expect(failures).toEqual([]);
  const named = (key: 'provider' | 'output') => [...new Set(swaps.map(({ proved }) => proved[key]))].sort();
  expect(named('provider')).toEqual(['afluente', 'jupiter', 'lifi', 'uniswapV2', 'uniswapV3', 'wrap', 'zeroEx']);
  expect(named('output')).toEqual(['bytecode', 'custody', 'instructions', 'transaction', 'userOperation']);
});
