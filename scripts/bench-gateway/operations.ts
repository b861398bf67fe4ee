import { POSITIONS, WALLET } from './memory';

/** A request that every server responds to with the same bytes. */
export interface MeasuredOperation {
  readonly title: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Requests in a round. */
  readonly requests: number;
  /** Maximum CPU time, as a multiple of the handwritten handler. */
  readonly bound?: number;
}

const PING_DOCUMENT = 'query Ping { ping { status } }';
const WALLET_DOCUMENT =
  'query Wallet($address: Address!) { wallet(address: $address) { address positions { id amount asset { id symbol name decimals priceUsd } } } }';

const PING_REQUESTS = 3000;
const WALLET_REQUESTS = 1500;
const graphql = { method: 'POST', path: '/graphql' } as const;

export const OPERATIONS: readonly MeasuredOperation[] = [
  { title: 'REST, ping', method: 'GET', path: '/ping', requests: PING_REQUESTS, bound: 1.3 },
  {
    title: `REST, ${POSITIONS} positions of two subgraphs`,
    method: 'GET',
    path: `/wallets/${WALLET}`,
    requests: WALLET_REQUESTS,
    bound: 2.3,
  },
  {
    title: 'GraphQL, ping',
    ...graphql,
    body: JSON.stringify({ operationName: 'Ping', query: PING_DOCUMENT }),
    requests: PING_REQUESTS,
  },
  {
    title: `GraphQL, ${POSITIONS} positions of two subgraphs`,
    ...graphql,
    body: JSON.stringify({ operationName: 'Wallet', query: WALLET_DOCUMENT, variables: { address: WALLET } }),
    requests: WALLET_REQUESTS,
  },
];
