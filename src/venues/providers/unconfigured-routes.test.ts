import { quoteRequest } from '../../../test/swaps/swap-world';
import type { HttpClient } from '../../http/http-client';
import type { BridgeTransfer } from '../delivery-source';
import { createAcrossProvider } from './across/across';
import { createCctpProvider } from './cctp/cctp';

const never = () => Promise.reject(new Error('no call is expected'));
const http = { get: never, post: never, call: never, close: never } as unknown as HttpClient;
const rpc = { serves: () => true, request: never, multicall: never };

/** A transfer between chains without either protocol. */
const transfer: BridgeTransfer = {
  actionId: '',
  request: quoteRequest(),
  sender: '',
  recipient: '',
  checkpoint: undefined,
  quote: {} as BridgeTransfer['quote'],
  originTxHash: `0x${'ab'.repeat(32)}`,
};

describe('a transfer over a protocol that is no longer configured', () => {
  it.each([
    ['across', createAcrossProvider({ http, rpc })],
    ['cctp', createCctpProvider({ http, rpc })],
  ])('is not failed: %s', async (_, { deliveries }) => {
    const followed = deliveries.follow(transfer, new AbortController().signal);
    await expect(followed).rejects.toMatchObject({ code: 'BRIDGE_API_ERROR' });
  });
});
