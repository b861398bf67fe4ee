import fc from 'fast-check';
import { ALICE, BOB, chains, SOLANA_USDC, SOLANA_WALLET, USDC } from '../../../test/swaps/swap-world';
import { NATIVE_TOKEN, ZERO_ADDRESS } from '../../chains/addresses';
import { isServiceError } from '../../errors/service-error';
import type { ValidationIssue } from '../../errors/validation';
import type { RawFields } from '../../errors/field-reader';
import { parseTransferRequest } from './parse-transfer-request';

const TRANSFER = {
  chainId: '31337',
  token: USDC.address,
  amount: '5',
  originAddress: ALICE,
  destinationAddress: BOB,
};
const ON_SOLANA = {
  chainId: 'solana',
  token: SOLANA_USDC.address,
  amount: '5',
  originAddress: SOLANA_WALLET,
  destinationAddress: SOLANA_USDC.address,
};
const deps = { chains, webhookUrls: { allowLoopback: false } };
const parse = (changes: RawFields) => parseTransferRequest(deps, { ...TRANSFER, ...changes });

function pathsOf(changes: RawFields): readonly string[] {
  try {
    parse(changes);
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'VALIDATION_ERROR') throw error;
    return (error.details?.['errors'] as ValidationIssue[]).map(({ path }) => path).sort();
  }
  return [];
}

describe('a request for a transfer', () => {
  it('is parsed into canonical form', () => {
    expect(parse({ originAddress: ALICE.toLowerCase(), token: ZERO_ADDRESS })).toMatchObject({
      chain: { slug: 'devnet' },
      token: { address: NATIVE_TOKEN },
      amount: 5n,
      sender: ALICE,
      recipient: BOB,
      output: 'bytecode',
      accountId: undefined,
      memo: undefined,
      webhookUrl: undefined,
    });
    expect(parse({ ...ON_SOLANA, memo: 'invoice 7', output: 'instructions' })).toMatchObject({
      chain: { slug: 'solana' },
      sender: SOLANA_WALLET,
      memo: 'invoice 7',
      output: 'instructions',
    });
  });

  it('may use the old field names of its wallets, and both names only with equal values', () => {
    const old = { originAddress: '', destinationAddress: null, walletOrigin: ALICE, walletDestination: BOB };
    expect(parse(old)).toMatchObject({ sender: ALICE, recipient: BOB });
    expect(pathsOf({ walletOrigin: ALICE.toLowerCase(), walletDestination: BOB })).toEqual([]);
    expect(pathsOf({ walletOrigin: BOB, walletDestination: ALICE })).toEqual(['walletDestination', 'walletOrigin']);
  });

  it.each<[string, RawFields, readonly string[]]>([
    [
      'nothing',
      { chainId: '', token: '', amount: '', originAddress: '', destinationAddress: '' },
      ['amount', 'chainId', 'destinationAddress', 'originAddress', 'token'],
    ],
    ['a chain nobody knows', { chainId: '999999999' }, ['chainId']],
    ['fiat', { chainId: '0' }, ['chainId']],
    ['Bitcoin', { chainId: 'bitcoin-local' }, ['chainId']],
    ['no amount at all', { amount: '0' }, ['amount']],
    ['an amount in exponents', { amount: '1e18' }, ['amount']],
    ['a token of another kind', { token: SOLANA_USDC.address }, ['token']],
    [
      'wallets of another kind',
      { originAddress: SOLANA_WALLET, walletDestination: 'x' },
      ['originAddress', 'walletDestination'],
    ],
    ['a burn', { destinationAddress: ZERO_ADDRESS }, ['destinationAddress']],
    ['custody without an account', { output: 'custody' }, ['accountId']],
    ['instructions of an EVM chain', { output: 'instructions' }, ['output']],
    ['a user operation of Solana', { ...ON_SOLANA, output: 'userOperation' }, ['output']],
    ['a memo on an EVM chain', { memo: 'x' }, ['memo']],
    ['a memo of too many bytes', { ...ON_SOLANA, memo: 'ç'.repeat(129) }, ['memo']],
    ['a webhook URL in a private network', { webhookURL: 'https://10.0.0.1' }, ['webhookURL']],
    ['everything wrong', { token: 'x', amount: '-1', output: 'y', memo: 'z' }, ['amount', 'memo', 'output', 'token']],
  ])('is refused with the names of the fields: %s', (_, changes, paths) => expect(pathsOf(changes)).toEqual(paths));

  it('never fails in any other way for arbitrary input', () => {
    const names = [
      ...Object.keys(TRANSFER),
      'walletOrigin',
      'walletDestination',
      'output',
      'accountId',
      'memo',
      'webhookURL',
    ];
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('solana', ALICE, '1', '', null, true));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (changes) => {
        try {
          parse(changes);
        } catch (error) {
          expect(isServiceError(error) && error.status < 500).toBe(true);
        }
      }),
    );
  });
});
