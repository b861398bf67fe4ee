import { randomBytes } from 'node:crypto';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { createPersonalDataVault } from '../../src/persistence/personal-data';
import type { FiatDeps } from '../../src/quotes/request/resolve-fiat';
import type { RampId, RampProvider } from '../../src/ramps/ramp-provider';

export const testVault = createPersonalDataVault({
  keys: [{ version: 1, key: randomBytes(32) }],
  indexKey: randomBytes(32),
});

/** A ramp that supports every route; all other methods reject unless replaced by `changes`. */
export function fakeRamp(id: RampId, changes: Partial<RampProvider> = {}): RampProvider {
  const refuse = () => Promise.reject(new TypeError('unexpected call'));
  return {
    id,
    supports: () => true,
    quote: refuse,
    openTicket: refuse,
    findTicket: refuse,
    ticketState: refuse,
    accountLimits: refuse,
    ...changes,
  };
}

/** Ramps in memory without any registered person. */
export function fakeFiat(changes: Partial<FiatDeps> = {}): FiatDeps {
  return {
    database: {
      kycWallet: { findFirst: () => Promise.resolve(null) },
      customer: { findUnique: () => Promise.resolve({ secondaryRamp: false }) },
    } as never,
    vault: testVault,
    pollReadOnly: () => Promise.resolve(),
    chains: createChainTable(KNOWN_CHAINS),
    ramps: { primary: fakeRamp('primary'), secondary: fakeRamp('secondary') },
    brands: { primary: 'first', secondary: 'second' },
    ...changes,
  };
}
