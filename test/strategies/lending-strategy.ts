import type { Strategy } from '../../src/strategies/strategy';
import type { StrategyRow } from '../../src/strategies/strategy-row';
import { devnet, USDC } from '../swaps/swap-world';

const VAULT = '0xBEEF01735c132Ada46AA9aA4c54623cAA92A64CB';

/** A strategy of a vault for USDC in memory. */
export const lendingStrategy = (row: Partial<StrategyRow> = {}): Strategy => ({
  row: {
    id: 'Steady-USDC-devnet',
    aliases: [],
    protocol: 'erc4626',
    brand: 'Steady',
    chainId: devnet.chainId,
    market: VAULT,
    underlying: USDC.address as typeof VAULT,
    startDate: '2026-01-01',
    categories: [],
    isDefault: false,
    paused: false,
    trustMax: true,
    knownFeeBps: 0,
    metadata: {},
    ...row,
  },
  chain: devnet,
  underlying: USDC,
  receipt: { ...USDC, address: VAULT, symbol: 'stUSDC', name: 'Steady USDC', decimals: 18 },
  contracts: {},
});
