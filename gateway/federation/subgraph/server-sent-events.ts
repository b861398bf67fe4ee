import { InvariantError } from '../../../src/errors/invariant-error';

/** An event of GraphQL over server-sent events: `next` carries a result, `complete` ends the stream. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

export const formatEvent = ({ event, data }: ServerSentEvent): string => `event: ${event}\ndata: ${data}\n\n`;

/** @throws InvariantError when an event is too long. */
export async function* parseEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of chunks) {
    pending += decoder.decode(chunk, { stream: true });
    const blocks = pending.split(/\r?\n\r?\n/);
    pending = blocks.pop() ?? '';
    if (pending.length > MAX_EVENT_LENGTH) throw new InvariantError('an event of a subscription is too long');
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== undefined) yield event;
    }
  }
}

/** `undefined` for comments, which keep the connection alive. */
function parseBlock(block: string): ServerSentEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^(event|data):? ?(.*)$/.exec(line) ?? [];
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  return event === 'message' && data.length === 0 ? undefined : { event, data: data.join('\n') };
}
