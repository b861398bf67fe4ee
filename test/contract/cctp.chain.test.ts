import { createHttpClient } from '../../src/http/http-client';
import { createCctpProvider } from '../../src/venues/providers/cctp/cctp';
import type { QuoteRequest } from '../../src/venues/quote-provider';
import { universeOfTests } from '../setup/universe-of-tests';
import { complete, destinationOf, followUntil, startLocalCctp } from './cctp-transfers';
import { NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';
import { executeLocally, localRequest, rpcOf } from './local-swaps';
import { describeQuoteProvider } from './quote-provider';

describeQuoteProvider('cctp', async () => {
  const universe = await universeOfTests();
  const cctp = await startLocalCctp(universe);
  // Without a fee on standard transfers, every amount could be moved.
  await cctp.steer('fees', { standard: 2.5, route: { source: 7, destination: 0 } });
  const upstream = await startFaultyUpstream(cctp.url, { isAmount: (path) => path.at(-1) === 'minimumFee' });
  const http = createHttpClient({ baseUrl: upstream.url, timeoutMs: NO_TIMEOUT_MS });
  const provider = createCctpProvider({ http, rpc: rpcOf(universe.chains) });
  const [account, helper] = [universe.accounts[6]!, universe.accounts[7]!];
  const { here, there } = cctp;
  const sender = account.address;
  const usdc = (amount: bigint) => ({ amount: amount * 10n ** 6n, sender });
  const elsewhere = (request: QuoteRequest): QuoteRequest => {
    const { destination } = request;
    return { ...request, destination: { ...destination, cctp: { ...destination.cctp!, domain: 99 } } };
  };
  const other = { chain: here, destination: there, amount: 10n ** 9n, sender, recipient: sender };
  return {
    provider,
    upstream,
    served: [
      cctp.request(usdc(1000n)),
      cctp.request({ ...usdc(1000n), side: 'out' }),
      cctp.request({ ...usdc(25n), speed: 'standard' }),
      cctp.request({ ...usdc(25n), speed: 'standard', side: 'out' }),
      cctp.request({ ...usdc(77n), from: there, speed: 'fast' }),
      cctp.request({ amount: 1n, sender }),
    ],
    unroutable: [elsewhere(cctp.request(usdc(5n)))],
    unsupported: [
      localRequest({ ...other, pair: ['USDC', 'USDT'] }),
      localRequest({ ...other, pair: ['USDT', 'USDC'] }),
      localRequest({ ...other, pair: ['USDC', 'DAI'], destination: here }),
      {
        ...localRequest({ ...other, pair: ['USDC', 'USDC'] }),
        destination: { ...here, explorer: undefined, cctp: undefined },
      },
    ],
    tooMuch: [cctp.request(usdc(10_000_001n)), cctp.request({ ...usdc(10_000_000n), side: 'out', speed: 'fast' })],
    tooLittle: [cctp.request({ amount: 1n, sender, from: there })],
    async execute(parameters) {
      const { request, quote, sender: from, recipient } = parameters;
      const destination = destinationOf(cctp, { request });
      const chain = destination === there ? here : there;
      const settle = async (originTxHash: string): Promise<void> => {
        const burn = { actionId: 'a', request, quote, sender: from, recipient, originTxHash, checkpoint: undefined };
        const { transfer } = await followUntil(cctp.provider, burn, 'COMPLETION');
        await complete(cctp, { transfer, account: helper });
      };
      return executeLocally({ chain, destination, account, provider, settle }, parameters);
    },
    async tearDown() {
      await http.close();
      await cctp.stop();
    },
  };
});
