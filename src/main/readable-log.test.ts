import { pino } from 'pino';
import { readableLog } from './readable-log';

const lines: string[] = [];
const log = pino({ base: { service: 'afluente' } }, readableLog({ write: (text) => lines.push(text) }));
beforeEach(() => lines.splice(0));

const TIME = '\\d{2}:\\d{2}:\\d{2}\\.\\d{3}';

test('a record is one line with time, level, message and fields', () => {
  log.info({ role: 'all', url: 'http://127.0.0.1:4000', drainMs: 5000, chains: ['base'] }, 'ready');
  log.warn('no fields');
  expect(lines).toHaveLength(2);
  const fields = 'role=all url=http://127\\.0\\.0\\.1:4000 drainMs=5000 chains=\\["base"\\]';
  expect(lines[0]).toMatch(new RegExp(`^${TIME} INFO  ready ${fields}\n$`));
  expect(lines[1]).toMatch(new RegExp(`^${TIME} WARN  no fields\n$`));
});

test('a text with spaces is quoted, and line breaks cannot start another record', () => {
  log.error({ reason: 'two words', name: 'a\nb' }, 'failed');
  expect(lines[0]).toMatch(/ERROR failed reason="two words" name="a\\nb"\n$/);
});

test('a text that could command the terminal is escaped in values, messages and errors', () => {
  const error = new TypeError('broken \x1b[31m\r\u202e');
  log.error({ reason: '\x1b[31m', name: 'a\u202eb', err: error }, 'red \x1b[31m\nINFO ready');
  const [first, second, ...stack] = lines[0]!.trimEnd().split('\n');
  expect(first).toMatch(/ERROR red \\u001b\[31m\\nINFO ready reason="\\u001b\[31m" name="a\\u\{202e\}b"$/);
  expect(second).toBe('  TypeError: broken \\u001b[31m\\r\\u{202e}');
  expect(stack.every((line) => line.startsWith('      at '))).toBe(true);
  expect(lines[0]).not.toMatch(/[^\n\x20-\x7e]/);
});

test.each([
  ['no JSON', 'plain \x1b[31mtext', 'plain \\u001b[31mtext'],
  ['no record', '[1]\n', '[1]'],
  ['a record without a valid time', '{"level":30,"time":1e300}\n', '{"level":30,"time":1e300}'],
])('a text that is %s is written as it is, with its hidden characters escaped', (_, text, written) => {
  readableLog({ write: (line) => lines.push(line) }).write(text);
  expect(lines).toEqual([`${written}\n`]);
});

test('an error is followed by its stack', () => {
  log.error({ err: new TypeError('broken'), provider: 'across' }, 'a provider threw');
  const [first, second, third] = lines[0]!.split('\n');
  expect(first).toMatch(/ERROR a provider threw provider=across$/);
  expect([second, third]).toEqual(['  TypeError: broken', expect.stringMatching(/^ {6}at /)]);
});
