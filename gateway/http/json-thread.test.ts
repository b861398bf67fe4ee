import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createJsonThread } from './json-thread';

const thread = createJsonThread();
afterEach(() => thread.close());

/** JSON that a thread parses for some milliseconds. */
const longText = (): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify('a'.repeat(8_000_000)));
const text = (json: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(json);
const needed = (): void => undefined;

it('parses one text after the other', async () => {
  const results = await Promise.all(['{"a":1}', '[', '2'].map((json) => thread.parse(text(json), needed)));
  expect(results).toEqual([{ value: { a: 1 } }, { problem: 'is not valid JSON at its end' }, { value: 2 }]);
});

it('skips a text whose result is not needed any more, and parses the next one', async () => {
  const first = thread.parse(longText(), needed);
  const second = thread.parse(text('1'), () => {
    throw new RangeError('the client has left');
  });
  await expect(second).rejects.toThrow('the client has left');
  await expect(thread.parse(text('2'), needed)).resolves.toEqual({ value: 2 });
  await first;
});

it('that ends has no result, and starts again with the next text', async () => {
  const unfinished = thread.parse(longText(), needed);
  const rejected = expect(unfinished).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await Promise.resolve();
  await thread.close();
  await rejected;
  await expect(thread.parse(text('[1]'), needed)).resolves.toEqual({ value: [1] });
});

it('keeps no result once it was returned', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heapUsed = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await thread.parse(text('1'), needed);
  const before = heapUsed();
  const length = (await thread.parse(longText(), needed).then(({ value }: any) => value.length)) as number;
  expect(length).toBe(8_000_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(heapUsed() - before).toBeLessThan(length / 2);
});
