import { z } from 'zod';
import { resumeAction, strandedMoney } from '../actions/stranded-money';
import { type Command, defineCommand } from './command';
import { existing } from './look-up';
import { MISSING } from './option-values';
import { renderTable } from './render-table';

const stranded = defineCommand({
  name: 'ramp stranded',
  summary: 'Lists actions of ramps that failed although their money was seen, and of which nothing has come back.',
  positionals: [],
  options: {},
  input: z.object({}),
  async run({ db }) {
    const found = await strandedMoney({ database: db });
    const rows = found.map(({ actionId, customerId, provider, substatus, finishedAt, watched }) => [
      ...[actionId, customerId, provider, substatus ?? '-', finishedAt.toISOString(), watched ? 'yes' : 'no'],
    ]);
    return {
      data: found,
      text: renderTable([['action', 'customer', 'provider', 'substatus', 'failed', 'watched'], ...rows]),
    };
  },
});

const resume = defineCommand({
  name: 'ramp resume',
  summary: 'Has the ramp of an action that has failed asked about it again, however long ago that was.',
  positionals: ['action'],
  options: {},
  input: z.object({
    action: z.uuid({ error: ({ input }) => (input === undefined ? MISSING : 'must be the id of an action') }),
  }),
  async run({ db }, { action: actionId }) {
    const resumed = (await resumeAction({ database: db }, actionId)) || undefined;
    existing(resumed, `There is no action ${actionId} of a ramp that has failed.`);
    return { data: { actionId }, text: `The ramp is asked about ${actionId} again.` };
  },
});

export const RAMP_COMMANDS: readonly Command[] = [stranded, resume];
