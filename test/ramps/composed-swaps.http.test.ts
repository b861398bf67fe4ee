import { type Address, createPublicClient, http } from 'viem';
import { NATIVE_TOKEN } from '../../src/chains/addresses';
import { BANK_FIELDS } from '../../scripts/demo/person-evidence';
import { approvedPerson, personWithDollars } from '../kyc/kyc-people';
import { rest } from '../setup/running-service';
import { newBrCode } from './new-br-code';
import {
  codeOf,
  devnet,
  waitForEnd,
  requestBytecode,
  newWallet,
  requestQuote,
  REFUSED_PIX_KEY,
  steer,
  token,
  type Wallet,
  expectSuccess,
} from './ramp-desk';

const reader = createPublicClient({ transport: http(devnet.rpcUrl), pollingInterval: 100 });
const addressOf = (symbol: string): Address => (symbol === 'ETH' ? NATIVE_TOKEN : token(symbol));
const held = ({ address, balanceOf }: Wallet, symbol: string): Promise<bigint> =>
  symbol === 'ETH' ? reader.getBalance({ address }) : balanceOf(symbol);

const inward = (currency: string, symbol: string) => ({
  originChain: 'fiat',
  destinationChain: 'devnet',
  tokenIn: currency,
  tokenOut: addressOf(symbol),
  amountIn: '50000',
});
const outward = (symbol: string, currency: string) => ({
  originChain: 'devnet',
  destinationChain: 'fiat',
  tokenIn: addressOf(symbol),
  tokenOut: currency,
  amountIn: '50000000000000000',
});
const bothOf = ({ address }: Wallet) => ({ originAddress: address, destinationAddress: address });

/** Fees of the payment rail are in the tokens of the request, and are not part of the price impact. */
function assertFeeLines({ tokenIn, tokenOut, feeBreakdown, priceImpactBps }: any): void {
  expect(Math.abs(priceImpactBps)).toBeLessThan(1000);
  for (const { asset, symbol, decimals, amountRaw } of feeBreakdown.lines.filter(
    ({ kind }: any) => kind === 'paymentRail',
  )) {
    const side = asset === 'tokenIn' ? tokenIn : tokenOut;
    expect([symbol, decimals, amountRaw]).toEqual([side.symbol, side.decimals, expect.stringMatching(/^[1-9]\d*$/)]);
  }
}

describe('an on-ramp to a token that the ramp does not support', () => {
  it.concurrent.each([
    ['BRL', 'WETH', 'primary'],
    ['BRL', 'ETH', 'primary'],
    ['USD', 'WETH', 'primary'],
    ['BRL', 'WETH', 'secondary'],
  ] as const)('%s for %s at the %s ramp arrives in the wallet', async (currency, symbol, ramp) => {
    const wallet = await newWallet();
    const person = { walletAddress: wallet.address, rampProvider: ramp } as const;
    await (currency === 'BRL' ? approvedPerson(person) : personWithDollars(person));
    const { quote } = await expectSuccess(requestQuote({ ...inward(currency, symbol), rampProvider: ramp }));
    expect(quote).toMatchObject({ provider: ramp, tokenIn: { symbol: currency }, tokenOut: { symbol } });
    const [first, ...others] = quote.route;
    expect(first).toMatchObject({ protocol: ramp, tokenIn: currency });
    expect(others.at(-1)).toMatchObject({ tokenOut: token('WETH') });
    assertFeeLines(quote);
    const response = await expectSuccess(requestBytecode({ quoteId: quote.quoteId, ...bothOf(wallet) }));
    expect(response).toMatchObject({ transactionData: [], paymentInstructions: { amount: { amountRaw: '50000' } } });
    const action = await waitForEnd(response.id);
    const received = await held(wallet, symbol);
    expect(received).toBeGreaterThanOrEqual(BigInt(quote.minAmountOut));
    expect(action).toMatchObject({
      type: 'ON_RAMP_FIAT',
      status: 'SUCCESS',
      provider: ramp,
      receiverAddress: wallet.address,
      amounts: {
        assetIn: { currency, amountRaw: '50000' },
        assetOut: { token: { symbol }, amountRaw: received.toString() },
        breakdown: [
          { type: 'FIAT_IN', status: 'completed' },
          { type: 'SWAP', status: 'completed' },
        ],
      },
      steps: [{ legs: [{ kind: 'FIAT_IN', operator: 'USER' }] }, { legs: [{ kind: 'SWAP', operator: 'SERVICE' }] }],
    });
    expect(action).not.toHaveProperty('refund');
    // The wallet of the service sent the output, and keeps nothing of it.
    const { txHash } = action.steps[1];
    const { from } = await reader.getTransaction({ hash: txHash });
    expect(from.toLowerCase()).not.toBe(wallet.address.toLowerCase());
    const { body: status } = await rest(`/v2/swap/status/${quote.quoteId}`);
    expect(status).toMatchObject({ id: response.id, status: 'SUCCESS', destinationTxHash: txHash });
  });

  it.concurrent('is executable with its quote when all parties are given', async () => {
    const wallet = await newWallet();
    await approvedPerson({ walletAddress: wallet.address });
    const { id, quote, paymentInstructions } = await expectSuccess(
      requestQuote({ ...inward('BRL', 'WETH'), ...bothOf(wallet) }),
    );
    expect(paymentInstructions).toMatchObject({ pix: { copyPaste: expect.stringMatching(/^000201/) } });
    const action = await waitForEnd(id);
    expect([action.status, action.amounts.assetOut.amountRaw]).toEqual([
      'SUCCESS',
      (await wallet.balanceOf('WETH')).toString(),
    ]);
    expect(await wallet.balanceOf('WETH')).toBeGreaterThanOrEqual(BigInt(quote.minAmountOut));
  });
});

