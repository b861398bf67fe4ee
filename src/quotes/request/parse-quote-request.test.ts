import {
  ALICE,
  BOB,
  BOTH,
  chains,
  DAI,
  devnet,
  devnetL2,
  L2_USDC,
  PRICED,
  SOLANA_WALLET,
  USDC,
} from '../../../test/swaps/swap-world';
import { BITCOIN_WALLET, ON_SOLANA } from '../../../test/swaps/bridge-world';
import { NATIVE_TOKEN, ZERO_ADDRESS } from '../../chains/addresses';
import { createChainTable } from '../../chains/chain-table';
import { isServiceError, type ServiceError } from '../../errors/service-error';
import type { ValidationIssue } from '../../errors/validation';
import type { RawFields } from '../../errors/field-reader';
import { parseQuoteRequest } from './parse-quote-request';

const deps = { chains, webhookUrls: { allowLoopback: false } };
const parse = (changes: RawFields, given = deps) => parseQuoteRequest(given, { ...PRICED, ...changes });

function refusal(changes: RawFields, given = deps): ServiceError {
  try {
    parse(changes, given);
  } catch (error) {
    if (isServiceError(error)) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const pathsOf = (error: ServiceError): readonly string[] =>
  ((error.details?.['errors'] ?? []) as ValidationIssue[]).map(({ path }) => path);

const offRamp = { originChain: 'devnet', destinationChain: 'fiat', tokenIn: USDC.address, tokenOut: 'USD' };
const bank = {
  bankAccountNumber: '123456789',
  bankRoutingNumber: '021000021',
  bankName: 'A Bank',
  bankBeneficiaryName: 'Ada Lovelace',
  beneficiaryStreetLine1: '1 Main St',
  beneficiaryCity: 'New York',
  beneficiaryState: 'NY',
  beneficiaryPostalCode: '10001',
  beneficiaryCountry: 'USA',
};

describe('the arguments of a quote', () => {
  it('become a request with canonical addresses and the defaults of the contract', () => {
    expect(parse({ originAddress: ALICE.toLowerCase(), destinationAddress: BOB })).toMatchObject({
      origin: { slug: 'devnet' },
      destination: { slug: 'devnet' },
      side: 'in',
      amount: 5_000_000n,
      slippage: 5000n,
      originAddress: ALICE,
      destinationAddress: BOB,
      thirdParty: false,
      output: 'bytecode',
      feeSponsorship: false,
      preferredProvider: undefined,
      webhookUrl: undefined,
    });
  });

  it('treat an empty string and null as not given', () => {
    const empty = { amountOut: '', slippage: null, originAddress: '', webhookURL: '', output: '', thirdParty: null };
    expect(parse(empty)).toMatchObject({ side: 'in', slippage: 5000n, output: 'bytecode', originAddress: undefined });
  });

  it.each([
    ['the zero address', ZERO_ADDRESS],
    ['the usual one', NATIVE_TOKEN],
  ])('keep the form of the native coin that was sent: %s', (_, tokenIn) => {
    expect(parse({ tokenIn }).tokenIn).toEqual({ address: NATIVE_TOKEN, requestedAddress: tokenIn });
    expect(parse({ tokenIn: tokenIn.toLowerCase() }).tokenIn.requestedAddress).toBe(tokenIn);
  });

  it.each([
    { originChain: 'DEVNET' },
    { originChain: '31337' },
    { originChain: undefined, chainIdIn: '31337' },
    { chainIdIn: '31337', chainIdOut: '31337' },
  ])('name a chain by slug or id: %j', (changes) => expect(parse(changes).origin.chainId).toBe(31_337));

  it.each<[string, RawFields, readonly string[]]>([
    ['no chain', { originChain: undefined, destinationChain: undefined }, ['originChain', 'destinationChain']],
    ['an unknown slug', { originChain: 'atlantis' }, ['originChain']],
    ['an unknown id', { chainIdOut: '999999999' }, ['chainIdOut']],
    ['two origins that disagree', { chainIdIn: '8453' }, ['chainIdIn']],
    ['two destinations that disagree', { chainIdOut: '1' }, ['chainIdOut']],
    ['no tokens', { tokenIn: undefined, tokenOut: '' }, ['tokenIn', 'tokenOut']],
    ['a symbol for an address', { tokenIn: 'USDC' }, ['tokenIn']],
    ['a fiat literal on a chain', { tokenOut: 'BRL' }, ['tokenOut']],
    ['a broken checksum', { tokenIn: USDC.address.replace('A0b8', 'a0b8') }, ['tokenIn']],
    ['the same token', { tokenOut: USDC.address }, ['tokenOut']],
    ['the native coin twice', { tokenIn: ZERO_ADDRESS, tokenOut: NATIVE_TOKEN }, ['tokenOut']],
    ['a zero amount', { amountIn: '0' }, ['amountIn']],
    ...[
      '1e18',
      '+1',
      '-1',
      '0x10',
      '007',
      '１０',
      '1.5',
      ' 1',
      '1_000',
      'NaN',
      '9'.repeat(79),
      (2n ** 256n).toString(),
    ].map((amountIn): [string, RawFields, readonly string[]] => [`the amount ${amountIn}`, { amountIn }, ['amountIn']]),
    ['an address of Solana', { destinationAddress: SOLANA_WALLET }, ['destinationAddress']],
    ['a short address', { originAddress: '0x1234' }, ['originAddress']],
    ['a refund to nowhere', { refundAddress: 'home' }, ['refundAddress']],
    ['a burn', { destinationAddress: ZERO_ADDRESS }, ['destinationAddress']],
    ["a router's own placeholder", { destinationAddress: `0x${'2'.padStart(40, '0')}` }, ['destinationAddress']],
    ['the marker of the native coin', { destinationAddress: NATIVE_TOKEN }, ['destinationAddress']],
    ['the contract of the bought token', { destinationAddress: DAI.address }, ['destinationAddress']],
    ['the wrapped coin, a contract of the chain', { destinationAddress: devnet.wrappedNative }, ['destinationAddress']],
    ['a refund to the contract of the sold token', { refundAddress: USDC.address }, ['refundAddress']],
    ['a program of Solana', { ...ON_SOLANA, destinationAddress: '1'.repeat(32) }, ['destinationAddress']],
    ['a token of Solana', { ...ON_SOLANA, destinationAddress: ON_SOLANA.tokenIn }, ['destinationAddress']],
    ['a NUL', { accountId: 'a\u0000' }, ['accountId']],
    ['half a surrogate pair', { preferredProvider: '\ud800' }, ['preferredProvider']],
    ['a very long name', { preferredProvider: 'x'.repeat(65) }, ['preferredProvider']],
    ['a slippage in words', { slippage: 'half' }, ['slippage']],
    ['a slippage with an exponent', { slippage: '1e-3' }, ['slippage']],
    ['a negative price impact', { maxPriceImpactBps: -1 }, ['maxPriceImpactBps']],
    ['more than the whole price', { maxPriceImpactBps: 10_001 }, ['maxPriceImpactBps']],
    ['half a basis point', { maxPriceImpactBps: 0.5 }, ['maxPriceImpactBps']],
    ['a text for a number', { maxPriceImpactBps: '100' }, ['maxPriceImpactBps']],
    ['an unknown output', { output: 'calldata' }, ['output']],
    ['custody without an account', { output: 'custody' }, ['accountId']],
    ['instructions of an EVM chain', { output: 'instructions' }, ['output']],
    ['an unknown speed', { transferSpeed: 'warp' }, ['transferSpeed']],
    ['a webhook URL over http', { webhookURL: 'http://example.com' }, ['webhookURL']],
    ['a webhook URL in a private network', { webhookURL: 'https://169.254.169.254/' }, ['webhookURL']],
    ['a webhook URL that is too long', { webhookURL: `https://example.com/${'a'.repeat(2048)}` }, ['webhookURL']],
    ['a text for a boolean', { thirdParty: 'yes', feeSponsorship: 'no' }, ['thirdParty', 'feeSponsorship']],
    ['a Pix key for a swap', { pixKey: 'a@b.co' }, ['pixKey']],
    ['a Pix key for dollars', { ...offRamp, pixKey: 'a@b.co' }, ['pixKey']],
    ['a fiat currency nobody has', { ...offRamp, tokenOut: 'EUR' }, ['tokenOut']],
    ['a fiat currency in lower case', { ...offRamp, tokenOut: 'usd' }, ['tokenOut']],
    ['an unknown rail', { ...offRamp, usdPaymentMethod: 'SEPA' }, ['usdPaymentMethod']],
    [
      'an incomplete bank account',
      { ...offRamp, ...bank, bankName: '', beneficiaryCity: undefined },
      ['bankName', 'beneficiaryCity'],
    ],
    [
      'a routing number with a wrong checksum',
      { ...offRamp, ...bank, bankRoutingNumber: '021000022' },
      ['bankRoutingNumber'],
    ],
    ['an account number with letters', { ...offRamp, ...bank, bankAccountNumber: 'GB29' }, ['bankAccountNumber']],
    ['an accented beneficiary', { ...offRamp, ...bank, bankBeneficiaryName: 'João' }, ['bankBeneficiaryName']],
    [
      'a beneficiary of spaces in a country without a name',
      { ...offRamp, ...bank, bankBeneficiaryName: '  ', beneficiaryCountry: 'BR' },
      ['bankBeneficiaryName', 'beneficiaryCountry'],
    ],
    ['a long description', { ...offRamp, ...bank, description: 'x'.repeat(256) }, ['description']],
  ])('are refused with 422 and the names of the parameters: %s', (_, changes, paths) => {
    const error = refusal(changes);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 422 });
    expect(pathsOf(error)).toEqual(paths);
  });

  it('report every problem at once', () => {
    const error = refusal({
      originChain: 'nowhere',
      tokenOut: 'x',
      amountIn: '-1',
      output: 'y',
      webhookURL: 'z',
      slippage: 's',
    });
    expect([...pathsOf(error)].sort()).toEqual([
      'amountIn',
      'originChain',
      'output',
      'slippage',
      'tokenOut',
      'webhookURL',
    ]);
  });

  it.each<[string, RawFields, string]>([
    ['both amounts', { amountOut: '1' }, 'INVALID_AMOUNT_PARAMS'],
    ['neither amount', { amountIn: undefined }, 'MISSING_AMOUNT_PARAMS'],
    ['too little slippage', { slippage: '0.000099999999999999999' }, 'INVALID_SLIPPAGE'],
    ['too much slippage', { slippage: '0.50000000000000000001' }, 'INVALID_SLIPPAGE'],
    ['no slippage', { slippage: '0' }, 'INVALID_SLIPPAGE'],
    ['negative slippage', { slippage: '-0.01' }, 'INVALID_SLIPPAGE'],
    ['slippage in percent', { slippage: '5' }, 'INVALID_SLIPPAGE'],
  ])('are refused with the code of the contract: %s', (_, changes, code) => {
    expect(refusal(changes)).toMatchObject({ code, status: 400 });
  });

  it('report malformed parameters before combinations', () => {
    expect(refusal({ amountOut: '1', slippage: '9', tokenIn: 'x' }).code).toBe('VALIDATION_ERROR');
  });

  it.each([
    ['0.0001', 100n],
    ['0.5', 500_000n],
    ['.01', 10_000n],
    ['0.0007000000000000001', 700n], // 0.07 / 100 printed as a float
  ])('accept the slippage %s', (slippage, expected) => expect(parse({ slippage }).slippage).toBe(expected));

  it.each([0, 1500, 10_000])('accept the price impact %s', (maxPriceImpactBps) => {
    expect(parse({ maxPriceImpactBps }).maxPriceImpactBps).toBe(maxPriceImpactBps);
  });

  it('accept an exact output amount', () => {
    expect(parse({ amountIn: undefined, amountOut: '7' })).toMatchObject({ side: 'out', amount: 7n });
  });

  it.each<[RawFields, string]>([
    [{ output: 'userOperation' }, 'userOperation'],
    [{ output: 'custody', accountId: '7' }, 'custody'],
    [{ output: '' }, 'bytecode'],
  ])('name what the transaction is wanted as: %j', (changes, output) => {
    expect(parse({ ...changes, ...BOTH }).output).toBe(output);
  });

  describe('with sponsored fees', () => {
    const sponsoring = { ...deps, chains: createChainTable([{ ...devnet, paymaster: ALICE }, devnetL2]) };
    const sponsored = { feeSponsorship: true, destinationChain: 'devnet-l2', tokenOut: L2_USDC.address };

    it('are allowed for user operations and price-only quotes', () => {
      const operation = { ...sponsored, ...BOTH, output: 'userOperation' };
      expect(parse(operation, sponsoring).feeSponsorship).toBe(true);
      expect(parse({ ...sponsored, originAddress: ALICE }, sponsoring).feeSponsorship).toBe(true);
    });

    it('are refused for a plain transaction, with the output that they require', () => {
      expect(pathsOf(refusal({ ...sponsored, ...BOTH }, sponsoring))).toEqual(['output']);
    });

    it('on a route without sponsorship are not refused because of their output', () => {
      expect(parse({ feeSponsorship: true, ...BOTH }, sponsoring).feeSponsorship).toBe(true);
      expect(parse({ ...sponsored, ...BOTH }).feeSponsorship).toBe(true);
    });
  });

  it('ignore a Pix key that clients repeat as destinationAddress', () => {
    const pix = { ...offRamp, tokenOut: 'BRL', pixKey: 'ada@example.com', destinationAddress: 'ada@example.com' };
    expect(parse(pix)).toMatchObject({ pixKey: 'ada@example.com', destinationAddress: undefined });
  });

  it('accept Bitcoin as origin with its token literal and addresses', () => {
    const bitcoin = { originChain: 'bitcoin-local', tokenIn: 'BTC', originAddress: BITCOIN_WALLET };
    expect(parse(bitcoin)).toMatchObject({ tokenIn: { address: 'BTC' }, originAddress: BITCOIN_WALLET });
    expect(pathsOf(refusal({ ...bitcoin, tokenIn: 'btc', originAddress: ALICE }))).toEqual([
      'tokenIn',
      'originAddress',
    ]);
  });

  it('accept a wallet of any kind from a fiat payer', () => {
    const onRamp = { originChain: 'fiat', tokenIn: 'BRL', destinationAddress: ALICE };
    expect(parse({ ...onRamp, originAddress: ALICE }).originAddress).toBe(ALICE);
    expect(parse({ ...onRamp, originAddress: SOLANA_WALLET }).originAddress).toBe(SOLANA_WALLET);
  });

  it('carry a complete bank account, and none when its fields are empty', () => {
    expect(parse({ ...offRamp, ...bank }).beneficiary).toMatchObject({ alias: 'Ada Lovelace', paymentMethod: 'WIRE' });
    const none = Object.fromEntries(Object.keys(bank).map((name) => [name, '']));
    expect(parse({ ...offRamp, ...none }).beneficiary).toBeUndefined();
  });

  it.each([
    ['USA', 'USA'],
    ['us', 'USA'],
    ['United States', 'USA'],
    [' bra ', 'BRA'],
  ])('accept a beneficiary in %j', (beneficiaryCountry, country) => {
    expect(parse({ ...offRamp, ...bank, beneficiaryCountry }).beneficiary?.country).toBe(country);
  });

  it('carry a bank account with trimmed fields', () => {
    const spaced = Object.fromEntries(Object.entries(bank).map(([name, value]) => [name, ` ${value} `]));
    const more = { alias: ' ', beneficiaryStreetLine2: '  ', description: ' ' };
    const { beneficiary } = parse({ ...offRamp, ...spaced, ...more });
    expect(beneficiary).toEqual(parse({ ...offRamp, ...bank }).beneficiary);
    expect(beneficiary).toMatchObject({ alias: 'Ada Lovelace', street: ['1 Main St'], description: undefined });
  });
});
