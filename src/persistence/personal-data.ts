import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { InvariantError } from '../errors/invariant-error';

/** Encrypts values before they are stored. */
export interface Sealer {
  /**
   * Encrypts the JSON of a value with AES-256-GCM under the newest key. `context` names the row (`KycProfile:<id>`): sealed
   * data cannot be opened in another row.
   */
  seal(value: object, context: string): Uint8Array<ArrayBuffer>;
  /** @throws InvariantError when the data was modified or moved, or its key is no longer configured */
  open(sealed: Uint8Array, context: string): unknown;
}

/** Encrypts personal data before it is stored, and computes indexes for lookups by encrypted data. */
export interface PersonalDataVault extends Sealer {
  /** HMAC of a text, for the lookup of a row: `blindIndex('taxId', '12345678909')`. */
  blindIndex(kind: string, text: string): Uint8Array<ArrayBuffer>;
}

/** Keys of 32 bytes, the newest first. The newest one seals; all of them open. */
export type SealingKeys = readonly { readonly version: number; readonly key: Buffer }[];

export interface PersonalDataKeys {
  readonly keys: SealingKeys;
  readonly indexKey: Buffer;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Layout: version of the key (4 bytes), nonce, tag, ciphertext. */
const HEADER_BYTES = 4 + NONCE_BYTES + TAG_BYTES;

export const createPersonalDataVault = ({ keys, indexKey }: PersonalDataKeys): PersonalDataVault => ({
  ...createSealer(keys),
  blindIndex: (kind, text) => new Uint8Array(createHmac('sha256', indexKey).update(`${kind}\0${text}`).digest()),
});

export function createSealer(keys: SealingKeys): Sealer {
  const [newest] = keys;
  if (newest === undefined) throw new InvariantError('no key for personal data is configured');
  const byVersion = new Map(keys.map(({ version, key }) => [version, key]));
  return {
    seal(value, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, newest.key, nonce).setAAD(Buffer.from(context));
      const encrypted = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      const version = Buffer.alloc(4);
      version.writeUInt32BE(newest.version);
      return new Uint8Array(Buffer.concat([version, nonce, cipher.getAuthTag(), encrypted]));
    },
    open(sealed, context) {
      const data = Buffer.from(sealed);
      const key = data.length > HEADER_BYTES ? byVersion.get(data.readUInt32BE(0)) : undefined;
      if (key === undefined) throw new InvariantError('sealed data cannot be opened: its key is not configured');
      const nonce = data.subarray(4, 4 + NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, nonce)
        .setAAD(Buffer.from(context))
        .setAuthTag(data.subarray(4 + NONCE_BYTES, HEADER_BYTES));
      try {
        const text = Buffer.concat([decipher.update(data.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
        return JSON.parse(text) as unknown;
      } catch {
        throw new InvariantError('sealed data cannot be opened: it was modified or belongs to another row');
      }
    },
  };
}
