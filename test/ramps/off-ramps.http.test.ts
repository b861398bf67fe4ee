import { decodeFunctionData, encodeFunctionData, erc20Abi, type Hex, slice } from 'viem';
import { BANK_FIELDS } from '../../scripts/demo/person-evidence';
import { approvedPerson, personWithDollars } from '../kyc/kyc-people';
import { rest } from '../setup/running-service';
import { sendBundle, signUserOperation } from '../smart-accounts/local-operations';
import {
  assertFeesAddUp,
  codeOf,
  devnet,
  waitForEnd,
  requestBytecode,
  newSmartAccount,
  newWallet,
  otherCustomer,
  requestQuote,
  REFUSED_PIX_KEY,
  steer,
  token,
  UNKNOWN,
  unknownToOthers,
  type Wallet,
  expectSuccess,
} from './ramp-desk';

const TO_FIAT = { originChain: 'devnet', destinationChain: 'fiat' };
const BRLA_100 = { ...TO_FIAT, tokenIn: token('BRLA'), tokenOut: 'BRL', amountIn: '100000000000000000000' };
const USDC_50 = { ...TO_FIAT, tokenIn: token('USDC'), tokenOut: 'BRL', amountIn: '50000000' };
const DOLLARS_50 = { ...USDC_50, tokenOut: 'USD' };
const PIX_KEY = 'ana.beatriz.lima@example.com';

const rich = (): Promise<Wallet> => newWallet({ BRLA: 150n * 10n ** 18n, USDC: 150_000_000n });

const transferOf = (data: Hex) => {
  const { args } = decodeFunctionData({ abi: erc20Abi, data: slice(data, 0, 68) });
  const [to, amount] = args as readonly [Hex, bigint];
  return { to, amount };
};

/** Personal data that no response may repeat. */
const PRIVATE = new RegExp([PIX_KEY, BANK_FIELDS.bankAccountNumber, BANK_FIELDS.bankBeneficiaryName].join('|'), 'i');

interface PaidOut {
  readonly wallet: Pick<Wallet, 'address' | 'balanceOf'>;
  readonly quote: any;
  readonly id: string;
  readonly before: bigint;
}

/** Asserts that the bank was paid, that exactly the input left the wallet, and that no response shows the payee. */
async function assertPaidOut({ wallet, quote, id, before }: PaidOut): Promise<void> {
  const action = await waitForEnd(id);
  const { symbol, amount } = quote.tokenIn;
  const currency = quote.tokenOut.symbol;
  expect(action).toMatchObject({
    id,
    quoteId: quote.quoteId,
    type: 'OFF_RAMP_FIAT',
    status: 'SUCCESS',
    provider: quote.provider,
    originAddress: wallet.address,
    receiverAddress: currency === 'BRL' ? 'pix' : 'wire',
    amounts: {
      assetIn: { token: { symbol }, chain: { id: devnet.chainId }, amountRaw: amount },
      assetOut: { currency, amountRaw: quote.expectedAmountOut, amountHumanized: expect.any(String) },
      breakdown: [
        { type: 'TRANSFER', description: `Transfer ${symbol} on Devnet.`, status: 'completed' },
        { type: 'FIAT_OUT', description: `Pay out ${currency} to the bank.`, status: 'completed' },
      ],
    },
    steps: [{ status: 'CONFIRMED', txHash: expect.stringMatching(/^0x/) }, { status: 'CONFIRMED' }],
  });
  expect(Object.keys(action.amounts.assetOut).sort()).toEqual([
    ...['amountHumanized', 'amountInUSD', 'amountRaw', 'currency'],
  ]);
  expect(before - (await wallet.balanceOf(symbol))).toBe(BigInt(amount));
  const { body: status } = await rest(`/v2/swap/status/${id}`);
  const originTxHash = action.steps[0].txHash;
  expect(status).toMatchObject({ id, quoteId: quote.quoteId, status: 'SUCCESS', originTxHash });
  expect(status).not.toHaveProperty('destinationTxHash');
  const { body: overview } = await rest(`/actions?walletAddress=${wallet.address}`);
  expect(overview.data.map((each: any) => each.id)).toContain(id);
  expect(JSON.stringify([action, status, overview])).not.toMatch(PRIVATE);
  expect(await unknownToOthers({ id, quoteId: quote.quoteId })).toEqual(UNKNOWN);
}

