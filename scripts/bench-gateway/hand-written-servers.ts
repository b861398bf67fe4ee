import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { admit, admitAnonymous } from '../../gateway/edge/admission';
import { createRequestDeadline } from '../../gateway/edge/request-deadline';
import { parseEvmAddress } from '../../src/chains/addresses';
import { serviceError } from '../../src/errors/service-error';
import { runForCaller } from '../../src/persistence/customer-scope';
import { pingByHand, walletByHand } from './by-hand';
import { createEdge, createEdgeDependencies } from './edge';

interface WalletParams {
  readonly address: string;
}

interface GraphqlBody {
  readonly operationName: string;
  readonly variables?: WalletParams;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_STORE = { 'cache-control': 'no-store' };

/** Fastify with two handlers and nothing else: no credential, no limit, no log, no further headers. */
export function createBareServer(): Promise<FastifyInstance> {
  const app = fastify();
  app.get('/ping', pingByHand);
  app.get<{ Params: WalletParams }>('/wallets/:address', ({ params }) => walletAt(params.address));
  app.post<{ Body: GraphqlBody }>('/graphql', ({ body }, reply) => reply.type(JSON_TYPE).send(graphqlText(body)));
  return Promise.resolve(app);
}

/**
 * The same handlers on the gateway's edge: with the credential, deadline and turn of each route there, and with the scope of the
 * customer. For GraphQL they are asynchronous, as Apollo Server is.
 */
export async function createEdgeServer(): Promise<FastifyInstance> {
  const deps = createEdgeDependencies();
  const app = await createEdge(deps);
  const withinTime = createRequestDeadline(deps.config.REQUEST_TIMEOUT_MS);
  const onRequest = (request: FastifyRequest): Promise<void> => admit(deps, request, 'apiKey');
  const respond = (request: FastifyRequest, reply: FastifyReply, handle: () => unknown): unknown => {
    reply.headers(NO_STORE);
    return withinTime(reply, (lifetime) =>
      deps.heavyWork.run({ request, rootFields: [], lifetime }, () =>
        runForCaller(request.scope.principal?.customerId, handle),
      ),
    );
  };
  app.get('/ping', { onRequest }, (request, reply) => respond(request, reply, pingByHand));
  app.get<{ Params: WalletParams }>('/wallets/:address', { onRequest }, (request, reply) =>
    respond(request, reply, () => walletAt(request.params.address)),
  );
  app.post<{ Body: GraphqlBody }>(
    '/graphql',
    { onRequest: (request) => admitAnonymous(deps, request) },
    (request, reply) => respond(request, reply.type(JSON_TYPE), () => Promise.resolve(graphqlText(request.body))),
  );
  return app;
}

function walletAt(given: string): ReturnType<typeof walletByHand> {
  const address = parseEvmAddress(given);
  if (address === undefined) throw serviceError('VALIDATION_ERROR', { reason: 'address must be an EVM address' });
  return walletByHand(address);
}

/** The GraphQL server ends its responses with a line break. */
function graphqlText({ operationName, variables }: GraphqlBody): string {
  const data = operationName === 'Ping' ? { ping: pingByHand() } : { wallet: walletAt(variables?.address ?? '') };
  return `${JSON.stringify({ data })}\n`;
}
