import { ALICE, BOB, SOLANA_WALLET } from '../../test/swaps/swap-world';
import { ZERO_ADDRESS } from '../chains/addresses';
import { isServiceError } from '../errors/service-error';
import type { ValidationIssue } from '../errors/validation';
import type { RawFields } from '../errors/field-reader';
import { parseExecutionRequest } from './parse-execution-request';

const QUOTE = '01890a5d-ac96-774b-bcce-b302099a8057';
const valid = { quoteId: QUOTE, originAddress: ALICE, destinationAddress: BOB };
const parse = (changes: RawFields) => parseExecutionRequest({ ...valid, ...changes }, { allowLoopback: false });

function pathsOf(changes: RawFields): readonly string[] {
  try {
    parse(changes);
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'VALIDATION_ERROR') throw error;
    return (error.details?.['errors'] as ValidationIssue[]).map(({ path }) => path).sort();
  }
  return [];
}

describe('a request to execute a quote', () => {
  it('is parsed into canonical form', () => {
    const request = {
      quoteId: QUOTE.toUpperCase(),
      originAddress: ALICE.toLowerCase(),
      webhookURL: 'https://a.example',
    };
    expect(parse(request)).toEqual({
      quoteId: QUOTE,
      originAddress: ALICE,
      destinationAddress: BOB,
      pixKey: undefined,
      thirdParty: false,
      output: 'bytecode',
      accountId: undefined,
      webhookUrl: 'https://a.example',
    });
  });

  it.each<[string, RawFields, readonly string[]]>([
    [
      'nothing',
      { quoteId: undefined, originAddress: null, destinationAddress: '' },
      ['destinationAddress', 'originAddress', 'quoteId'],
    ],
    ['no wallet', { originAddress: '', destinationAddress: undefined }, ['destinationAddress', 'originAddress']],
    ['nobody who pays by Pix', { originAddress: undefined, pixKey: 'a@b.co' }, ['originAddress']],
    ['an id that is none', { quoteId: '1' }, ['quoteId']],
    [
      'addresses that are none',
      { originAddress: 'a', destinationAddress: 'b' },
      ['destinationAddress', 'originAddress'],
    ],
    ['a reserved recipient', { destinationAddress: ZERO_ADDRESS }, ['destinationAddress']],
    ['an output that is none', { output: 'x' }, ['output']],
    ['custody without an account', { output: 'custody' }, ['accountId']],
    ['a webhook URL in a private network', { webhookURL: 'https://10.0.0.1' }, ['webhookURL']],
    ['a text for thirdParty', { thirdParty: 'true' }, ['thirdParty']],
    ['everything wrong', { quoteId: 'x', output: 'y', thirdParty: 'z' }, ['output', 'quoteId', 'thirdParty']],
  ])('is refused with the names of the fields: %s', (_, changes, paths) => expect(pathsOf(changes)).toEqual(paths));

  it('names a vault account only with the output custody', () => {
    expect(parse({ output: 'custody', accountId: '7' })).toMatchObject({ output: 'custody', accountId: '7' });
    expect(parse({ output: 'userOperation', accountId: '7' })).toMatchObject({ accountId: undefined });
  });

  it('may omit the origin of a payment to a wallet', () => {
    expect(parse({ originAddress: undefined })).toMatchObject({ originAddress: undefined, destinationAddress: BOB });
  });

  it('may name wallets on chains of any kind', () => {
    expect(pathsOf({ originAddress: SOLANA_WALLET, destinationAddress: SOLANA_WALLET })).toEqual([]);
  });

  it('ignores a destination that repeats the Pix key', () => {
    const request = { pixKey: 'ada@example.com', destinationAddress: 'ada@example.com' };
    expect(parse(request)).toMatchObject({ pixKey: 'ada@example.com', destinationAddress: undefined });
  });
});