describe('an off-ramp', () => {
  it.concurrent.each([
    ['BRLA by Pix', BRLA_100, undefined],
    ['USDC by Pix at the secondary ramp', USDC_50, 'unblockpay'],
  ])('%s is executable with its quote: one transfer to sign', async (_, route, rampProvider) => {
    const wallet = await rich();
    const { address } = wallet;
    await approvedPerson({
      walletAddress: address,
      ...(rampProvider === undefined ? {} : { rampProvider: 'secondary' }),
    });
    const named = rampProvider === undefined ? {} : { rampProvider };
    const response = await expectSuccess(requestQuote({ ...route, ...named, originAddress: address, pixKey: PIX_KEY }));
    const { quote, id, chainId, transactionData, transactions } = response;
    expect([chainId, quote.provider]).toEqual([devnet.chainId, rampProvider ?? 'avenia']);
    expect(JSON.stringify(response)).not.toMatch(/rampProvider|ana\.beatriz/);
    const { approvals, transactions: inOrder, ...call } = transactionData;
    expect([approvals, inOrder, transactions]).toEqual([[], [call], [call]]);
    expect(call).toMatchObject({ chainId: String(devnet.chainId), from: address, to: route.tokenIn, value: '0' });
    expect(transferOf(call.data).amount).toBe(BigInt(route.amountIn));
    assertFeesAddUp(quote);
    const before = await wallet.balanceOf(quote.tokenIn.symbol);
    await wallet.send(transactions);
    await assertPaidOut({ wallet, quote, id, before });
  });

  it.concurrent.each([undefined, 'secondary'] as const)(
    'is one action with one deposit address for repeated requests, at %p',
    async (ramp) => {
      const wallet = await rich();
      const [originAddress, named] = [wallet.address, ramp === undefined ? {} : { rampProvider: ramp }];
      await approvedPerson({ walletAddress: originAddress, ...named });
      const { quote, ...rest } = await expectSuccess(requestQuote({ ...USDC_50, ...named }));
      expect(rest).toEqual({});
      const body = { quoteId: quote.quoteId, originAddress, pixKey: PIX_KEY };
      expect(await codeOf(requestBytecode({ ...body, pixKey: '' }))).toEqual([400, 'MISSING_PIX_KEY']);
      expect(await codeOf(requestBytecode({ ...body, thirdParty: true }))).toEqual([
        400,
        'PIX_THIRD_PARTY_QUOTE_MISMATCH',
      ]);
      expect(await codeOf(requestBytecode(body, otherCustomer))).toEqual([404, 'QUOTE_NOT_FOUND']);
      const responses = await Promise.all(Array.from({ length: 5 }, () => expectSuccess(requestBytecode(body))));
      const [first] = responses;
      expect(first).toMatchObject({ quoteId: quote.quoteId, chainId: devnet.chainId });
      expect(responses).toEqual(responses.map(() => first));
      expect(first.transactionData).toEqual(first.transactions);
      expect(first.transactionData).toHaveLength(1);
      const changed = await requestBytecode({ ...body, pixKey: 'eve@example.com' });
      expect([changed.status, changed.body.error.code]).toEqual([400, 'QUOTE_VALIDATION_ERROR']);
      expect(JSON.stringify(changed.body)).not.toMatch(/eve@|ana\.beatriz/);
      const before = await wallet.balanceOf('USDC');
      await wallet.send(first.transactionData);
      await assertPaidOut({ wallet, quote, id: first.id, before });
      const repeated = await expectSuccess(requestBytecode(body));
      const { id, status, transactionData } = repeated;
      expect([id, status, transactionData, repeated.depositAddress]).toEqual([first.id, 'SUCCESS', [], undefined]);
    },
  );

  it.concurrent.each([undefined, 'secondary'] as const)(
    'by wire goes to the account of the quote, at %p',
    async (ramp) => {
      const wallet = await rich();
      const [originAddress, named] = [wallet.address, ramp === undefined ? {} : { rampProvider: ramp }];
      await personWithDollars({ walletAddress: originAddress, ...named });
      const response = await expectSuccess(requestQuote({ ...DOLLARS_50, ...named, ...BANK_FIELDS, originAddress }));
      const { quote, id, transactions } = response;
      expect(JSON.stringify(response)).not.toMatch(PRIVATE);
      assertFeesAddUp(quote);
      const before = await wallet.balanceOf('USDC');
      await wallet.send(transactions);
      await assertPaidOut({ wallet, quote, id, before });
    },
  );

  it.concurrent('may be sent by the person’s smart account', async () => {
    const { owner, account, bundler, balanceOf } = await newSmartAccount({ USDC: 50_000_000n });
    await approvedPerson({ walletAddress: account });
    const fields = { ...USDC_50, originAddress: account, pixKey: PIX_KEY, output: 'userOperation' };
    const { quote, id, userOperation, transactions } = await expectSuccess(requestQuote(fields));
    expect(userOperation).toMatchObject({ sender: account });
    expect(transferOf(transactions.at(-1).data).amount).toBe(50_000_000n);
    await sendBundle(bundler, [await signUserOperation(userOperation, owner)]);
    await assertPaidOut({ wallet: { address: account, balanceOf }, quote, id, before: 50_000_000n });
  });

  it.concurrent('may be sent by a custody vault', async () => {
    const { address } = await rich().then(async (wallet) => {
      await approvedPerson({ walletAddress: wallet.address });
      return wallet;
    });
    const fields = { ...BRLA_100, originAddress: address, pixKey: PIX_KEY, output: 'custody', accountId: '7' };
    const { custody, transactions } = await expectSuccess(requestQuote(fields));
    const [call] = transactions;
    expect(custody).toMatchObject([
      {
        operation: 'CONTRACT_CALL',
        source: { type: 'VAULT_ACCOUNT', id: '7' },
        destination: { oneTimeAddress: { address: token('BRLA') } },
        extraParameters: { contractCallData: call.data },
      },
    ]);
  });

  it.concurrent('is the same through GraphQL', async () => {
    const wallet = await rich();
    await approvedPerson({ walletAddress: wallet.address });
    const execute = async (query: string, variables: object) => {
      const { body } = await rest('/graphql', { body: { query, variables } });
      expect(body.errors).toBeUndefined();
      return body.data;
    };
    const PRICE = `query ($tokenIn: String!, $amountIn: Amount!) {
      swapQuote(originChain: "devnet", destinationChain: "fiat", tokenIn: $tokenIn, tokenOut: "BRL", amountIn: $amountIn) {
        id quote { quoteId provider expectedAmountOut tokenIn { symbol amount } tokenOut { symbol } }
      }
    }`;
    const { swapQuote } = await execute(PRICE, { tokenIn: BRLA_100.tokenIn, amountIn: BRLA_100.amountIn });
    expect(swapQuote).toMatchObject({ id: null, quote: { provider: 'avenia' } });
    const EXECUTE = `mutation ($quoteId: UUID!, $originAddress: String!, $pixKey: String!) {
      createSwapTransaction(quoteId: $quoteId, originAddress: $originAddress, pixKey: $pixKey) {
        id chainId transactionData { chainId from to data value } paymentInstructions { expiresAt }
      }
    }`;
    const { quoteId } = swapQuote.quote;
    const both = { quoteId, originAddress: wallet.address, pixKey: PIX_KEY };
    const { createSwapTransaction: created } = await execute(EXECUTE, both);
    expect(created).toMatchObject({ chainId: devnet.chainId, paymentInstructions: null });
    const { id, transactionData } = await expectSuccess(requestBytecode(both));
    expect([id, transactionData]).toEqual([created.id, created.transactionData]);
    const before = await wallet.balanceOf('BRLA');
    await wallet.send(created.transactionData);
    await assertPaidOut({ wallet, quote: swapQuote.quote, id, before });
  });

  // Last, because all payouts fail while it runs.
  it('that the bank refuses is refunded to the wallet, to the last unit', async () => {
    const wallet = await rich();
    const { address: originAddress } = wallet;
    const { kycUserId } = await personWithDollars({ walletAddress: originAddress });
    await approvedPerson({ walletAddress: originAddress, rampProvider: 'secondary' });
    const [account] = await steer('primaryRamp', `/_control/accounts?name=${kycUserId}`);
    await steer('primaryRamp', `/_control/accounts/${account.id}`, { refused: true });
    const pix = { originAddress, pixKey: REFUSED_PIX_KEY };
    const offers = [
      await expectSuccess(requestQuote({ ...BRLA_100, ...pix })),
      await expectSuccess(requestQuote({ ...DOLLARS_50, ...BANK_FIELDS, originAddress })),
      await expectSuccess(requestQuote({ ...USDC_50, ...pix, rampProvider: 'secondary' })),
    ];
    const balances = () => Promise.all(['BRLA', 'USDC'].map((symbol) => wallet.balanceOf(symbol)));
    const before = await balances();
    for (const { transactions } of offers) await wallet.send(transactions);
    const actions = await Promise.all(offers.map(({ id }) => waitForEnd(id)));
    for (const action of actions) {
      expect(action).toMatchObject({
        status: 'REFUNDED',
        substatus: 'REFUND_SENT',
        failureReason: expect.any(String),
        refund: { status: 'CONFIRMED', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
        steps: [{ status: 'CONFIRMED' }, { status: 'SKIPPED' }, { status: 'CONFIRMED' }],
      });
      const { body: status } = await rest(`/v2/swap/status/${action.id}`);
      expect(status).toMatchObject({ status: 'REFUNDED', refundTxHash: action.refund.txHash });
      expect(JSON.stringify([action, status])).not.toMatch(PRIVATE);
      const { token: sold, chain, amountRaw, amountHumanized, amountInUSD } = action.amounts.assetIn;
      expect(action.refund).toMatchObject({
        token: sold,
        chain,
        amountRaw,
        amountHumanized,
        amountInUSD,
        receiverAddress: originAddress,
      });
    }
    expect(new Set(actions.map(({ refund }) => refund.txHash)).size).toBe(3);
    expect(await balances()).toEqual(before);
  });
});

it('a transfer of less than the requested amount is no deposit: the action stays INITIAL', async () => {
  const wallet = await rich();
  await approvedPerson({ walletAddress: wallet.address });
  const { id, transactions } = await expectSuccess(
    requestQuote({ ...BRLA_100, originAddress: wallet.address, pixKey: PIX_KEY }),
  );
  const [{ to, data }] = transactions;
  const { to: deposit, amount } = transferOf(data);
  const less = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [deposit, amount - 1n] });
  await wallet.send([{ to, data: less, value: '0' }]);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect((await rest(`/actions/${id}`)).body).toMatchObject({ status: 'INITIAL', transactions: [] });
});
