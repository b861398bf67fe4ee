import { quoteRequest } from '../../../test/swaps/swap-world';
import type { HttpClient } from '../../http/http-client';
import type { Shipment } from '../delivery-source';
import { createAcrossProvider } from './across/across';
import { createCctpProvider } from './cctp/cctp';

const never = () => Promise.reject(new Error('nobody is asked'));
const http = { get: never, post: never, call: never, close: never } as unknown as HttpClient;
const rpc = { serves: () => true, ask: never, multicall: never };

/** Of a quote for chains that have neither protocol. */
const shipment: Shipment = {
  actionId: '',
  request: quoteRequest(),
  sender: '',
  recipient: '',
  memory: undefined,
  quote: {} as Shipment['quote'],
  originTxHash: `0x${'ab'.repeat(32)}`,
};

describe('a transfer over a protocol that the configuration has left out since', () => {
  it.each([
    ['across', createAcrossProvider({ http, rpc })],
    ['cctp', createCctpProvider({ http, rpc })],
  ])('is not given up: %s', async (_, { deliveries }) => {
    const followed = deliveries.follow(shipment, new AbortController().signal);
    await expect(followed).rejects.toMatchObject({ code: 'BRIDGE_API_ERROR' });
  });
});
