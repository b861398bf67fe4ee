import { setTimeout as wait } from 'node:timers/promises';
import type { Address } from 'viem';
import { approvedPerson, holdAtPrimaryRamp, personWithDollars } from '../kyc/kyc-people';
import { rest } from '../setup/running-service';
import {
  assertFeesAddUp,
  codeOf,
  devnet,
  waitForEnd,
  requestBytecode,
  newWallet,
  requestQuote,
  steer,
  token,
  UNKNOWN,
  unknownToOthers,
  type Wallet,
  expectSuccess,
} from './ramp-desk';

// Banks, chains and reviews take their time in each of these tests.
jest.setTimeout(90_000);

const FROM_FIAT = { originChain: 'fiat', destinationChain: 'devnet', amountIn: '10000' };
const reaisTo = (symbol: string) => ({ ...FROM_FIAT, tokenIn: 'BRL', tokenOut: token(symbol) });
const DOLLARS = { ...FROM_FIAT, tokenIn: 'USD', tokenOut: token('USDC') };
const bothOf = ({ address }: { address: Address }) => ({ originAddress: address, destinationAddress: address });

const PIX = { copyPaste: expect.stringMatching(/^000201/), qrCodeUrl: expect.stringMatching(/^http.*\.png$/) };
const BANK = {
  bankName: expect.any(String),
  routingNumber: expect.stringMatching(/^\d{9}$/),
  beneficiary: expect.any(String),
  accountNumber: expect.stringMatching(/^\d+$/),
  memo: expect.any(String),
};
const instructionsOf = (currency: 'BRL' | 'USD') => ({
  ...(currency === 'BRL' ? { pix: PIX } : { wire: BANK }),
  expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
  amount: { amountRaw: '10000', currency },
});

interface Paid {
  readonly wallet: Wallet;
  readonly symbol: 'BRLA' | 'USDC';
  readonly quote: any;
  readonly id: string;
}

/** The deposit of an on-ramp of a held account arrives. */
async function payDeposit(id: string): Promise<void> {
  const tickets = await steer('primaryRamp', `/_control/tickets?externalId=${id}`);
  expect(tickets).toHaveLength(1);
  await steer('primaryRamp', `/_control/tickets/${tickets[0].id}/pay`, {});
}

/** Asserts that the emulated deposit settles to the wallet with the quoted amount, and is reported. */
async function assertPaid({ wallet, symbol, quote, id }: Paid): Promise<void> {
  const action = await waitForEnd(id);
  const { symbol: currency } = quote.tokenIn;
  const received = await wallet.balanceOf(symbol);
  expect(received).toBe(BigInt(quote.expectedAmountOut));
  expect(action).toMatchObject({
    id,
    quoteId: quote.quoteId,
    type: 'ON_RAMP_FIAT',
    status: 'SUCCESS',
    provider: quote.provider,
    originAddress: wallet.address,
    receiverAddress: wallet.address,
    amounts: {
      assetIn: { currency, amountRaw: '10000', amountHumanized: '100' },
      assetOut: { token: { address: token(symbol), symbol }, amountRaw: received.toString() },
      breakdown: [
        { type: 'FIAT_IN', description: `Receive ${currency} from the bank.`, status: 'completed' },
        { type: 'TRANSFER', description: `Transfer ${symbol} on Devnet.`, status: 'completed' },
      ],
    },
    steps: [{ status: 'CONFIRMED' }, { status: 'CONFIRMED', txHash: expect.stringMatching(/^0x/) }],
  });
  expect(Object.keys(action.amounts.assetIn).sort()).toEqual(
    ['amountHumanized', 'amountInUSD', 'amountRaw', 'currency'].sort(),
  );
  const { txHash } = action.steps[1];
  const { body: status } = await rest(`/v2/swap/status/${quote.quoteId}`);
  expect(status).toMatchObject({ id, quoteId: quote.quoteId, status: 'SUCCESS', destinationTxHash: txHash });
  expect(action.transactions).toMatchObject([{ chain: { id: devnet.chainId }, txHash, status: 'SUCCESS' }]);
  expect(await unknownToOthers({ id, quoteId: quote.quoteId })).toEqual(UNKNOWN);
}

