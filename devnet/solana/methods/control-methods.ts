import { z } from 'zod';
import type { Journal } from '../journal';
import { type Methods, type Node, parameter } from './method';

/**
 * Control methods for tests and demonstrations; not part of Solana's RPC.
 *
 * - `validator_skipSlots [slots]`: advances the chain by that many slots. Returns the slot.
 * - `validator_dropTransactions [count]`: drops the newest transactions, as a reorganisation would. Returns the number of
 *   remaining transactions.
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
