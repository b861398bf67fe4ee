/** One event of GraphQL over server-sent events: a result, or the end. */
export interface StreamEvent {
  readonly event: string;
  readonly data: any;
}

export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** `undefined` once the connection has ended. */
  next(): Promise<StreamEvent | undefined>;
  /** Everything that still comes. */
  rest(): Promise<readonly StreamEvent[]>;
  /** The text of a response that is not a stream. */
  text(): Promise<string>;
  /** Hangs up. */
  close(): void;
}

export interface StreamedOperation {
  readonly url: string;
  readonly query: string;
  readonly variables?: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends an operation and reads what is streamed, with nothing of the service's own code. */
export async function openEventStream({ url, query, variables, headers }: StreamedOperation): Promise<EventStream> {
  const controller = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ query, variables }),
    signal: controller.signal,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
  });
  const events = eventsOf(response);
  const next = async (): Promise<StreamEvent | undefined> => {
    const result = await events.next();
    return result.done === true ? undefined : result.value;
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    text: () => response.text(),
    async rest() {
      const rest: StreamEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) rest.push(event);
      return rest;
    },
    close: () => controller.abort(),
  };
}

async function* eventsOf(response: Response): AsyncGenerator<StreamEvent, undefined> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    pending += decoder.decode(chunk, { stream: true });
    for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
      const lines = pending.slice(0, end).split('\n');
      pending = pending.slice(end + 2);
      const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1);
      const [event, data] = [fieldOf('event')?.trim(), fieldOf('data')?.trim()];
      if (event !== undefined) yield { event, data: data === undefined || data === '' ? undefined : JSON.parse(data) };
    }
  }
  return undefined;
}