describe('an on-ramp', () => {
  it.concurrent('by Pix for BRLA is executable with its quote: a code to pay, without a signature', async () => {
    const wallet = await newWallet();
    await approvedPerson({ walletAddress: wallet.address });
    const { quote, id, ...rest } = await expectSuccess(requestQuote({ ...reaisTo('BRLA'), ...bothOf(wallet) }));
    expect(rest).toEqual({ chainId: 0, type: 'ON_RAMP_FIAT', paymentInstructions: instructionsOf('BRL') });
    expect(quote).toMatchObject({ provider: 'avenia', chainIdIn: 0, chainIdOut: devnet.chainId });
    expect(quote).not.toHaveProperty('rampProvider');
    assertFeesAddUp(quote);
    await assertPaid({ wallet, symbol: 'BRLA', quote, id });
  });

  it.concurrent('by Pix for USDC is quoted first, and repeated requests return the same payment', async () => {
    const [wallet, other] = [await newWallet(), await newWallet()];
    await approvedPerson({ walletAddress: other.address });
    // The payment is returned until its deposit arrives.
    await holdAtPrimaryRamp(await approvedPerson({ walletAddress: wallet.address }));
    const { quote, ...rest } = await expectSuccess(requestQuote({ ...reaisTo('USDC'), rampProvider: 'PRIMARY' }));
    expect([rest, quote.provider]).toEqual([{}, 'primary']);
    const body = { quoteId: quote.quoteId, ...bothOf(wallet) };
    // The payee is also the payer when no other payer is given.
    const withoutPayer = { quoteId: quote.quoteId, destinationAddress: wallet.address };
    const responses = await Promise.all(
      [body, body, withoutPayer, body, withoutPayer].map((each) => expectSuccess(requestBytecode(each))),
    );
    const { id, ...first } = responses[0];
    expect(first).toEqual({
      quoteId: quote.quoteId,
      chainId: 0,
      status: 'INITIAL',
      transactionData: [],
      transactions: [],
      paymentInstructions: instructionsOf('BRL'),
    });
    expect(responses).toEqual(responses.map(() => responses[0]));
    expect(await codeOf(requestBytecode({ ...body, destinationAddress: other.address }))).toEqual([
      400,
      'QUOTE_VALIDATION_ERROR',
    ]);
    await payDeposit(id);
    await assertPaid({ wallet, symbol: 'USDC', quote, id });
    expect(await other.balanceOf('USDC')).toBe(0n);
  });

  it.concurrent('by wire for USDC returns the bank account of the deposit', async () => {
    const wallet = await newWallet();
    await personWithDollars({ walletAddress: wallet.address });
    const { quote, id, paymentInstructions } = await expectSuccess(requestQuote({ ...DOLLARS, ...bothOf(wallet) }));
    expect(paymentInstructions).toEqual(instructionsOf('USD'));
    assertFeesAddUp(quote);
    await assertPaid({ wallet, symbol: 'USDC', quote, id });
  });

  it.concurrent.each([
    ['by Pix', 'BRL', 'secondary'],
    ['by wire', 'USD', 'unblockpay'],
  ] as const)('%s at the secondary ramp has the requested name', async (_, currency, name) => {
    const wallet = await newWallet();
    const person = { walletAddress: wallet.address, rampProvider: 'secondary' } as const;
    await (currency === 'BRL' ? approvedPerson(person) : personWithDollars(person));
    const route = currency === 'BRL' ? reaisTo('USDC') : DOLLARS;
    const response = await expectSuccess(requestQuote({ ...route, ...bothOf(wallet), rampProvider: name }));
    const { quote, id, paymentInstructions } = response;
    // This ramp reports no expiry, and wires arrive only after the expiry of the quote.
    const { expiresAt, ...lasting } = instructionsOf(currency);
    expect(paymentInstructions).toEqual(currency === 'BRL' ? { ...lasting, expiresAt } : lasting);
    expect(quote).toMatchObject({ provider: name, route: [{ protocol: name }] });
    expect(JSON.stringify(response)).not.toContain('rampProvider');
    assertFeesAddUp(quote);
    await assertPaid({ wallet, symbol: 'USDC', quote, id });
  });

  it.concurrent('is the same through GraphQL', async () => {
    const wallet = await newWallet();
    await holdAtPrimaryRamp(await approvedPerson({ walletAddress: wallet.address }));
    const { address } = wallet;
    const PAYMENT =
      'paymentInstructions { pix { copyPaste qrCodeUrl } wire { bankName } expiresAt amount { amountRaw currency } }';
    const execute = async (query: string) => {
      const { body } = await rest('/graphql', { body: { query } });
      expect(body.errors).toBeUndefined();
      return body.data;
    };
    const route = `originChain: "fiat", destinationChain: "devnet", tokenIn: "BRL", tokenOut: "${token('BRLA')}", amountIn: "10000"`;
    const both = `originAddress: "${address}", destinationAddress: "${address}"`;
    const fields = `id chainId transactionData { to } transactions { to } ${PAYMENT} quote { quoteId provider }`;
    const { swapQuote } = await execute(`{ swapQuote(${route}, ${both}) { ${fields} } }`);
    const { swapQuotes } = await execute(
      `{ swapQuotes(${route}, rampProvider: "AVENIA") { provider quote { provider } } }`,
    );
    expect(swapQuotes).toEqual([{ provider: 'avenia', quote: { provider: 'avenia' } }]);
    const instructions = { ...instructionsOf('BRL'), wire: null };
    expect(swapQuote).toMatchObject({ chainId: 0, transactionData: null, paymentInstructions: instructions });
    const { quoteId } = swapQuote.quote;
    const again = `createSwapTransaction(quoteId: "${quoteId}", ${both}) { id chainId transactionData { to } ${PAYMENT} }`;
    const { createSwapTransaction } = await execute(`mutation { ${again} }`);
    const { id, paymentInstructions } = swapQuote;
    expect(createSwapTransaction).toEqual({ id, chainId: 0, transactionData: [], paymentInstructions });
    await payDeposit(id);
    expect((await waitForEnd(id)).status).toBe('SUCCESS');
    const amounts =
      'amounts { assetIn { currency amountRaw token { symbol } } assetOut { amountRaw token { symbol } } }';
    const { action } = await execute(`{ action(id: "${id}") { status ${amounts} } }`);
    expect(action.amounts).toMatchObject({ assetIn: { currency: 'BRL', amountRaw: '10000', token: null } });
    const received = (await wallet.balanceOf('BRLA')).toString();
    expect(action.amounts.assetOut).toEqual({ amountRaw: received, token: { symbol: 'BRLA' } });
  });

  it.concurrent('without a deposit stays INITIAL, and settles after a late deposit', async () => {
    const wallet = await newWallet();
    await holdAtPrimaryRamp(await approvedPerson({ walletAddress: wallet.address }));
    const { id, quote } = await expectSuccess(requestQuote({ ...reaisTo('BRLA'), ...bothOf(wallet) }));
    await wait(3000);
    const { body } = await rest(`/actions/${id}`);
    expect(body).toMatchObject({ status: 'INITIAL', substatus: 'WAITING_ORIGIN', transactions: [] });
    expect((await rest(`/v2/swap/status/${id}`)).body).toMatchObject({ id, status: 'INITIAL' });
    await payDeposit(id);
    await assertPaid({ wallet, symbol: 'BRLA', quote, id });
  });
});

it('a price needs no profile, a payment needs a verified person', async () => {
  const stranger = await newWallet();
  const unknown = [404, 'KYC_PROFILE_NOT_FOUND'];
  expect(await codeOf(requestQuote({ ...reaisTo('BRLA'), ...bothOf(stranger) }))).toEqual(unknown);
  const oneAddress = { destinationAddress: stranger.address };
  const { quote, ...more } = await expectSuccess(requestQuote({ ...reaisTo('BRLA'), ...oneAddress }));
  expect(more).toEqual({});
  expect(await codeOf(requestBytecode({ quoteId: quote.quoteId, ...bothOf(stranger) }))).toEqual(unknown);
});
