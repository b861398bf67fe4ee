import { z } from 'zod';
import type { Journal } from '../journal';
import { type Methods, type Node, parameter } from './method';

/**
 * What tests and demonstrations steer; no real node has these.
 *
 * - `validator_skipSlots [slots]`: the chain is that many slots further at once. Returns the slot.
 * - `validator_dropTransactions [count]`: a fork wins that never saw the newest transactions. Returns the number of remaining transactions.
 */
export function controlMethods({ bank }: Node, journal: Journal): Methods {
  return {
    validator_skipSlots([slots]) {
      bank.clock.advance(parameter(z.int().positive().max(1_000_000), slots));
      journal.noteSkipped(bank.clock.skipped());
      return bank.now();
    },
    validator_dropTransactions([count]) {
      bank.forget(parameter(z.int().positive(), count));
      bank.now();
      return bank.ledger.size;
    },
  };
}
