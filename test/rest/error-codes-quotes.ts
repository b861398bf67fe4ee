import type { CATALOG_TABLES } from '../../src/errors/catalog';
import { newWallet } from './error-codes-wallet';
import {
  prepareStaleSwaps,
  bytecode,
  type ErrorCase,
  newTransfer,
  ABSENT_ID,
  quote,
  quoteId,
  swapOn,
  tokenOf,
  transfer,
  transferBetween,
} from './error-codes-cases';

type Code = keyof (typeof CATALOG_TABLES)['quotesAndSwaps'];

/** Cases for the table "quote and swap". */
export const QUOTE_CASES: Readonly<Record<Code, ErrorCase>> = {
  QUOTE_NOT_FOUND: ({ healthy }) => bytecode(healthy, { quoteId: ABSENT_ID }),

  async QUOTE_EXPIRED({ healthy, service, database }) {
    const id = await quoteId(healthy, swapOn(service));
    await database.query(`UPDATE "Quote" SET deadline = now() - interval '1 second' WHERE id = $1`, [id]);
    return bytecode(healthy, { quoteId: id });
  },

  async QUOTE_VALIDATION_ERROR({ healthy, service }) {
    const id = await quoteId(healthy, swapOn(service));
    return bytecode(healthy, { quoteId: id, rawQuote: 'not the raw quote of the service' });
  },

  // Every provider on the chain fails.
  QUOTE_GENERATION_FAILED: ({ degraded, service }) => quote(degraded, swapOn(service, 'devnet-l2')),

  NO_ROUTE_FOUND: ({ healthy, service }) =>
    quote(healthy, { ...swapOn(service), tokenOut: tokenOf(service, 'devnet', 'ISLE') }),

  PROVIDER_UNAVAILABLE: (world) =>
    transfer(world.degraded, world, { originAddress: world.service.accounts[1]!.address }),

  async PROVIDER_NOT_FOUND({ healthy, degraded, service }) {
    const id = await quoteId(healthy, { ...transferBetween(service), preferredProvider: 'across' });
    return bytecode(degraded, { quoteId: id });
  },

  INVALID_PREFERRED_PROVIDER: ({ healthy, service }) =>
    quote(healthy, { ...swapOn(service), preferredProvider: 'unknown' }),

  PREFERRED_PROVIDER_NOT_ELIGIBLE: ({ healthy, service }) =>
    quote(healthy, { ...swapOn(service), preferredProvider: 'across' }),

  PREFERRED_PROVIDER_QUOTE_UNAVAILABLE: ({ degraded, service }) =>
    quote(degraded, { ...swapOn(service, 'devnet-l2'), preferredProvider: 'uniswapV3' }),

  ROUTER_EXACT_OUT_UNSUPPORTED: ({ healthy, service }) =>
    quote(healthy, {
      originChain: 'devnet',
      destinationChain: 'fiat',
      tokenOut: 'BRL',
      amountOut: '10000',
      tokenIn: tokenOf(service, 'devnet', 'USDC'),
    }),

  async INVALID_ACTION_TYPE(world) {
    const { id } = await newTransfer(world, await newWallet(world.service, 'devnet-l2'));
    return world.healthy(`/v2/swap/status/${id}`);
  },

  // The calls cannot be simulated, because the node of the chain fails.
  async BYTECODE_GENERATION_FAILED({ healthy, degraded, service }) {
    return bytecode(degraded, { quoteId: await quoteId(healthy, swapOn(service, 'devnet-l2')) });
  },

  async SWAP_EXECUTION_FAILED(world) {
    const { stale } = await prepareStaleSwaps(world);
    return bytecode(world.healthy, stale);
  },
};
