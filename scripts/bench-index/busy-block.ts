import type { ScriptedTransaction } from '../../test/actions/scripted-chain';
import { transfers, wallet } from '../../test/ledger/scripted-ledger';

const TRANSFERS_PER_BLOCK = 300;
export const WATCHED_PER_BLOCK = 3;

/** The transactions of a block like those of a busy chain: three of its transfers concern a watched wallet. */
export const busyBlock = (block: number): readonly ScriptedTransaction[] =>
  Array.from({ length: TRANSFERS_PER_BLOCK }, (_, index) =>
    transfers({
      from: wallet(1_000_000 + ((7 * block + index) % 5000)),
      to: index < WATCHED_PER_BLOCK ? wallet(index) : wallet(2_000_000 + index),
      amount: 1n,
    }),
  );
