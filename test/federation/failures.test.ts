import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import type { FederatedGraph } from '../../gateway/federation/federated-graph';
import { parseResponseText } from '../../gateway/federation/subgraph/http-exchange';
import { serveSubgraph } from '../../gateway/federation/subgraph/serve-subgraph';
import { httpTransport } from '../../gateway/federation/subgraph/subgraph-transport';
import { serviceError } from '../../src/errors/service-error';
import {
  briefly,
  contextWith,
  FOREVER_MS,
  run,
  smallGraph,
  type SmallGraphOptions,
  type SmallSubgraph,
  subgraphSchema,
} from './small-graph';

const SECRET = 'a'.repeat(64);
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const build = async (
  subgraphs: Record<string, SmallSubgraph>,
  options?: SmallGraphOptions,
): Promise<FederatedGraph> => {
  const graph = await smallGraph(subgraphs, options);
  closers.push(() => graph.close());
  return graph;
};

const users: SmallSubgraph = {
  sdl: 'type Query { user: User users: [User!] } type User @key(fields: "id") { id: ID! }',
  resolvers: { Query: { user: () => ({ id: '1' }), users: () => [{ id: '1' }, { id: '2' }] } },
};
const posts: SmallSubgraph = {
  sdl: 'type Query { newest: String } type User @key(fields: "id") { id: ID! post: String }',
  resolvers: { Query: { newest: () => 'hi' }, User: { __resolveReference: (user: object) => user, post: () => 'hi' } },
};

/** A graph whose subgraph `posts` is an HTTP server with the given behaviour. */
async function graphOver(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  timeoutMs = FOREVER_MS,
): Promise<FederatedGraph> {
  const server: Server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  return build({ users, posts: { ...posts, transport: httpTransport(url, { timeoutMs, internalSecret: SECRET }) } });
}

const send = (status: number, body: string) => (_request: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(body);

const cutOff = (_request: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200, { 'content-length': '100' }).write('{');
  setTimeout(() => response.destroy(), 5);
};