const rich = (): Promise<Wallet> => newWallet({ WETH: 10n ** 18n });
const PIX = { pixKey: 'ana.beatriz.lima@example.com' };

interface Sold {
  readonly wallet: Wallet;
  readonly quote: any;
  readonly id: string;
}

/** Quotes first, then signs and sends the transactions. */
async function sold(symbol: string, currency: 'BRL' | 'USD', pix = PIX): Promise<Sold> {
  const wallet = await rich();
  const person = { walletAddress: wallet.address };
  await (currency === 'BRL' ? approvedPerson(person) : personWithDollars(person));
  const payout = currency === 'BRL' ? pix : BANK_FIELDS;
  const { quote } = await expectSuccess(
    requestQuote({ ...outward(symbol, currency), ...(currency === 'BRL' ? {} : payout) }),
  );
  assertFeeLines(quote);
  const body = { quoteId: quote.quoteId, originAddress: wallet.address, ...payout };
  const { id, transactionData } = await expectSuccess(requestBytecode(body));
  await wallet.send(transactionData);
  return { wallet, quote, id };
}

describe('an off-ramp of a token that the ramp does not support', () => {
  it.concurrent.each([
    ['WETH', 'BRL'],
    ['ETH', 'BRL'],
    ['WETH', 'USD'],
  ] as const)('%s to %s is swapped before the ramp, and the whole output is paid out', async (symbol, currency) => {
    const { wallet, quote, id } = await sold(symbol, currency);
    expect(quote.route.at(-1)).toMatchObject({ protocol: 'avenia', tokenOut: currency });
    expect(quote.route[0]).toMatchObject({ tokenIn: token('WETH') });
    const action = await waitForEnd(id);
    expect(action).toMatchObject({
      type: 'OFF_RAMP_FIAT',
      status: 'SUCCESS',
      provider: 'avenia',
      originAddress: wallet.address,
      amounts: {
        assetIn: { token: { symbol }, amountRaw: '50000000000000000' },
        assetOut: { currency },
        breakdown: expect.arrayContaining([
          expect.objectContaining({ type: 'SWAP', status: 'completed', protocol: quote.route[0].protocol }),
          expect.objectContaining({ type: 'FIAT_OUT', status: 'completed', protocol: 'avenia' }),
        ]),
      },
      steps: [
        { legs: expect.arrayContaining([{ kind: 'SWAP', status: 'CONFIRMED', operator: 'USER' }]) },
        { legs: [{ kind: 'FIAT_OUT', status: 'CONFIRMED', operator: 'PROVIDER' }] },
      ],
    });
    expect(BigInt(action.amounts.assetOut.amountRaw)).toBeGreaterThanOrEqual(BigInt(quote.minAmountOut));
    if (symbol === 'WETH') expect(await wallet.balanceOf('WETH')).toBe(10n ** 18n - 50_000_000_000_000_000n);
    expect(await steer('primaryRamp', `/_control/tickets?externalId=${id}`)).toHaveLength(1);
  });

  it.concurrent('is refused for a BR Code, which requires an exact amount', async () => {
    const wallet = await rich();
    await approvedPerson({ walletAddress: wallet.address });
    const charge = newBrCode({ pixKey: PIX.pixKey });
    const { address: originAddress } = wallet;
    const [status, code] = await codeOf(requestQuote({ ...outward('WETH', 'BRL'), originAddress, pixKey: charge }));
    expect([status, code]).toEqual([400, 'NO_ROUTE_FOUND']);
  });

  it('is refunded in the ramp token when the payout fails', async () => {
    const { wallet, id } = await sold('WETH', 'BRL', { pixKey: REFUSED_PIX_KEY });
    const action = await waitForEnd(id);
    expect(action).toMatchObject({
      status: 'REFUNDED',
      substatus: 'REFUND_SENT',
      failureReason: expect.stringMatching(/^The payout failed: (BRLA|BRZ|USDC) was refunded/),
      refund: { status: 'CONFIRMED', txHash: expect.stringMatching(/^0x/) },
    });
    const symbol = /: (\w+) was/.exec(action.failureReason)![1]!;
    const { logs } = await reader.getTransactionReceipt({ hash: action.refund.txHash });
    expect(logs.map(({ address }) => address.toLowerCase())).toContain(token(symbol).toLowerCase());
    const { refund } = action;
    const received = await wallet.balanceOf(symbol);
    expect(received).toBeGreaterThan(0n);
    expect(refund).toMatchObject({ token: { address: token(symbol), symbol }, amountRaw: received.toString() });
    expect(refund).toMatchObject({ receiverAddress: wallet.address, amountInUSD: expect.stringMatching(/^\d/) });
    expect(refund.chain).toEqual(action.amounts.assetIn.chain);
    expect(await steer('primaryRamp', `/_control/tickets?externalId=${id}-refund`)).toHaveLength(1);
    const { body: status } = await rest(`/v2/swap/status/${id}`);
    expect(status).toMatchObject({ status: 'REFUNDED', refundTxHash: action.refund.txHash });
  });
});
