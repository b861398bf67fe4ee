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

/** Every path that is named, once each. */
function expectPaths({ status, body }: RestResponse, paths: readonly string[]): void {
  expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
  expect(body.error.details.errors.map(({ path }: any) => path).sort()).toEqual(paths);
}

describe('a caller who is refused learns everything at once', () => {
  it.each<[string, Record<string, string | undefined>, readonly string[]]>([
    [
      'nothing at all',
      Object.fromEntries(Object.keys(priced).map((name) => [name, undefined])),
      ['destinationChain', 'originChain', 'tokenIn', 'tokenOut'],
    ],
    [
      'values that are none beside ones that mean nothing together',
      {
        originChain: 'atlantis',
        amountIn: '-5',
        originAddress: 'nobody',
        destinationAddress: wallet,
        pixKey: 'a@b.co',
      },
      ['amountIn', 'originChain', 'pixKey'],
    ],
    [
      'a bad slippage beside half a bank account',
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
    ['one bad value', { slippage: 'x' }, ['slippage']],
    ['a chain by an id that is none', { originChain: undefined, chainIdIn: 'x'.repeat(300) }, ['chainIdIn']],
  ])('of a quote: %s', async (_, changes, paths) => {
    const answer = await quoteWith(changes);
    expectPaths(answer, paths);
  });

  it.each([
    [{}, ['destinationAddress', 'originAddress', 'quoteId']],
    [
      { quoteId: 'x', originAddress: 'nobody', destinationAddress: wallet, output: 'custody', webhookURL: 'http://x' },
      ['accountId', 'originAddress', 'quoteId', 'webhookURL'],
    ],
    [
      { quoteId: [1], originAddress: { a: 1 }, pixKey: 5, thirdParty: 'x' },
      ['originAddress', 'pixKey', 'quoteId', 'thirdParty'],
    ],
  ])('of an execution: %j', async (body, paths) => {
    const answer = await rest('/v2/swap/bytecode', { body });
    expectPaths(answer, paths);
  });
});
