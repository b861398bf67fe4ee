import { createLogger } from './logger';

const lines: string[] = [];
const terminal = { isTTY: true, write: (line: string) => lines.push(line) } as unknown as NodeJS.WriteStream;
const log = createLogger('info', { out: terminal });
beforeEach(() => lines.splice(0));

test.each(['apiKey', 'authorization', 'x-api-key', 'password', 'secret', 'token'])(
  'the readable log of a terminal has no %s at the first levels of an object, as the JSON log',
  (name) => {
    log.info({ [name]: 'hunter2', request: { [name]: 'hunter2', headers: { [name]: 'hunter2' } } }, 'requested');
    expect(lines).toHaveLength(1);
    const nested = `{"${name}":"[redacted]","headers":{"${name}":"[redacted]"}}`;
    expect(lines[0]).toMatch(/^\d{2}:\d{2}:\d{2}\.\d{3} INFO {2}requested /);
    expect(lines[0]).toContain(` ${name}=[redacted] request=${nested}\n`);
  },
);

test('a terminal shows the records of the level and above', () => {
  log.debug('below');
  log.warn('above');
  expect(lines).toEqual([expect.stringMatching(/ WARN {2}above\n$/)]);
});
