import { z } from 'zod';
import { sumGasSpending } from '../persistence/gas-report';
import { type Command, defineCommand } from './command';
import { integer } from './option-values';
import { renderTable } from './render-table';

const DEFAULT_DAYS = 7;
const MAX_DAYS = 400;

const spending = defineCommand({
  name: 'gas spending',
  ignoresSecrets: true,
  summary: 'Shows the maximum cost of the gas that the service has paid, by day, chain, kind and customer.',
  positionals: [],
  options: { days: `number of days in UTC, today included; 1 to ${String(MAX_DAYS)}, default ${String(DEFAULT_DAYS)}` },
  input: z.object({ days: integer.pipe(z.int().max(MAX_DAYS, `must be at most ${String(MAX_DAYS)}`)).optional() }),
  async run({ database }, { days = DEFAULT_DAYS }) {
    const data = await sumGasSpending(database, { days });
    const rows = data.map(({ day, chainId, kind, customerId, customer, count, unpriced, costUsd }) => [
      ...[day, chainId, kind, customer ?? customerId, String(count), String(unpriced), costUsd],
    ]);
    const header = ['day', 'chain', 'kind', 'customer', 'transactions', 'without a price', 'USD'];
    return { data, text: data.length === 0 ? 'No gas was paid.' : renderTable([header, ...rows]) };
  },
});

export const GAS_COMMANDS: readonly Command[] = [spending];
