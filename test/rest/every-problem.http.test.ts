import { BANK_FIELDS } from '../../scripts/demo/person-evidence';
import { type RestResponse, rest, runningService } from '../setup/running-service';

const service = runningService();
const { tokens } = service.chains.find(({ slug }) => slug === 'devnet')!;
const wallet = service.accounts[1]!.address;
const priced: Readonly<Record<string, string>> = {
  originChain: 'devnet',
  destinationChain: 'devnet',
  tokenIn: tokens['USDC']!,
  tokenOut: tokens['WETH']!,
  amountIn: '1000000',
};

const quoteWith = (changes: Readonly<Record<string, string | undefined>>): Promise<RestResponse> => {
  const given = Object.entries({ ...priced, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return rest(`/v2/swap/quote?${new URLSearchParams(given).toString()}`);
};

/** Asserts that the errors are at exactly these paths, once each. */
function expectPaths({ status, body }: RestResponse, paths: readonly string[]): void {
  expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
  expect(body.error.details.errors.map(({ path }: any) => path).sort()).toEqual(paths);
}

describe('a refused request reports every problem at once', () => {
  it.each<[string, Record<string, string | undefined>, readonly string[]]>([
    [
      'no parameters',
      Object.fromEntries(Object.keys(priced).map((name) => [name, undefined])),
      ['destinationChain', 'originChain', 'tokenIn', 'tokenOut'],
    ],
    [
      'invalid values and incompatible parameters',
      {
        originChain: 'atlantis',
        amountIn: '-5',
        originAddress: 'invalid',
        destinationAddress: wallet,
        pixKey: 'a@b.co',
      },
      ['amountIn', 'originChain', 'pixKey'],
    ],
    [
      'an invalid slippage and an incomplete bank account',
      {
        destinationChain: 'fiat',
        tokenOut: 'USD',
        slippage: 'x',
        ...BANK_FIELDS,
        bankName: '',
        beneficiaryCity: 'a\u0000',
      },
      ['bankName', 'beneficiaryCity', 'slippage'],
    ],
    ['one invalid value', { slippage: 'x' }, ['slippage']],
    ['an invalid chain id', { originChain: undefined, chainIdIn: 'x'.repeat(300) }, ['chainIdIn']],
  ])('quote: %s', async (_, changes, paths) => {
    const response = await quoteWith(changes);
    expectPaths(response, paths);
  });

  it.each([
    [{}, ['destinationAddress', 'originAddress', 'quoteId']],
    [
      { quoteId: 'x', originAddress: 'invalid', destinationAddress: wallet, output: 'custody', webhookURL: 'http://x' },
      ['accountId', 'originAddress', 'quoteId', 'webhookURL'],
    ],
    [
      { quoteId: [1], originAddress: { a: 1 }, pixKey: 5, thirdParty: 'x' },
      ['originAddress', 'pixKey', 'quoteId', 'thirdParty'],
    ],
  ])('execution: %j', async (body, paths) => {
    const response = await rest('/v2/swap/bytecode', { body });
    expectPaths(response, paths);
  });
});
