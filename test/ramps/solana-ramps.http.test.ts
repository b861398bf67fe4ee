import { Keypair } from '@solana/web3.js';
import { approvedPerson } from '../kyc/kyc-people';
import { rest } from '../setup/running-service';
import {
  assertFeesAddUp,
  codeOf,
  waitForEnd,
  requestBytecode,
  requestQuote,
  REFUSED_PIX_KEY,
  expectSuccess,
} from './ramp-desk';
import { balanceOf, BRS, memosOf, newSolanaWallet, solana, type SolanaWallet } from './solana-wallet';

const BRS_100 = { originChain: 'solana-local', destinationChain: 'fiat', tokenIn: BRS, tokenOut: 'BRL' };
const AMOUNT = 100_000_000n;
const PIX_KEY = 'ana.beatriz.lima@example.com';
const SIGNATURE = expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);

async function person(): Promise<SolanaWallet> {
  const wallet = await newSolanaWallet(2n * AMOUNT);
  await approvedPerson({ walletAddress: wallet.address });
  return wallet;
}

const offer = (originAddress: string, more: Readonly<Record<string, string>> = {}) =>
  requestQuote({ ...BRS_100, amountIn: AMOUNT.toString(), originAddress, pixKey: PIX_KEY, ...more });

describe('BRS on Solana to a bank', () => {
  it.concurrent('is one transfer to sign, with the quote’s id in its memo, and paid by Pix', async () => {
    const wallet = await person();
    const { quote, id, chainId, transactionData, transactions } = await expectSuccess(offer(wallet.address));
    expect([chainId, quote.provider]).toEqual([solana.chainId, 'avenia']);
    expect(quote.tokenIn).toMatchObject({ symbol: 'BRS', amount: AMOUNT.toString() });
    expect(quote.expectedAmountOut).toBe('10000');
    expect([transactions, quote.simulation?.status]).toEqual([[transactionData], 'SUCCESS']);
    assertFeesAddUp(quote);
    const signature = await wallet.send(transactionData.rawTransaction);
    expect(await memosOf(signature)).toEqual([quote.quoteId]);
    expect(await wallet.balance()).toBe(AMOUNT);
    expect(await rest(`/v2/swap/status/${quote.quoteId}?txHash=${signature}`)).toMatchObject({
      status: 200,
      body: { id },
    });
    const action = await waitForEnd(id);
    expect(action).toMatchObject({
      id,
      quoteId: quote.quoteId,
      type: 'OFF_RAMP_FIAT',
      status: 'SUCCESS',
      receiverAddress: 'pix',
      amounts: {
        assetIn: { token: { symbol: 'BRS' }, chain: { id: solana.chainId }, amountRaw: AMOUNT.toString() },
        assetOut: { currency: 'BRL', amountRaw: '10000' },
      },
      steps: [{ status: 'CONFIRMED', txHash: signature }, { status: 'CONFIRMED' }],
    });
    const { body: status } = await rest(`/v2/swap/status/${id}`);
    expect(status).toMatchObject({ status: 'SUCCESS', originTxHash: signature });
    expect(JSON.stringify([action, status])).not.toContain(PIX_KEY);
  });

  it.concurrent('is priced first and made executable later, as instructions too, always with one memo', async () => {
    const wallet = await person();
    const { quote, ...priced } = await expectSuccess(requestQuote({ ...BRS_100, amountIn: AMOUNT.toString() }));
    expect(priced).toEqual({});
    const body = { quoteId: quote.quoteId, originAddress: wallet.address, pixKey: PIX_KEY, output: 'instructions' };
    expect(await codeOf(requestBytecode({ ...body, output: 'userOperation' }))).toEqual([422, 'VALIDATION_ERROR']);
    const { id, instructions, transactionData } = await expectSuccess(requestBytecode(body));
    const memos = instructions.filter(({ programId }: any) => programId.startsWith('Memo'));
    expect(memos.map(({ data }: any) => Buffer.from(data, 'base64').toString())).toEqual([quote.quoteId]);
    expect(transactionData).toHaveLength(1);
    const signature = await wallet.send(transactionData[0].rawTransaction);
    expect(await memosOf(signature)).toEqual([quote.quoteId]);
    expect(await waitForEnd(id)).toMatchObject({ id, status: 'SUCCESS' });
  });

  it.concurrent('that the bank refuses is refunded to the wallet, to the last unit', async () => {
    const wallet = await person();
    const { id, transactionData } = await expectSuccess(offer(wallet.address, { pixKey: REFUSED_PIX_KEY }));
    const signature = await wallet.send(transactionData.rawTransaction);
    const action = await waitForEnd(id);
    expect(action).toMatchObject({
      status: 'REFUNDED',
      substatus: 'REFUND_SENT',
      failureReason: expect.any(String),
      refund: {
        status: 'CONFIRMED',
        txHash: SIGNATURE,
        token: { symbol: 'BRS' },
        receiverAddress: wallet.address,
        amountRaw: AMOUNT.toString(),
      },
      steps: [{ status: 'CONFIRMED', txHash: signature }, { status: 'SKIPPED' }, { status: 'CONFIRMED' }],
    });
    expect(await wallet.balance()).toBe(2n * AMOUNT);
  });

  it.concurrent('of less than half a real, or by an unknown wallet, is refused', async () => {
    expect(await codeOf(requestQuote({ ...BRS_100, amountIn: '499999' }))).toEqual([400, 'AMOUNT_OUT_TOO_LOW_OFFRAMP']);
    expect((await expectSuccess(requestQuote({ ...BRS_100, amountIn: '500000' }))).quote.expectedAmountOut).toBe('50');
    const { address } = await newSolanaWallet(AMOUNT);
    expect(await codeOf(offer(address))).toEqual([404, 'KYC_PROFILE_NOT_FOUND']);
  });

  it.concurrent('that the wallet cannot pay is priced, with a warning', async () => {
    const wallet = await person();
    const { quote } = await expectSuccess(offer(wallet.address, { amountIn: (3n * AMOUNT).toString() }));
    expect(quote.simulation).toMatchObject({ status: 'INSUFFICIENT_BALANCE' });
  });
});

describe('a Pix payment for BRS on Solana', () => {
  it.concurrent('settles to a wallet without a token account', async () => {
    const address = Keypair.generate().publicKey.toBase58();
    await approvedPerson({ walletAddress: address });
    const route = { originChain: 'fiat', destinationChain: 'solana-local', tokenIn: 'BRL', tokenOut: BRS };
    expect(await codeOf(requestQuote({ ...route, amountIn: '49' }))).toEqual([400, 'AMOUNT_IN_TOO_LOW_ONRAMP']);
    const response = await expectSuccess(
      requestQuote({ ...route, amountIn: '10000', originAddress: address, destinationAddress: address }),
    );
    const { quote, id, paymentInstructions } = response;
    expect(paymentInstructions).toMatchObject({ amount: { amountRaw: '10000', currency: 'BRL' } });
    assertFeesAddUp(quote);
    const action = await waitForEnd(id);
    expect(action).toMatchObject({
      status: 'SUCCESS',
      type: 'ON_RAMP_FIAT',
      receiverAddress: address,
      amounts: { assetOut: { token: { symbol: 'BRS' }, amountRaw: quote.expectedAmountOut } },
      steps: [{ status: 'CONFIRMED' }, { status: 'CONFIRMED', txHash: SIGNATURE }],
    });
    expect(await balanceOf(address)).toBe(BigInt(quote.expectedAmountOut));
  });
});
