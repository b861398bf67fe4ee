import { z } from 'zod';
import { type Command, defineCommand } from './command';
import { requireFound } from './find-customer';
import { MISSING } from './option-values';

const forget = defineCommand({
  name: 'secret forget',
  summary: 'Lets the service start with another value of a secret; data under the former one is lost.',
  positionals: ['name'],
  options: {},
  ignoresSecrets: true,
  input: z.object({ name: z.string({ error: MISSING }) }),
  async run({ database }, { name }) {
    const { count } = await database.secretFingerprint.deleteMany({ where: { name } });
    requireFound(count === 1 || undefined, `No fingerprint of ${name} is stored.`);
    return {
      data: { name },
      text: `The next start of the service accepts any value of ${name}, and stores its fingerprint.`,
    };
  },
});

export const SECRET_COMMANDS: readonly Command[] = [forget];
