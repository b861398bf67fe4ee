import { randomUUID } from 'node:crypto';
import type { Random } from '../../../test/federation/fuzz/random';

/** Values per name that keep requests close to valid ones. */
const MAX_KEPT = 200;
const MAX_DEPTH = 6;

const HOSTILE: readonly unknown[] = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '‮evil',
  "' OR 1=1 --",
  '${jndi:ldap://x}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%00',
  '%ZZ',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '0',
  '-0',
  '00',
  '1e308',
  '0x',
  '0x0',
  '0.0000000000000000001',
  '1,5',
  '٣',
  '9'.repeat(78),
  '115792089237316195423570985008687907853269984665640564039457584007913129639936',
  '0x' + 'f'.repeat(40),
  '0x' + '0'.repeat(40),
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  'a'.repeat(5000),
  '😀'.repeat(300),
  'http://127.0.0.1/',
  'https://[::1]/',
  'https://example.org/hooks',
  'file:///etc/passwd',
  '2026-02-30T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
  '__proto__',
  'constructor',
  'toString',
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER,
  [],
  {},
  [[[]]],
  ['a', 1, null],
];

/** Values of parameters and fields: those that responses had under the same name, examples, and hostile ones. */
export class Values {
  private readonly kept = new Map<string, unknown[]>();

  constructor(
    private readonly random: Random,
    known: Readonly<Record<string, readonly unknown[]>>,
  ) {
    for (const [name, values] of Object.entries(known)) this.kept.set(name, [...values]);
  }

  /** Keeps the texts and numbers of a response under their names. */
  keep(body: unknown, name = '', depth = 0): void {
    if (depth > MAX_DEPTH || body === null) return;
    if (Array.isArray(body)) for (const item of body.slice(0, 5)) this.keep(item, name, depth + 1);
    else if (typeof body === 'object')
      for (const [key, value] of Object.entries(body)) this.keep(value, key.toLowerCase(), depth + 1);
    else if (name !== '') this.add(name, body);
  }

  /** A value for a parameter or field. `examples`: values that its description suggests. */
  next(name: string, examples: readonly unknown[] = []): unknown {
    const value = this.random.chance(0.75) ? this.plausible(name, examples) : this.random.pick(HOSTILE);
    return this.random.chance(0.1) ? this.mutate(value) : value;
  }

  private plausible(name: string, examples: readonly unknown[]): unknown {
    const candidates = [...examples, ...this.like(name)];
    return candidates.length === 0 ? this.random.pick([randomUUID(), '1', 'base', 1]) : this.random.pick(candidates);
  }

  /** Values of the same name, or of one that ends alike: `originAddress` and `address`. */
  private like(name: string): readonly unknown[] {
    const key = name.toLowerCase();
    const own = this.kept.get(key);
    if (own !== undefined && this.random.chance(0.7)) return own;
    const alike = [...this.kept].filter(([other]) => key.endsWith(other) || other.endsWith(key));
    return alike.length === 0 ? (own ?? []) : this.random.pick(alike)[1];
  }

  /** A text with one character more, less or other than that of the value. */
  private mutate(value: unknown): unknown {
    const text = String(value);
    const at = this.random.below(text.length + 1);
    const added = this.random.pick(['', '0', 'Z', ' ', '-', '\n', 'é', text]);
    return text.slice(0, at) + added + text.slice(at + this.random.below(2));
  }

  private add(name: string, value: unknown): void {
    const values = this.kept.get(name) ?? [];
    if (values.includes(value)) return;
    if (values.length < MAX_KEPT) values.push(value);
    else values[this.random.below(MAX_KEPT)] = value;
    this.kept.set(name, values);
  }
}
