import { BOB, quoteRequest, units } from '../../../../test/swaps/swap-world';
import type { Chain } from '../../../chains/chain';
import type { BridgeTransfer } from '../../delivery-source';
import type { BuildParameters, ProviderQuote, QuoteRequest } from '../../quote-provider';
import { createRelayProvider } from './relay';

const SENDER = 'bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x';
const REFUND_TO = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const TXID = 'ab'.repeat(32);
const ADDRESS = 'bcrt1qs758ursh4q9z627kt3pp5yysm78ddny6txaqgw';
const { signal } = new AbortController();

const minimumBySlippage = (changes: Partial<QuoteRequest> = {}): QuoteRequest => {
  const request = quoteRequest();
  const origin: Chain = { ...request.origin, kind: 'bitcoin', chainId: 20_000_000_000_002 };
  return { ...request, origin, amount: units(1_500_000n), originAddress: SENDER, destinationAddress: BOB, ...changes };
};

/** A scripted Relay that returns these minimums in order, and a chain on which every transfer was paid. */
function scripted(minimums: readonly bigint[], txHashes: readonly string[] = []) {
  const posted: unknown[] = [];
  const payments: string[] = [];
  const provider = createRelayProvider({
    rpc: { serves: () => true },
    bitcoin: {
      serves: () => true,
      paymentsTo: () => Promise.resolve([{ txid: TXID, amount: 1_500_000n, confirmations: 1 }]),
      paymentOf: (_, { txid, address }) => {
        payments.push(`${txid} ${address}`);
        return Promise.resolve({ txid, amount: 1_499_000n, confirmations: 1 });
      },
      feeRate: () => Promise.resolve(2n),
      health: () => Promise.reject(new Error('not used')),
      close: () => Promise.resolve(),
    },
    http: {
      get: () => Promise.resolve({ status: 'refund', txHashes }),
      post: (_, body) => {
        const minimumAmount = String(minimums[posted.length] ?? 0n);
        posted.push(body);
        return Promise.resolve({
          steps: [{ requestId: '0x01', depositAddress: ADDRESS }],
          details: {
            currencyIn: { amount: '1500000' },
            currencyOut: { amount: '1000000', minimumAmount },
            totalImpact: { percent: '-0.25' },
          },
        });
      },
    },
  });
  return { provider, posted, payments };
}

const promising = (minAmountOut: bigint): ProviderQuote => ({
  provider: 'relay',
  amountIn: units(1_500_000n),
  maxAmountIn: units(1_500_000n),
  route: [],
  priceImpactBps: 0,
  expectedAmountOut: units(1_002_000n),
  minAmountOut: units(minAmountOut),
  gasLimit: 0n,
  estimatedDurationSeconds: 600,
  execution: {},
});
const parametersFor = (minAmountOut: bigint): BuildParameters => ({
  request: minimumBySlippage(),
  quote: promising(minAmountOut),
  sender: SENDER,
  recipient: BOB,
  deadline: 0,
});
const readBridgeTransfer = (request: QuoteRequest): BridgeTransfer => ({
  actionId: '',
  request,
  quote: promising(1n),
  sender: SENDER,
  recipient: BOB,
  originTxHash: undefined,
  checkpoint: undefined,
  deposit: { address: ADDRESS, reference: '0x01' },
});

it('reports no price impact: that of Relay includes its fees', async () => {
  const quote = await scripted([998_000n]).provider.quote(minimumBySlippage(), signal);
  expect(quote).toMatchObject({ expectedAmountOut: 1_000_000n, priceImpactBps: undefined });
});

describe('a deposit through Relay', () => {
  it('is opened with the minimum that was promised', async () => {
    const { provider, posted } = scripted([998_000n]);
    expect(await provider.build(parametersFor(998_000n), signal)).toMatchObject({ kind: 'deposit', address: ADDRESS });
    expect(posted).toHaveLength(1);
  });

  it('is opened with less slippage when the price moved a little, so that the minimum stays', async () => {
    const { provider, posted } = scripted([995_000n, 998_000n]);
    expect(await provider.build(parametersFor(998_000n), signal)).toMatchObject({ kind: 'deposit' });
    expect(posted).toMatchObject([{ slippageTolerance: '50' }, { slippageTolerance: '20' }]);
  });

  it.each<[string, readonly bigint[], bigint]>([
    ['the price moved too far', [995_000n], 1_000_001n],
    ['Relay does not keep the minimum', [995_000n, 997_999n], 998_000n],
  ])('is not handed out when %s', async (_, minimums, promised) => {
    const { provider, posted } = scripted(minimums);
    await expect(provider.build(parametersFor(promised), signal)).rejects.toMatchObject({ code: 'QUOTE_EXPIRED' });
    expect(posted).toHaveLength(minimums.length);
  });

  it('cannot be minimumBySlippage back to another address than it was opened for', async () => {
    const { provider, posted } = scripted([]);
    const refund = (request: QuoteRequest, address: string) =>
      provider.deliveries.refund!(readBridgeTransfer(request), address, signal);
    const relayErrorResponse = { code: 'VALIDATION_ERROR', details: { errors: [{ path: 'refundAddress' }] } };
    await expect(refund(minimumBySlippage(), REFUND_TO)).rejects.toMatchObject(relayErrorResponse);
    await expect(refund(minimumBySlippage({ refundAddress: REFUND_TO }), SENDER)).rejects.toMatchObject(
      relayErrorResponse,
    );
    expect(posted).toEqual([]);
    await refund(minimumBySlippage(), SENDER);
    await refund(minimumBySlippage({ refundAddress: REFUND_TO }), REFUND_TO);
    expect(posted).toHaveLength(2);
  });

  it('is refunded by a transaction that pays to that address, and by nothing that is no transaction', async () => {
    const request = minimumBySlippage({ refundAddress: REFUND_TO });
    const { provider, payments } = scripted([], [TXID]);
    expect(await provider.deliveries.follow(readBridgeTransfer(request), signal)).toMatchObject({ status: 'refunded' });
    expect(payments).toEqual([`${TXID} ${REFUND_TO}`]);
    const strange = scripted([], ['../address/x']);
    expect(await strange.provider.deliveries.follow(readBridgeTransfer(request), signal)).toMatchObject({
      status: 'refunding',
    });
    expect(strange.payments).toEqual([]);
  });
});
