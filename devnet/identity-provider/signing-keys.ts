import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { z } from 'zod';

const ALGORITHM = 'ES256';

const keySchema = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
  kid: z.string(),
});
/** A private ES256 key as JWK. */
type SigningKey = z.infer<typeof keySchema>;

const keysSchema = z.tuple([keySchema], keySchema);
type Keys = z.infer<typeof keysSchema>;

/** Keys of the identity provider: the first signs, the others still verify. */
export interface SigningKeys {
  /** The public halves, as the JWKS document shows them. */
  published(): readonly JWK[];
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** Signs with a new key from now on; tokens of the one before stay valid, those of older keys do not. */
  rotate(): Promise<void>;
}

/** The keys kept in `file`, made when there are none; without a file they end with the process. */
export async function openSigningKeys(file: string | undefined): Promise<SigningKeys> {
  const keep = (kept: Keys): Keys => {
    if (file !== undefined) writeKeys(file, kept);
    return kept;
  };
  let keys = readKeys(file) ?? keep([await generateKey()]);
  return {
    published: () => keys.map(({ kty, crv, x, y, kid }) => ({ kty, crv, x, y, kid, use: 'sig', alg: ALGORITHM })),
    async sign(claims) {
      const [key] = keys;
      const header = { alg: ALGORITHM, kid: key.kid, typ: 'JWT' };
      return new SignJWT({ ...claims }).setProtectedHeader(header).sign(await importJWK(key, ALGORITHM));
    },
    async rotate() {
      keys = keep([await generateKey(), keys[0]]);
    },
  };
}

async function generateKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return keySchema.parse({ ...(await exportJWK(privateKey)), kid: randomUUID() });
}

function readKeys(file: string | undefined): Keys | undefined {
  if (file === undefined) return undefined;
  try {
    return keysSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined; // the first start, or a file that is not ours to understand: new keys
  }
}

function writeKeys(file: string, keys: Keys): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${String(process.pid)}`;
  writeFileSync(temporary, JSON.stringify(keys), { mode: 0o600 });
  renameSync(temporary, file);
}