describe('a subgraph over HTTP that fails', () => {
  it.each([
    ['is not JSON', send(200, '<html>')],
    ['is no GraphQL response', send(200, '{"hello":1}')],
    ['is a list', send(200, '[]')],
    ['has a list for data', send(200, '{"data":[]}')],
    ['is cut off', cutOff],
    ['never comes', (request: IncomingMessage) => void request.socket.destroy()],
  ])('does not affect other data when its response %s', async (_name, respond) => {
    const result = await run(await graphOver(respond), '{ users { id post } }');
    expect(result.data).toEqual({
      users: [
        { id: '1', post: null },
        { id: '2', post: null },
      ],
    });
    expect(briefly(result)).toEqual(['SUBREQUEST_FAILED at users']);
    expect(result.errors?.[0]?.message).toBe('A part of the service is unreachable. Retry the request');
  });

  it('has an error without the unparsable text, because errors are logged', () => {
    expect(() => parseResponseText('Zulmira Quixada, 123')).toThrow(/^the response of a subgraph is not JSON$/);
  });

  it('returns its GraphQL errors when its status is an error', async () => {
    const body = {
      errors: [
        {
          message: 'No more',
          extensions: { code: 'RATE_LIMIT_EXCEEDED', stacktrace: ['secret'], details: { limit: 1 } },
        },
      ],
    };
    const result = await run(await graphOver(send(500, JSON.stringify(body))), '{ user { post } }');
    expect(result.data).toEqual({ user: { post: null } });
    expect(result.errors).toEqual([
      { message: 'No more', path: ['user'], extensions: { code: 'RATE_LIMIT_EXCEEDED', details: { limit: 1 } } },
    ]);
  });

  it('has the default code when its error has none', async () => {
    const graph = await graphOver(
      send(200, '{"data":{"_entities":[{"post":null}]},"errors":[{"message":"x","path":["_entities",0,"post"]}]}'),
    );
    expect(briefly(await run(graph, '{ user { post } }'))).toEqual(['DOWNSTREAM_SERVICE_ERROR at user.post']);
  });

  it.each([
    ['with no response', () => undefined],
    [
      'with an incomplete response',
      (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(200).write('{"data":'),
    ],
  ])('times out %s', async (_name, respond) => {
    const graph = await graphOver(respond, 100);
    const result = await run(graph, '{ user { id post } }');
    expect(result.data).toEqual({ user: { id: '1', post: null } });
    expect(briefly(result)).toEqual(['SUBREQUEST_TIMEOUT at user']);
  });

  it('is disconnected when the request is aborted', async () => {
    const controller = new AbortController();
    const disconnected = new Promise<void>((resolve) => {
      void graphOver((request) => {
        request.socket.once('close', () => resolve());
        controller.abort();
      }).then((graph) => run(graph, '{ user { post } }', { context: contextWith({ signal: controller.signal }) }));
    });
    await disconnected;
    expect(controller.signal.aborted).toBe(true);
  });
});

describe('a subgraph in this process that fails', () => {
  /** Receives requests, and never responds. */
  const silent = (onRequest: () => void): SmallSubgraph => ({
    ...posts,
    resolvers: {
      User: {
        __resolveReference: () => {
          onRequest();
          return new Promise(() => undefined);
        },
        post: () => 'late',
      },
    },
  });

  it('has one error when a non-null field fails, although its subgraph leaves out the fields beside it', async () => {
    const fields = {
      sdl: 'type Query { first: Int! second: Int! } type User @key(fields: "id") { id: ID! low: Int! high: Int! }',
      resolvers: {
        Query: { first: () => 1, second: () => Promise.reject(serviceError('QUOTE_NOT_FOUND', { quoteId: 'x' })) },
        User: {
          __resolveReference: (user: object) => user,
          low: () => 1,
          high: () => Promise.reject(serviceError('QUOTE_NOT_FOUND', { quoteId: 'x' })),
        },
      },
    };
    const graph = await build({ users, fields });
    const roots = await run(graph, '{ first second }');
    expect([roots.data, briefly(roots)]).toEqual([null, ['QUOTE_NOT_FOUND at second']]);
    const entity = await run(graph, '{ user { low high } }');
    expect([entity.data, briefly(entity)]).toEqual([{ user: null }, ['QUOTE_NOT_FOUND at user.high']]);
  });

  it('times out', async () => {
    const graph = await build({ users, posts: silent(() => undefined) }, { timeoutMs: 30 });
    const result = await run(graph, '{ user { id post } }');
    expect(result.data).toEqual({ user: { id: '1', post: null } });
    expect(briefly(result)).toEqual(['SUBREQUEST_TIMEOUT at user']);
  });

  it('is abandoned when the request is aborted, and receives no further requests', async () => {
    const controller = new AbortController();
    const onRequest = jest.fn(() => void setImmediate(() => controller.abort()));
    const graph = await build({ users, posts: silent(onRequest) });
    const context = contextWith({ signal: controller.signal });
    expect(briefly(await run(graph, '{ user { post } }', { context }))).toEqual(['SUBREQUEST_TIMEOUT at user']);
    expect(await run(graph, '{ user { post } }', { context })).toMatchObject({
      data: { user: null },
      errors: [{ path: ['user'] }],
    });
    expect(onRequest).toHaveBeenCalledTimes(1);
  });

  const failing = (error: Error): SmallSubgraph => {
    const fail = (): never => {
      throw error;
    };
    return {
      ...posts,
      resolvers: { Query: { newest: fail }, User: { __resolveReference: (user: object) => user, post: fail } },
    };
  };

  it('is masked, and its error is logged once with its stack', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    const error = new Error('password is hunter2');
    const result = await run(await build({ users, posts: failing(error) }, { log }), '{ users { post } newest }');
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(result.errors?.map(({ message, extensions }) => [message, extensions])).toEqual(
      Array.from({ length: 3 }, () => ['An unexpected error occurred', { code: 'INTERNAL_SERVER_ERROR' }]),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('password is hunter2');
    expect(lines[0]).toContain('failures.test.ts');
  });

  it('returns the code, the details and the status of a service error', async () => {
    const error = serviceError(
      'QUOTE_EXPIRED',
      {},
      { details: { quoteId: 'q1' }, status: 410, cause: new Error('secret') },
    );
    const result = await run(await build({ users, posts: failing(error) }), '{ newest }');
    expect(result.errors).toEqual([
      {
        message: 'The quote has expired, or its price is no longer available. Request a new quote',
        path: ['newest'],
        extensions: { code: 'QUOTE_EXPIRED', details: { quoteId: 'q1' }, status: 410 },
      },
    ]);
  });

  it('keeps the list of errors short when one entity fails at many positions', async () => {
    const many: SmallSubgraph = {
      ...users,
      resolvers: { Query: { users: () => Array.from({ length: 5000 }, () => ({ id: '1' })) } },
    };
    const result = await run(
      await build({ users: many, posts: failing(serviceError('QUOTE_EXPIRED')) }),
      '{ users { post } }',
    );
    expect(result.errors).toHaveLength(100);
  });
});

describe('a subgraph of the service in another process', () => {
  it('returns codes and details, and masks other errors', async () => {
    const lines: string[] = [];
    const schema = subgraphSchema({
      sdl: 'type Query { known: String unknown: String }',
      resolvers: {
        Query: {
          known: () => {
            throw serviceError('QUOTE_EXPIRED', {}, { details: { quoteId: 'q' } });
          },
          unknown: () => {
            throw new Error('secret');
          },
        },
      },
    });
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    const server = await serveSubgraph({ schema, internalSecret: SECRET, host: '127.0.0.1', port: 0, log });
    closers.push(() => server.close());
    const transport = httpTransport(server.url, { timeoutMs: FOREVER_MS, internalSecret: SECRET });
    const graph = await build({ only: { sdl: 'type Query { known: String unknown: String }', transport } });
    const result = await run(graph, '{ known unknown }');
    expect(result.errors).toEqual([
      {
        message: 'The quote has expired, or its price is no longer available. Request a new quote',
        path: ['known'],
        extensions: { code: 'QUOTE_EXPIRED', details: { quoteId: 'q' } },
      },
      { message: 'An unexpected error occurred', path: ['unknown'], extensions: { code: 'INTERNAL_SERVER_ERROR' } },
    ]);
    expect(lines.join()).toContain('secret');
  });
});
