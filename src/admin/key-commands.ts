import { z } from 'zod';
import {
  createApiKey,
  findApiKey,
  listApiKeys,
  type NewApiKey,
  revokeApiKey,
  rotateApiKey,
} from '../customers/api-keys';
import { type Command, defineCommand, type CommandOutput } from './command';
import { findCustomer, requireFound } from './find-customer';
import { duration, expiry, keyId, requiredText } from './option-values';
import { renderTable } from './render-table';

const ONE_DAY = 86_400;
const EXPIRES_IN = 'validity of the new key, such as 90d; default: no expiry';

const create = defineCommand({
  name: 'key create',
  summary: 'Creates an API key and shows it once.',
  positionals: ['customer'],
  options: { label: 'purpose of the key; default "default"', 'expires-in': EXPIRES_IN },
  input: z.object({ customer: requiredText, label: requiredText.default('default'), 'expires-in': expiry.optional() }),
  async run({ database, pepper }, { customer, label, 'expires-in': expiresAt }) {
    const { id: customerId } = await findCustomer(database, customer);
    const key = await createApiKey({ database, pepper }, { customerId, label, expiresAt });
    return reportOfNew(requireFound(key, 'The customer no longer exists.'));
  },
});

const list = defineCommand({
  name: 'key list',
  summary: 'Lists the API keys of a customer, newest first.',
  positionals: ['customer'],
  options: {},
  input: z.object({ customer: requiredText }),
  async run({ database }, { customer }) {
    const keys = await listApiKeys(database, (await findCustomer(database, customer)).id);
    const rows = keys.map(({ id, label, createdAt, lastUsedAt, expiresAt, revokedAt }) => [
      ...[id, label, createdAt.toISOString()],
      ...[lastUsedAt, expiresAt, revokedAt].map((date) => date?.toISOString() ?? '-'),
    ]);
    return { data: keys, text: renderTable([['id', 'label', 'created', 'last used', 'expires', 'revoked'], ...rows]) };
  },
});

const rotate = defineCommand({
  name: 'key rotate',
  summary: 'Replaces an API key. The old key stays valid for an overlap.',
  positionals: ['key'],
  options: {
    overlap: 'overlap in which the old key stays valid, such as 24h; at most 30d; 0s ends it at once; default 24h',
    'expires-in': EXPIRES_IN,
  },
  input: z.object({ key: keyId, overlap: duration.optional(), 'expires-in': expiry.optional() }),
  async run({ database, pepper }, { key, overlap: overlapSeconds = ONE_DAY, 'expires-in': expiresAt }) {
    const { customerId } = requireFound(await findApiKey(database, key), `The key ${key} does not exist.`);
    const rotated = await rotateApiKey({ database, pepper }, { customerId, keyId: key, overlapSeconds, expiresAt });
    return reportOfNew(requireFound(rotated, `The key ${key} is revoked or expired. Create a new key.`));
  },
});

const revoke = defineCommand({
  name: 'key revoke',
  summary: 'Revokes an API key, within 5 seconds.',
  positionals: ['key'],
  options: {},
  input: z.object({ key: keyId }),
  async run({ database }, { key }) {
    const { customerId } = requireFound(await findApiKey(database, key), `The key ${key} does not exist.`);
    const revoked = requireFound(
      await revokeApiKey(database, { customerId, keyId: key }),
      `The key ${key} does not exist.`,
    );
    return { data: revoked, text: `The key ${key} was revoked at ${revoked.revokedAt?.toISOString() ?? '-'}.` };
  },
});

export const KEY_COMMANDS: readonly Command[] = [create, list, rotate, revoke];

const reportOfNew = (key: NewApiKey): CommandOutput => ({
  data: key,
  text: `${key.key}\n\nStore this key now: it cannot be shown again. Valid ${validity(key)}, for customer ${key.customerId}.`,
});

const validity = ({ expiresAt }: NewApiKey): string =>
  expiresAt === null ? 'until it is revoked' : `until ${expiresAt.toISOString()}`;
