import { z } from 'zod';
import { ledgerStates } from '../ledger/ledger-states';
import { cancelReplay, requestReplay, restartLedger } from '../ledger/request-replay';
import { AdminProblem } from './admin-problem';
import { type Command, defineCommand } from './command';
import { renderTable } from './render-table';

const DIGITS = /^[1-9]\d{0,14}$/;
const chainId = z
  .string()
  .regex(DIGITS, 'must be the id of a chain')
  .transform((digits) => Number.parseInt(digits, 10));
const blockNumber = z.string().regex(DIGITS, 'must be a block number from 1').transform(BigInt);

const status = defineCommand({
  name: 'index status',
  summary:
    'Shows how far the transfers of each chain are recorded, incomplete blocks, and earlier movements of wallets.',
  positionals: [],
  options: {},
  input: z.object({}),
  async run({ pool }) {
    const states = await ledgerStates(pool);
    const rows = states.map((state) => [
      ...[String(state.chainId), state.status, String(state.blockNumber), String(state.headNumber)],
      ...[String(state.lagBlocks), String(state.lagSeconds), String(state.quarantined)],
      ...[String(state.backfills.walking), String(state.backfills.proven), String(state.backfills.unproven)],
      state.reason ?? '',
    ]);
    const titles = [
      ...['chain', 'status', 'block', 'head', 'blocks behind', 'seconds behind', 'incomplete'],
      ...['walking', 'proven', 'unproven', 'reason'],
    ];
    const table = renderTable([titles, ...rows]);
    return { data: states, text: states.length === 0 ? 'The transfers of no chain are recorded.' : table };
  },
});

const replay = defineCommand({
  name: 'index replay',
  summary:
    'Reads the token transfers of a chain, given by its id, from a block on again. The ledger is complete behind it.',
  positionals: ['chain', 'from'],
  options: {},
  input: z.object({ chain: chainId, from: blockNumber }),
  async run({ database }, { chain, from }) {
    const problem = await requestReplay(database, { chainId: chain, from });
    if (problem !== undefined) throw new AdminProblem([problem], 'failure');
    const data = { chainId: chain, from: from.toString() };
    return { data, text: `Chain ${String(chain)} is read again from block ${from.toString()} on.` };
  },
});

const cancel = defineCommand({
  name: 'index cancel-replay',
  summary: 'Withdraws a replay of a chain that no worker has started.',
  positionals: ['chain'],
  options: {},
  input: z.object({ chain: chainId }),
  async run({ database }, { chain }) {
    if (!(await cancelReplay(database, chain))) {
      throw new AdminProblem([`No replay of chain ${String(chain)} waits.`], 'failure');
    }
    return { data: { chainId: chain }, text: `Chain ${String(chain)} is not read again.` };
  },
});

const restart = defineCommand({
  name: 'index restart',
  summary:
    'Starts again at the head of a chain, without the blocks that were not read: movements count as complete behind it.',
  positionals: ['chain'],
  options: {},
  input: z.object({ chain: chainId }),
  async run({ database }, { chain }) {
    const problem = await restartLedger(database, chain);
    if (problem !== undefined) throw new AdminProblem([problem], 'failure');
    return { data: { chainId: chain }, text: `The transfers of chain ${String(chain)} are recorded from its head on.` };
  },
});

export const INDEX_COMMANDS: readonly Command[] = [status, replay, cancel, restart];
