import type { CATALOG_TABLES } from '../../src/errors/catalog';
import { newWallet } from './error-codes-wallet';
import {
  afterThePriceMoved,
  bytecode,
  type ErrorCase,
  newTransfer,
  NOBODYS_ID,
  quote,
  quoteId,
  swapOn,
  tokenOf,
  transfer,
  transferBetween,
} from './error-codes-cases';

type Code = keyof (typeof CATALOG_TABLES)['quotesAndSwaps'];

/** The table "quote and swap". */
export const QUOTE_CASES: Readonly<Record<Code, ErrorCase>> = {
  QUOTE_NOT_FOUND: ({ healthy }) => bytecode(healthy, { quoteId: NOBODYS_ID }),

  async QUOTE_EXPIRED({ healthy, service, database }) {
    const id = await quoteId(healthy, swapOn(service));
    await database.query(`UPDATE "Quote" SET deadline = now() - interval '1 second' WHERE id = $1`, [id]);
    return bytecode(healthy, { quoteId: id });
  },

  async QUOTE_VALIDATION_ERROR({ healthy, service }) {
    const id = await quoteId(healthy, swapOn(service));
    return bytecode(healthy, { quoteId: id, rawQuote: 'not what the quote carried' });
  },

  // Everybody who trades on the chain was asked, and nobody could say anything.
  QUOTE_GENERATION_FAILED: ({ crippled, service }) => quote(crippled, swapOn(service, 'devnet-l2')),

  NO_ROUTE_FOUND: ({ healthy, service }) =>
    quote(healthy, { ...swapOn(service), tokenOut: tokenOf(service, 'devnet', 'ISLE') }),

  PROVIDER_UNAVAILABLE: (world) =>
    transfer(world.crippled, world, { originAddress: world.service.accounts[1]!.address }),

  async PROVIDER_NOT_FOUND({ healthy, crippled, service }) {
    const id = await quoteId(healthy, { ...transferBetween(service), preferredProvider: 'across' });
    return bytecode(crippled, { quoteId: id });
  },

  INVALID_PREFERRED_PROVIDER: ({ healthy, service }) =>
    quote(healthy, { ...swapOn(service), preferredProvider: 'nobody' }),

  PREFERRED_PROVIDER_NOT_ELIGIBLE: ({ healthy, service }) =>
    quote(healthy, { ...swapOn(service), preferredProvider: 'across' }),

  PREFERRED_PROVIDER_QUOTE_UNAVAILABLE: ({ crippled, service }) =>
    quote(crippled, { ...swapOn(service, 'devnet-l2'), preferredProvider: 'uniswapV3' }),

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

  // The chain cannot be asked any more what the calls would do.
  async BYTECODE_GENERATION_FAILED({ healthy, crippled, service }) {
    return bytecode(crippled, { quoteId: await quoteId(healthy, swapOn(service, 'devnet-l2')) });
  },

  async SWAP_EXECUTION_FAILED(world) {
    const { stale } = await afterThePriceMoved(world);
    return bytecode(world.healthy, stale);
  },
};
