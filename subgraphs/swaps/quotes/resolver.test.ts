import { graphql, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { fakeChain } from '../../../test/swaps/fake-chain';
import { fakeOutputs } from '../../../test/swaps/fake-outputs';
import { BOTH, CUSTOMER, fakeProvider, offering, PRICED, quoteDeps } from '../../../test/swaps/swap-world';
import { createRequestContext, type RequestContext } from '../../../src/auth/request-context';
import type { NewQuote } from '../../../src/quotes/quote-store';
import { buildSubgraph } from '../../schema/build-subgraph';
import { SwapTransactionResolver } from '../transactions/resolver';
import { TransferResolver } from '../transfers/resolver';
import { SwapQuoteResolver } from './resolver';

const ACTION = '01890a5d-ac96-774b-bcce-b302099a8057';
const stored: { id: string; customerId: string }[] = [];
const failing = fakeProvider('gamma', () => Promise.resolve(undefined));
const base = quoteDeps({ providers: [offering('alpha', 4_990_000n), failing] });
const database = {
  $transaction: (run: (tx: unknown) => unknown) => Promise.resolve(run(database)),
  quote: {
    create: ({ data }: { data: (typeof stored)[number] }) => Promise.resolve(stored.push(data)),
  },
};
const chain = fakeChain();
const deps = {
  ...fakeOutputs(),
  transferInstructions: () => Promise.reject(new TypeError('no Solana')),
  ...base,
  rpc: { ...base.rpc, ...chain.rpc, request: () => Promise.reject(new TypeError('no node')) },
  database: database as never,
  actionExpirySeconds: 1,
  startAction: () => Promise.resolve(),
  assertMayOpen: () => Promise.resolve(),
  findLimit: () => Promise.resolve(50),
  savePrices: (quotes: readonly NewQuote[]) => {
    stored.push(...quotes.map(({ customerId, swap }) => ({ id: swap.quoteId, customerId })));
    return Promise.resolve();
  },
};
const { schema } = buildSubgraph({
  name: 'swaps',
  resolvers: [new SwapQuoteResolver(deps), new SwapTransactionResolver(deps), new TransferResolver(deps)],
});

const key: RequestContext['principal'] = { kind: 'apiKey', customerId: CUSTOMER, keyId: 'k' };
const run = (source: string, variableValues: Record<string, unknown> = {}) =>
  graphql({
    schema,
    source,
    variableValues,
    contextValue: createRequestContext({ requestId: 'r', principal: key, signal: AbortSignal.timeout(5000) }),
  });

const argumentsOf = (graph: GraphQLSchema, type: 'Query' | 'Mutation', field: string): readonly string[] =>
  (graph.getType(type) as GraphQLObjectType).getFields()[field]!.args.map(({ name }) => name);

const quoteWith = (selection: string) => /* GraphQL */ `
  query Quote(
    $tokenIn: String!
    $tokenOut: String!
    $amountIn: Amount
    $originChain: ChainName
    $destinationChain: ChainName
    $originAddress: String
    $destinationAddress: String
    $slippage: DecimalFraction
  ) {
    swapQuote(
      tokenIn: $tokenIn
      tokenOut: $tokenOut
      amountIn: $amountIn
      originChain: $originChain
      destinationChain: $destinationChain
      originAddress: $originAddress
      destinationAddress: $destinationAddress
      slippage: $slippage
    ) {
      ${selection}
    }
  }
`;

describe('the graph of swaps', () => {
  it('has arguments with the names of the REST contract', () => {
    const quote = [
      ...['originChain', 'chainIdIn', 'destinationChain', 'chainIdOut', 'tokenIn', 'tokenOut', 'amountIn', 'amountOut'],
      ...['destinationAddress', 'originAddress', 'refundAddress', 'pixKey', 'thirdParty', 'alias', 'bankAccountNumber'],
      ...['bankRoutingNumber', 'bankName', 'bankBeneficiaryName', 'beneficiaryStreetLine1', 'beneficiaryStreetLine2'],
      ...['beneficiaryCity', 'beneficiaryState', 'beneficiaryPostalCode', 'beneficiaryCountry', 'description'],
      ...['usdPaymentMethod', 'output', 'accountId', 'feeSponsorship', 'preferredProvider', 'rampProvider', 'slippage'],
      ...['transferSpeed', 'webhookURL', 'maxPriceImpactBps'],
    ];
    expect([...argumentsOf(schema, 'Query', 'swapQuote')].sort()).toEqual([...quote].sort());
    expect(argumentsOf(schema, 'Query', 'swapQuotes')).toEqual(argumentsOf(schema, 'Query', 'swapQuote'));
    expect([...argumentsOf(schema, 'Mutation', 'createSwapTransaction')].sort()).toEqual([
      ...['accountId', 'destinationAddress', 'originAddress', 'output', 'pixKey', 'quoteId', 'rawQuote', 'thirdParty'],
      'webhookURL',
    ]);
    const transfer = [
      ...['accountId', 'amount', 'chainId', 'destinationAddress', 'memo', 'originAddress', 'output', 'token'],
      ...['walletDestination', 'walletOrigin', 'webhookURL'],
    ];
    expect([...argumentsOf(schema, 'Mutation', 'createTransfer')].sort()).toEqual(transfer);
    expect([...argumentsOf(schema, 'Query', 'transfer')].sort()).toEqual(transfer);
  });

  it('returns all fields of a user operation', async () => {
    const { tokenIn, tokenOut, amountIn } = PRICED;
    const route = `originChain: "devnet", chainIdOut: 31337, tokenIn: "${tokenIn}", tokenOut: "${tokenOut}", amountIn: "${amountIn}"`;
    const { data, errors } = await run(
      `{ swapQuote(${route}, originAddress: "${BOTH.originAddress}", destinationAddress: "${BOTH.destinationAddress}", output: userOperation) {
        userOperation custody instructions lutsByAddress depositAddress transactionData { to rawTransaction }
        quote { transferSpeed tokenIn { priceSource priceAsOf } }
      } }`,
    );
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      swapQuote: {
        userOperation: { calls: 2, sponsored: false },
        custody: null,
        instructions: null,
        lutsByAddress: null,
        depositAddress: null,
        transactionData: { to: expect.any(String), rawTransaction: null },
        quote: { transferSpeed: null, tokenIn: { priceSource: 'peg', priceAsOf: '2027-01-15T08:00:00.000Z' } },
      },
    });
  });

  it('transfers by mutation and by query alike', async () => {
    Object.assign(chain, { takes: 7n, brings: 7n });
    const { originAddress, destinationAddress } = BOTH;
    const given = `chainId: 31337, token: "${PRICED.tokenIn}", amount: "7", originAddress: "${originAddress}", destinationAddress: "${destinationAddress}"`;
    const selection = '{ id chainId bytecode { to from } transactionData { to } simulation { status } userOperation }';
    for (const [type, field] of [
      ['mutation', 'createTransfer'],
      ['query', 'transfer'],
    ]) {
      const { data, errors } = await run(`${type} { ${field}(${given}) ${selection} }`);
      expect(errors).toBeUndefined();
      expect(data![field!]).toMatchObject({
        chainId: 31_337,
        bytecode: [{ to: PRICED.tokenIn, from: originAddress }],
        userOperation: null,
        transactionData: [{ to: PRICED.tokenIn }],
        simulation: { status: 'SUCCESS' },
      });
    }
    chain.reset();
  });

  it('prices without addresses, and stores the quote for its customer', async () => {
    const selection =
      'id chainId transactionData { to } quote { id quoteId deadline deadlineDate simulation { status } tokenIn { amountInUSD priceInUSD } gasEstimate { amountInUSD } }';
    const { data, errors } = await run(quoteWith(selection), PRICED);
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      swapQuote: {
        id: null,
        chainId: null,
        transactionData: null,
        quote: {
          deadline: 1_800_000_300,
          deadlineDate: '2027-01-15T08:05:00.000Z',
          simulation: null,
          tokenIn: { amountInUSD: 5, priceInUSD: 1 },
          gasEstimate: { amountInUSD: 0.6 },
        },
      },
    });
    expect(stored.at(-1)).toMatchObject({ customerId: CUSTOMER });
  });

  it('returns quote, action and transactions when both addresses are given', async () => {
    const item = 'chainId to data value from';
    const selection = `id chainId type transactions { ${item} } transactionData { ${item} approvals { ${item} } transactions { ${item} } }
      quote { provider slippage feeBreakdown { lines { kind signed } } gasEstimate { gasLimit } route { shareBps } simulation { status } }`;
    const { data, errors } = await run(quoteWith(selection), { ...PRICED, ...BOTH, slippage: '0.01' });
    expect(errors).toBeUndefined();
    const { transactionData, transactions, ...result } = data!['swapQuote'] as Record<string, never>;
    expect(result).toMatchObject({
      id: expect.any(String),
      chainId: 31_337,
      type: 'SAMECHAIN_SWAP',
      quote: { slippage: '0.01' },
    });
    expect(transactionData).toMatchObject({ chainId: '31337', value: '0', approvals: [{ to: PRICED.tokenIn }] });
    expect(transactions).toEqual(transactionData!['transactions']);
  });

  it('lists the result of every provider', async () => {
    const { tokenIn, tokenOut, amountIn } = PRICED;
    const route = `originChain: "devnet", chainIdOut: 31337, tokenIn: "${tokenIn}", tokenOut: "${tokenOut}"`;
    const { data } = await run(
      `{ swapQuotes(${route}, amountIn: "${amountIn}") { provider quote { expectedAmountOut } reason { code message } } }`,
    );
    expect(data).toEqual({
      swapQuotes: [
        { provider: 'alpha', quote: { expectedAmountOut: '4990000' }, reason: null },
        { provider: 'gamma', quote: null, reason: { code: 'NO_ROUTE_FOUND', message: expect.any(String) } },
      ],
    });
  });

  it('returns the error code of a rejected request', async () => {
    const refused = await run(quoteWith('id'), { ...PRICED, slippage: '0.6' });
    expect(refused.errors?.[0]?.originalError).toMatchObject({ code: 'INVALID_SLIPPAGE' });
    const malformed = await run(`mutation { createSwapTransaction(quoteId: "${ACTION}") { id } }`);
    expect(malformed.errors?.[0]?.originalError).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path: 'originAddress' }, { path: 'destinationAddress' }] },
    });
  });

  it('rejects a request without a key', async () => {
    const { errors } = await graphql({
      schema,
      source: quoteWith('id'),
      variableValues: PRICED,
      contextValue: createRequestContext({ requestId: 'r', principal: undefined, signal: AbortSignal.timeout(1000) }),
    });
    expect(errors?.[0]?.originalError).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
  });
});
