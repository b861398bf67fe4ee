import { z } from 'zod';
import type { NewApiKey } from '../customers/api-key-summary';
import { createApiKey } from '../customers/create-api-key';
import { findApiKey } from '../customers/find-api-key';
import { listApiKeys } from '../customers/list-api-keys';
import { revokeApiKey } from '../customers/revoke-api-key';
import { rotateApiKey } from '../customers/rotate-api-key';
import { type Command, defineCommand, type Report } from './command';
import { customerNamed, existing } from './look-up';
import { duration, expiry, keyId, text } from './option-values';
import { renderTable } from './render-table';

const ONE_DAY = 86_400;
const EXPIRES_IN = 'how long the new key is valid, e.g. 90d; default: for ever';

const create = defineCommand({
  name: 'key create',
  summary: 'Makes an API key and shows it, this once.',
  positionals: ['customer'],
  options: { label: 'what the key is for; default "default"', 'expires-in': EXPIRES_IN },
  input: z.object({ customer: text, label: text.default('default'), 'expires-in': expiry.optional() }),
  async run({ db, pepper }, { customer, label, 'expires-in': expiresAt }) {
    const { id: customerId } = await customerNamed(db, customer);
    const key = await createApiKey({ db, pepper }, { customerId, label, expiresAt });
    return reportOfNew(existing(key, 'The customer does not exist any more.'));
  },
});

const list = defineCommand({
  name: 'key list',
  summary: 'Lists the API keys of a customer, the newest first.',
  positionals: ['customer'],
  options: {},
  input: z.object({ customer: text }),
  async run({ db }, { customer }) {
    const keys = await listApiKeys(db, (await customerNamed(db, customer)).id);
    const rows = keys.map(({ id, label, createdAt, lastUsedAt, expiresAt, revokedAt }) => [
      ...[id, label, createdAt.toISOString()],
      ...[lastUsedAt, expiresAt, revokedAt].map((date) => date?.toISOString() ?? '-'),
    ]);
    return { data: keys, text: renderTable([['id', 'label', 'created', 'last used', 'expires', 'revoked'], ...rows]) };
  },
});

const rotate = defineCommand({
  name: 'key rotate',
  summary: 'Replaces an API key; the old one stays valid for an overlap.',
  positionals: ['key'],
  options: {
    overlap: 'how long the old key stays valid, e.g. 24h; at most 30d, 0s ends it at once; default 24h',
    'expires-in': EXPIRES_IN,
  },
  input: z.object({ key: keyId, overlap: duration.optional(), 'expires-in': expiry.optional() }),
  async run({ db, pepper }, { key, overlap: overlapSeconds = ONE_DAY, 'expires-in': expiresAt }) {
    const { customerId } = existing(await findApiKey(db, key), `The key ${key} does not exist.`);
    const rotated = await rotateApiKey({ db, pepper }, { customerId, keyId: key, overlapSeconds, expiresAt });
    return reportOfNew(existing(rotated, `The key ${key} is no longer in force.`));
  },
});

const revoke = defineCommand({
  name: 'key revoke',
  summary: 'Ends an API key, within 5 seconds.',
  positionals: ['key'],
  options: {},
  input: z.object({ key: keyId }),
  async run({ db }, { key }) {
    const { customerId } = existing(await findApiKey(db, key), `The key ${key} does not exist.`);
    const revoked = existing(await revokeApiKey(db, { customerId, keyId: key }), `The key ${key} does not exist.`);
    return { data: revoked, text: `The key ${key} was revoked at ${revoked.revokedAt?.toISOString() ?? '-'}.` };
  },
});

export const KEY_COMMANDS: readonly Command[] = [create, list, rotate, revoke];

const reportOfNew = (key: NewApiKey): Report => ({
  data: key,
  text: `${key.key}\n\nNobody can show this key again. Valid ${validity(key)}, for customer ${key.customerId}.`,
});

const validity = ({ expiresAt }: NewApiKey): string =>
  expiresAt === null ? 'until it is revoked' : `until ${expiresAt.toISOString()}`;
