import { z } from 'zod';
import { type Command, defineCommand } from './command';
import { requireFound } from './find-customer';
import { discardItem } from '../ledger/discard-item';
import { requiredText } from './option-values';
import { renderTable } from './render-table';

/** Items that one call lists. */
const MAX_ITEMS = 200;

const list = defineCommand({
  name: 'quarantine list',
  summary: 'Lists blocks, transactions and steps that could not be handled, those tried most often first.',
  positionals: [],
  options: {},
  input: z.object({}),
  async run({ database }) {
    const rows = await database.quarantine.findMany({
      orderBy: [{ attempts: 'desc' }, { createdAt: 'asc' }],
      take: MAX_ITEMS,
    });
    const data = rows.map(({ chainId, blockNumber, ...row }) => {
      const numbers = { chainId: chainId.toString(), blockNumber: blockNumber?.toString() ?? null };
      return Object.assign(numbers, row);
    });
    const cells = data.map(({ chainId, stage, item, attempts, nextAt, error }) => [
      ...[chainId, stage, item, String(attempts), nextAt.toISOString()],
      error.slice(0, 80),
    ]);
    const table = renderTable([['chain', 'stage', 'item', 'attempts', 'next attempt', 'error'], ...cells]);
    return { data, text: data.length === 0 ? 'Nothing is in quarantine.' : table };
  },
});

const retry = defineCommand({
  name: 'quarantine retry',
  summary: 'Makes every item in quarantine due at once. The workers retry them within a minute.',
  positionals: [],
  options: {},
  input: z.object({}),
  async run({ database }) {
    const { count } = await database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
    return { data: { count }, text: `${String(count)} items are due.` };
  },
});

const discard = defineCommand({
  name: 'quarantine discard',
  summary:
    'Deletes an item that can never be handled, as a block that no node has any more. For a block of the ledger, the ' +
    'movements of wallets count as complete only behind it.',
  positionals: ['item'],
  options: {},
  input: z.object({ item: requiredText }),
  async run({ database }, { item }) {
    const count = await database.$transaction((tx) => discardItem(tx, item));
    requireFound(count === 0 ? undefined : count, `There is no item ${item} in quarantine.`);
    return { data: { item, count }, text: `${item} is no longer in quarantine.` };
  },
});

export const QUARANTINE_COMMANDS: readonly Command[] = [list, retry, discard];
