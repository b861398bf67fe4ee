import { z } from 'zod';
import { resumeAction, listStrandedPayments } from '../actions/stranded-payments';
import { type Command, defineCommand } from './command';
import { requireFound } from './find-customer';
import { MISSING } from './option-values';
import { renderTable } from './render-table';

const stranded = defineCommand({
  name: 'ramp stranded',
  summary: 'Lists failed ramp actions whose payment arrived and was not refunded.',
  positionals: [],
  options: {},
  input: z.object({}),
  async run({ database }) {
    const found = await listStrandedPayments({ database });
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
  summary: 'Polls the ramp of a failed action again, regardless of its age.',
  positionals: ['action'],
  options: {},
  input: z.object({
    action: z.uuid({ error: ({ input }) => (input === undefined ? MISSING : 'must be the id of an action') }),
  }),
  async run({ database }, { action: actionId }) {
    const resumed = (await resumeAction({ database }, actionId)) || undefined;
    requireFound(resumed, `There is no failed ramp action ${actionId}.`);
    return { data: { actionId }, text: `The ramp is polled again for the action ${actionId}.` };
  },
});

export const RAMP_COMMANDS: readonly Command[] = [stranded, resume];
