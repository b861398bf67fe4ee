import { formatEvent, parseEvents } from './server-sent-events';

async function parsed(...chunks: (string | Buffer)[]): Promise<unknown[]> {
  const events: unknown[] = [];
  const source = (async function* () {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  })();
  for await (const event of parseEvents(source)) events.push(event);
  return events;
}

describe('events of a subscription', () => {
  it('arrive as they were sent, for any chunk size', async () => {
    const events = [
      { event: 'next', data: '{"a":"é\\n"}' },
      { event: 'complete', data: '' },
    ];
    const bytes = Buffer.from(events.map(formatEvent).join(''));
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const chunks: Buffer[] = [];
      for (let i = 0; i < bytes.length; i += size) chunks.push(bytes.subarray(i, i + size));
      expect(await parsed(...chunks)).toEqual(events);
    }
  });

  it('may have other line endings, several data lines, and comments between them', async () => {
    expect(await parsed(':\n\nevent: next\r\ndata: 1\r\ndata:2\r\nid: 7\r\n\r\n: ping\n\ndata: x\n\n')).toEqual([
      { event: 'next', data: '1\n2' },
      { event: 'message', data: 'x' },
    ]);
  });

  it('are refused when they are too long', async () => {
    await expect(parsed(...Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024)))).rejects.toThrow('too long');
  });
});
